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
from hedline.experiments import decoded, faithfulness, table1, table2, table3
from hedline.experiments.grid import as_markdown, as_text
from hedline.experiments.published import TABLE1, TABLE2, TABLE3
from hedline.experiments.record import Results, hardware, identity, model_fingerprint
from hedline.experiments.reproduce import EXPERIMENTS, report, reproduce, write_report
from hedline.experiments.request import EvaluationSet, Request


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    """Models attention and bow, a set, a data folder, an empty results folder."""
    for encoder in ("attention", "bow"):
        write_model(tmp_path / "models" / encoder, encoder)
    (tmp_path / "models" / "attention" / "tuning.json").write_text(
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
    expected = {"tiny/PREFIX", "tiny/PREFIX words", "tiny/ABS", "tiny/ABS+"}  # no recurrent models, no transformer
    assert set(results.rows) == expected
    row = json.loads((request_.results / "table1.json").read_text())["rows"]["tiny/ABS+"]
    assert row["items"] == 12 and row["ROUGE-1"]["low"] <= row["ROUGE-1"]["value"] <= row["ROUGE-1"]["high"]
    how = row["provenance"]
    assert how["configuration"]["options"] == {"beam": 2, "words": 5}
    assert results.rows["tiny/ABS"]["provenance"]["configuration"]["options"]["abstractiveness"] == 1.0
    assert how["data"] == EvaluationSet.read(request_.sets[0]).fingerprint
    assert how["model"] == model_fingerprint(request_.models / "attention")
    assert how["hardware"] == hardware() and how["seconds"] >= 0 and how["hedline"]


def test_prefix_row_equals_the_baseline_command(request_: Request, capsys: pytest.CaptureFixture[str]) -> None:
    rows = table1.run(replace(request_, options={"words": 5})).rows
    assert finish(["baseline", "prefix", str(request_.sets[0]), "--words", "5", "--score"]) == 0
    assert f"ROUGE-1 F1 {rows['tiny/PREFIX']['ROUGE-1']['value']:.2f}" in capsys.readouterr().out


def test_copying_features_raise_ext(request_: Request) -> None:
    rows = table1.run(request_).rows
    assert rows["tiny/ABS+"]["ext"] > rows["tiny/ABS"]["ext"]
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
    assert [model.name for model, *_ in calls] == ["bow"]
    table3.run(replace(request_, force=True))
    assert len(calls) == 1 + len(table3.ROWS)


def test_table3_extractive_row_copies_everything(request_: Request) -> None:
    rows = table3.run(request_).rows
    assert rows["tiny/beam ABS+ extractive"]["ext"] == 100
    assert rows["tiny/greedy ABS+"]["provenance"]["configuration"]["options"]["decoder"] == "greedy"
    grid = table3.render(rows)[0].grid
    assert grid is not None and "26.67 / 6.72 / 21.70" in grid[1] and "-1.81 / -2.19 / -2.27" in grid[1]


def test_table2_measures_ngram_and_models(request_: Request) -> None:
    pytest.importorskip("torch")
    rows = table2.run(request_).rows
    assert set(rows) == {"kn5", "bow", "attention"}
    assert rows["kn5"]["words"] == rows["bow"]["words"] == 16 * 4
    assert 1 < rows["kn5"]["closed"] < len(WORDS)
    assert rows["kn5"]["provenance"]["data"] == "0123456789abcdef"


def test_rows_without_models_need_none(request_: Request) -> None:
    alone = replace(request_, models=None)
    assert set(table1.run(alone).rows) == {"tiny/PREFIX", "tiny/PREFIX words"}
    assert set(table2.run(alone).rows) == {"kn5"}
    assert set(faithfulness.run(alone).rows) == {"tiny/people"}


def test_table2_says_whether_the_order_is_the_papers() -> None:
    how = {"data": "d"}
    rows = {
        key: {"closed": value, "known": value, "words": 9, "unknown": 1, "provenance": how}
        for key, value in TABLE2.items()
    }
    text = table2.render(rows)[0].text()
    assert "With Attention-based (ABS) last, the order of the rows is the paper's." in text
    assert "Attention-based (ABS) against Bag of words: -38 % (published -38 %)" in text
    rows["conv"] = {**rows["conv"], "closed": 99.0, "provenance": {"data": "other"}}
    text = table2.render(rows)[0].text()
    assert "not the paper's" in text and "do not compare" in text


def test_table2_judges_our_options_beside_the_papers_attention() -> None:
    values = {"kn5": 190.0, "none": 150.0, "bow": 40.0, "conv": 34.0, "attention": 36.0, "best": 28.0}
    rows = {
        key: {"closed": value, "known": value, "words": 9, "unknown": 1, "provenance": {"data": "d"}}
        for key, value in values.items()
    }
    text = table2.render(rows)[0].text()
    assert "With Attention-based (ABS) last, the order of the rows is not the paper's." in text
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
    row = faithfulness.support(outputs, leads, None)
    assert (row["numbers"], row["names"], row["either"]) == (50, 50, 75)


def test_faithfulness_rows(request_: Request) -> None:
    rows = faithfulness.run(request_).rows
    assert set(rows) == {f"tiny/{name}" for name in ("ABS", "ABS+", "ABS+ guarded", "people")}
    assert rows["tiny/people"]["either"] == 0 and rows["tiny/people"]["ext"] == 100


def test_figure_and_examples(request_: Request) -> None:
    sections = reproduce("figure1", request_) + reproduce("examples", request_)
    text = "\n".join(section.text() for section in sections)
    assert "russia calls for joint front against terrorism" in text
    assert "ours, ABS+" in text and "**I(11):**" in text
    assert (request_.results / "figure1-abs+.svg").read_text().startswith("<svg")
    row = Results(request_.results, "figure1").rows["ABS"]
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
    assert "table1, tiny/ABS+" in page.read_text() and "| PREFIX |" in page.read_text()


def test_report_without_results_shows_the_published_numbers(tmp_path: Path) -> None:
    text = report(tmp_path)
    for row in TABLE1.values():
        assert row.duc is None or f"{row.duc[0]:.2f}" in text
    assert all(f"{value:.1f}" in text for value in TABLE2.values())
    assert all(f"{values[1]:.2f}" in text for values in TABLE3.values())
    assert "not built yet" in text and "Nothing has been measured yet." in text


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
    assert "| ABS+ |" in capsys.readouterr().out
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
        (["table3", "--set", "tiny.jsonl"], "needs --models"),
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
