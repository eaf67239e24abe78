"""`hedline reproduce`, end to end on small random models: rows, provenance, resuming, the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_world import WORDS, write_data, write_model, write_set

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.experiments import faithfulness, quality, record, table1, table2, table3
from hedline.experiments import systems as decoded
from hedline.experiments.record import EvaluationSet, Request, Results, hardware, identity, model_fingerprint
from hedline.experiments.report import TABLE1, TABLE2, TABLE3, as_markdown, as_text
from hedline.experiments.reproduce import EXPERIMENTS, report, reproduce, write_pictures, write_report

WITHOUT_MODELS = {"tiny/Trimmer"}  # runs wherever its parser is installed


@pytest.fixture(autouse=True)
def _committed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run from any working tree, and with no models but their own."""
    monkeypatch.setattr(record, "commit", lambda: "0123456789ab")
    monkeypatch.setattr(record, "SHIPPED", {})


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """Models printed and bow, a set, a data folder, an empty results folder."""
    monkeypatch.setattr(quality, "MODELS", ())
    for name, encoder in (("printed", "attention"), ("bow", "bow")):
        write_model(tmp_path / "models" / name, encoder)
    (tmp_path / "models" / "printed" / "tuning.json").write_text(
        json.dumps({"weights": {"log_prob": 1.0, "unigram": 5.0}})
    )
    return Request(
        results=tmp_path / "results",
        models=tmp_path / "models",
        data=write_data(tmp_path / "data"),
        sets=(write_set(tmp_path / "tiny.jsonl"),),
        options={"beam": 2, "words": 5},
    )


def finish(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as caught:
        run(arguments)
    return int(caught.value.code or 0)


def test_table1_rows_and_provenance(request_: Request) -> None:
    results = table1.run(request_)
    expected = {
        "tiny/PREFIX",
        "tiny/PREFIX words",
        "tiny/ABS printed",
        "tiny/ABS+ printed",
    }  # no recurrent models, no transformer
    assert set(results.rows) - WITHOUT_MODELS == expected
    row = json.loads((request_.results / "table1.json").read_text())["rows"]["tiny/ABS+ printed"]
    assert row["items"] == 12 and row["ROUGE-1"]["low"] <= row["ROUGE-1"]["value"] <= row["ROUGE-1"]["high"]
    how = row["provenance"]
    assert how["configuration"]["options"].items() >= {"beam": 2, "words": 5}.items()
    assert results.rows["tiny/ABS printed"]["provenance"]["configuration"]["options"]["tuned"] is False
    assert how["data"] == EvaluationSet.read(request_.sets[0]).fingerprint
    assert how["model"] == model_fingerprint(request_.models / "printed")
    assert how["hardware"] == hardware() and how["seconds"] >= 0 and how["hedline"]


def test_table1_scores_recall_beside_f1_and_only_what_is_asked_for(request_: Request) -> None:
    table1.run(request_)
    few = replace(request_, preset="duc", systems=("PREFIX", "ABS printed"))
    table1.run(few)
    rows = table1.run(replace(few, systems=("ABS printed",), limit=5)).rows  # one row of fewer inputs
    assert {key for key in rows if "(duc)" in key} == {"tiny (duc)/PREFIX", "tiny (duc)/ABS printed"}
    assert "tiny/ABS+ printed" in rows and rows["tiny (duc)/PREFIX"]["score"] == "R"
    assert rows["tiny (duc)/PREFIX"]["bytes"] <= 75 and rows["tiny (duc)/ABS printed"]["items"] == 5
    f1, recall = (section.grid for section in table1.render(rows))
    assert f1 is not None and recall is not None
    assert f1[0][1] == "ROUGE-1 F1" and recall[0][1] == "ROUGE-1 recall"
    labels = [row[0] for row in recall]
    assert "ABS as printed, first 5" in labels and "PREFIX" in labels
    with pytest.raises(UserError, match="no system 'IRR'"):
        table1.run(replace(request_, systems=("IRR",)))
    with pytest.raises(UserError, match="preset must be one of duc, gigaword, not 'bleu'"):
        table1.run(replace(request_, preset="bleu"))


def test_prefix_row_equals_the_baseline_command(request_: Request, capsys: pytest.CaptureFixture[str]) -> None:
    rows = table1.run(replace(request_, options={"words": 5})).rows
    assert finish(["baseline", "prefix", str(request_.sets[0]), "--words", "5", "--score"]) == 0
    assert f"ROUGE-1 F1 {rows['tiny/PREFIX']['ROUGE-1']['value']:.2f}" in capsys.readouterr().out


def test_copying_features_raise_ext(request_: Request) -> None:
    rows = table1.run(request_).rows
    assert rows["tiny/ABS+ printed"]["ext"] > rows["tiny/ABS printed"]["ext"]
    assert rows["tiny/PREFIX"]["ext"] == 100


def test_what_is_measured_is_not_measured_again(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    table3.run(request_)
    calls = []
    real = decoded.headlines
    monkeypatch.setattr(decoded, "headlines", lambda *arguments: calls.append(arguments) or real(*arguments))
    table3.run(request_)
    assert calls == []
    write_model(request_.models / "bow", "bow", seed=1)  # another model: its row alone
    table3.run(request_)
    assert [model.name for model, *_ in calls] == ["bow", "bow"]  # F1 and recall
    table3.run(replace(request_, force=True))
    assert len(calls) == 2 + 2 * 5  # bow and four rows as printed, under both measures


def test_table3_extractive_row_copies_everything(request_: Request) -> None:
    rows = table3.run(request_).rows
    assert rows["tiny/beam ABS+ printed extractive"]["ext"] == 100
    assert rows["tiny/greedy ABS+ printed"]["provenance"]["configuration"]["options"]["decoder"] == "greedy"
    grid = table3.render(rows)[0].grid
    assert grid is not None and "26.67 / 6.72 / 21.70" in grid[2] and "-1.81 / -2.19 / -2.27" in grid[2]


def test_table2_measures_ngram_and_models(request_: Request) -> None:
    pytest.importorskip("torch")
    rows = table2.run(request_).rows
    assert set(rows) == {"all pairs/kn5", "all pairs/bow", "all pairs/printed"}
    ngram = rows["all pairs/kn5"]
    assert ngram["words"] == rows["all pairs/bow"]["words"] == 16 * 4
    assert 1 < ngram["closed"] < len(WORDS)
    assert ngram["provenance"]["data"] == "0123456789abcdef"


def test_table2_names_the_filter_of_its_valid_split(request_: Request) -> None:
    """Rows on filtered and on all pairs are two tables, each with its filter in the title."""
    table2.run(replace(request_, models=None))
    path = request_.data / "settings.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "subset": {"every_split": True, "min_support": 0.4}}))
    rows = table2.run(replace(request_, models=None)).rows
    half = "pairs whose lead has 40 % of the headline's content words"
    assert set(rows) == {"all pairs/kn5", f"{half}/kn5"}
    titles = [section.title for section in table2.render(rows)]
    assert [title.partition("(")[2].rstrip(")") for title in titles] == ["all pairs", half]


def test_rows_without_models_need_none(request_: Request) -> None:
    alone = replace(request_, models=None)
    assert set(table1.run(alone).rows) - WITHOUT_MODELS == {"tiny/PREFIX", "tiny/PREFIX words"}
    assert set(table2.run(alone).rows) == {"all pairs/kn5"}
    assert set(faithfulness.run(alone).rows) == {"tiny/people"}


def test_table2_says_whether_the_order_is_the_papers() -> None:
    how = {"data": "d"}
    rows = {
        f"all pairs/{key}": {"closed": value, "known": value, "words": 9, "unknown": 1, "provenance": how}
        for key, value in TABLE2.items()
    }
    text = table2.render(rows)[0].text()
    assert "With ABS as printed last, the order of the rows is the paper's." in text
    assert "ABS as printed against Bag of words: -38 % (published -38 %)" in text
    rows["all pairs/conv"] = {**rows["all pairs/conv"], "closed": 99.0, "provenance": {"data": "other"}}
    text = table2.render(rows)[0].text()
    assert "not the paper's" in text and "do not compare" in text


def test_table2_judges_our_options_beside_the_papers_attention() -> None:
    values = {"kn5": 190.0, "none": 150.0, "bow": 40.0, "conv": 34.0, "printed": 36.0, "options": 28.0}
    rows = {
        f"all pairs/{key}": {"closed": value, "known": value, "words": 9, "unknown": 1, "provenance": {"data": "d"}}
        for key, value in values.items()
    }
    text = table2.render(rows)[0].text()
    assert "With ABS as printed last, the order of the rows is not the paper's." in text
    assert "With ABS with our options last, the order of the rows is the paper's." in text
    assert "ABS with our options against Bag of words: -30 % (published -38 %)" in text


def test_faithfulness_counts_by_hand() -> None:
    leads = ["Police in Oslo arrested two men on Monday."] * 4
    outputs = [
        "Police arrest 7 men in Oslo",
        "Police arrest men in Bergen",
        "Police arrest 7 in Bergen",
        "Police arrest two",
    ]
    row = faithfulness.support(outputs, leads)
    assert (row["numbers"], row["names"], row["either"]) == (50, 50, 75)


def test_a_tagger_judges_names_beside_our_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"a": ["New Zealandander"], "b": ["U.S."], "c": ["Oslo"], "d": []}
    monkeypatch.setattr(faithfulness, "names_by_tagger", found.__getitem__)
    leads = ["Ministers of New Zealand met.", "The US army left.", "Police in Bergen said so.", "Rain fell."]
    assert faithfulness.tagged(list(found), leads) == 50.0  # a and c

    def missing(text: str) -> list[str]:
        raise UserError("no parser")

    monkeypatch.setattr(faithfulness, "names_by_tagger", missing)
    assert faithfulness.tagged(list(found), leads) is None


def test_faithfulness_rows(request_: Request) -> None:
    rows = faithfulness.run(request_).rows
    assert set(rows) == {f"tiny/{name}" for name in ("ABS printed", "ABS+ printed", "people")}
    assert rows["tiny/people"]["either"] == 0 and rows["tiny/people"]["ext"] == 100


def test_figure_and_examples(request_: Request) -> None:
    sections = reproduce("figure1", request_) + reproduce("examples", request_)
    text = "\n".join(section.text() for section in sections)
    assert "russia calls for joint front against terrorism" in text
    assert "ours, ABS+ as printed" in text and "**I(11):**" in text
    write_pictures(request_.results)
    assert (request_.results / "figure1-abs+-printed.svg").read_text().startswith("<svg")
    row = Results(request_.results, "figure1").rows["ABS printed"]
    alignment = np.array(row["alignment"])
    assert alignment.shape == (len(row["tokens"]), len(row["source"]))


def test_all_passes_over_what_cannot_run(request_: Request, capsys: pytest.CaptureFixture[str]) -> None:
    sections = reproduce("all", replace(request_, data=None))
    assert "table2: passed over" in capsys.readouterr().err
    assert any("ROUGE on tiny" in section.title for section in sections)


def test_report_is_checked_for_staleness(request_: Request, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reproduction.md"
    with pytest.raises(UserError, match="run `hedline reproduce report`"):
        write_report(request_.results, page, check=True)
    write_report(request_.results, page)
    write_report(request_.results, page, check=True)
    table1.run(request_)
    with pytest.raises(UserError, match="is not what"):
        write_report(request_.results, page, check=True)
    write_report(request_.results, page)
    assert "table1, tiny/ABS+ printed" in page.read_text() and "| PREFIX |" in page.read_text()


def test_report_without_results_shows_the_published_numbers(tmp_path: Path) -> None:
    text = report(tmp_path)
    for row in TABLE1.values():
        assert row.duc is None or f"{row.duc[0]:.2f}" in text
    assert all(f"{value:.1f}" in text for value in TABLE2.values())
    assert all(f"{values[1]:.2f}" in text for values in TABLE3.values())
    assert "not measured yet" in text and "Nothing has been measured yet." in text


def test_committed_report_is_what_the_committed_results_give() -> None:
    checkout = Path(__file__).resolve().parents[2]
    write_report(checkout / "results", checkout / "docs" / "reproduction.md", check=True)


def test_commands(request_: Request, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = request_.results.parent
    monkeypatch.chdir(folder)
    given = ["--models", "models", "--set", "tiny.jsonl", "--words", "4", "--beam", "2", "--limit", "3"]
    assert finish(["reproduce", "table1", *given]) == 0
    assert "ROUGE on tiny" in capsys.readouterr().out
    assert finish(["reproduce", "table1", "--markdown"]) == 0  # stored rows, nothing decoded
    assert "| ABS+ as printed |" in capsys.readouterr().out
    assert finish(["reproduce", "report"]) == 0
    assert finish(["reproduce", "report", "--check"]) == 0
    assert (folder / "docs" / "reproduction.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["table9"], "no experiment"),
        (["table1", "--check"], "belongs to"),
        (["table1", "--models", "nowhere"], "nowhere is no folder"),
        (["table2", "--models", "models"], "needs --data"),
        (["table3", "--models", "models"], "needs --set"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], says: str, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(request_.results.parent)
    with pytest.raises(UserError, match=says):
        run(["reproduce", *arguments])


def test_foreign_files_in_results_are_refused(tmp_path: Path) -> None:
    (tmp_path / "table1.json").write_text("[1, 2]")
    with pytest.raises(UserError, match="does not hold results"):
        Results(tmp_path, "table1")


def test_rows_are_kept_by_identity(tmp_path: Path) -> None:
    results = Results(tmp_path, "table1")
    who = identity({"a": 1}, "data", "model", 3)
    results.put("row", {"value": 1.5}, who, 0.25)
    again = Results(tmp_path, "table1")
    assert again.has("row", who) and again.rows["row"]["value"] == 1.5
    assert not again.has("row", identity({"a": 2}, "data", "model", 3))
    assert not again.has("other", who)


def test_tables_in_two_forms() -> None:
    grid = [["System", "R-1"], ["a|b", "9.50"]]
    assert as_text(grid) == "System   R-1\n------------\na|b     9.50"
    assert as_markdown(grid) == "| System | R-1 |\n| --- | ---: |\n| a\\|b | 9.50 |"


def test_every_experiment_renders_without_rows() -> None:
    for experiment in EXPERIMENTS.values():
        assert all(section.text() and section.markdown() for section in experiment.render({}))


def test_prefix_of_table1_has_75_bytes(tmp_path: Path) -> None:
    lead = "Engineers will close the northern harbour bridge of Larkwater for sixteen months of repairs from Monday."
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"lead": lead, "references": ["Bridge closes for repairs"]}) + "\n")
    row = table1.run(Request(results=tmp_path / "results", sets=(path,))).rows["long/PREFIX"]
    assert len(lead) > 85 and row["bytes"] == 75


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tuning.json", "vocab.output.txt"])
def test_a_models_fingerprint_covers_all_that_decides_its_headlines(request_: Request, name: str) -> None:
    folder = request_.models / "printed"
    before = model_fingerprint(folder)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content + b" ")
    assert model_fingerprint(folder) != before
    (folder / name).write_bytes(content)
    assert model_fingerprint(folder) == before


def test_code_that_is_not_committed_measures_only_when_told(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "commit", lambda: "0123456789ab+")
    with pytest.raises(UserError, match="--allow-dirty"):
        reproduce("table3", request_)
    reproduce("table3", Request(results=request_.results))  # stored rows measure nothing
    reproduce("table3", replace(request_, allow_dirty=True))
    how = Results(request_.results, "table3").rows["tiny/greedy ABS+ printed"]["provenance"]
    assert how["dirty"] is True and how["commit"].endswith("+")


def test_rows_say_what_the_search_used_and_the_training_seed(request_: Request) -> None:
    path = request_.models / "printed" / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, "training": {"config": {"seed": 7}}}))
    rows = table1.run(request_).rows
    how = rows["tiny/ABS+ printed"]["provenance"]
    assert how["seed"] == 7 and how["dirty"] is False
    assert how["configuration"]["decoding"]["weights"]["unigram"] == 5.0
    assert how["configuration"]["decoding"]["beam"] == 2
    assert rows["tiny/ABS printed"]["provenance"]["configuration"]["decoding"]["weights"] == {"log_prob": 1.0}
    assert rows["tiny/PREFIX"]["provenance"]["seed"] is None


def test_a_number_from_a_training_log_names_the_machine_of_the_training(request_: Request) -> None:
    pytest.importorskip("torch")
    folder = request_.models / "bow"
    config = json.loads((folder / "config.json").read_text())
    history = [{"epoch": 1, "valid": 9.0, "valid_known": 8.0, "seconds": 3.5}]
    training = {"data": "0123456789abcdef", "device": "Some GPU", "torch": "2.0", "history": history}
    (folder / "config.json").write_text(json.dumps({**config, "training": training}))
    (folder / "model.safetensors").unlink()
    row = table2.run(request_).rows["all pairs/bow"]
    assert row["closed"] == 9.0
    assert (row["provenance"]["hardware"], row["provenance"]["seconds"]) == ("Some GPU", 3.5)
    assert "log" in row["provenance"]["measured_by"]


def test_both_models_called_abs_have_rows_and_only_the_printed_ones_the_papers_numbers(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped model stands in for `options`; ABS+ needs tuned weights."""
    shipped = write_model(request_.results.parent / "shipped", "attention", seed=2)
    monkeypatch.setattr(record, "SHIPPED", {"options": "abs"})
    monkeypatch.setattr(record, "find_model", lambda name: shipped)
    rows = table1.run(request_).rows
    assert {"tiny/ABS printed", "tiny/ABS+ printed", "tiny/ABS options"} <= set(rows)
    assert "tiny/ABS+ options" not in rows  # no tuning.json
    models = [rows[f"tiny/ABS {which}"]["provenance"]["model"] for which in ("printed", "options")]
    assert models == [model_fingerprint(request_.models / "printed"), model_fingerprint(shipped)]
    grid = {line[0]: line for line in table1.render(rows)[0].grid or []}
    assert "30.88 / 12.22 / 27.77" in grid["ABS as printed"]
    assert "30.88 / 12.22 / 27.77" not in grid["ABS with our options"]


@pytest.mark.parametrize(
    ("first", "says"),
    [(0, "tuned on inputs of this very table"), (11, "inputs of this very table"), (12, "tuned on other inputs")],
)
def test_table3_says_when_its_weights_were_tuned_on_its_inputs(request_: Request, first: int, says: str) -> None:
    path = request_.models / "printed" / "tuning.json"
    tuning = {"set": {"name": "tiny.jsonl", "inputs": 500}, "settings": {"skip": first}}
    path.write_text(json.dumps(json.loads(path.read_text()) | tuning))
    section = table3.render(table3.run(request_).rows)[0]
    assert any(says in note for note in section.notes)


def test_a_stale_picture_makes_the_report_stale(request_: Request, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reproduction.md"
    table1.run(request_)
    write_report(request_.results, page)
    assert "![Table 1: ROUGE on tiny](../results/table1-tiny.svg)" in page.read_text()
    write_report(request_.results, page, check=True)
    (request_.results / "table1-tiny.svg").write_text("<svg/>")
    with pytest.raises(UserError, match=r"table1-tiny\.svg is not what"):
        write_report(request_.results, page, check=True)


def test_the_report_shows_no_picture_that_is_not_drawn(
    request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quality without a stored benchmark has no picture of speed."""
    monkeypatch.setattr(quality, "MODELS", ("abs",))
    monkeypatch.setattr(quality, "find_model", lambda name: request_.models / "printed")
    monkeypatch.setattr(quality, "history", lambda model: [])
    reproduce("quality", request_)
    page = tmp_path / "docs" / "reproduction.md"
    write_report(request_.results, page)
    assert "The shipped models on tiny, F1" in page.read_text()
    assert quality.SPEED_PICTURE not in page.read_text()
