"""Table 1: a row for each system, with what it was measured under."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_world import write_model

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.experiments import faithfulness, record, table1, table2
from hedline.experiments.record import EvaluationSet, Request, hardware, model_fingerprint

pytestmark = pytest.mark.usefixtures("committed")

WITHOUT_MODELS = {"tiny/Trimmer"}  # runs wherever its parser is installed


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


def test_rows_without_models_need_none(request_: Request) -> None:
    alone = replace(request_, models=None)
    assert set(table1.run(alone).rows) - WITHOUT_MODELS == {"tiny/PREFIX", "tiny/PREFIX words"}
    assert set(table2.run(alone).rows) == {"all pairs/kn5"}
    assert set(faithfulness.run(alone).rows) == {"tiny/people"}


def test_prefix_of_table1_has_75_bytes(tmp_path: Path) -> None:
    lead = "Engineers will close the northern harbour bridge of Larkwater for sixteen months of repairs from Monday."
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"lead": lead, "references": ["Bridge closes for repairs"]}) + "\n")
    row = table1.run(Request(results=tmp_path / "results", sets=(path,))).rows["long/PREFIX"]
    assert len(lead) > 85 and row["bytes"] == 75


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
