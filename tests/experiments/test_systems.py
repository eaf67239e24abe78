"""The systems of the tables: which folder each one is, how it decodes, what its row holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError
from hedline.experiments.record import EvaluationSet, Request
from hedline.experiments.systems import System, describe, headlines, measure_row, ready, score_outputs, tuned_on

ITEMS = [
    EvaluationItem("1", "Engineers will close the harbour bridge for repairs.", ("Bridge closes for repairs",)),
    EvaluationItem("2", "The council met.", ("Council meets",)),
]


def test_a_plus_row_needs_tuned_weights(request_: Request) -> None:
    plain, plus = System("ABS", "bow"), System("ABS+", "bow", plus=True)
    folder = request_.models / "bow"
    (folder / "tuning.json").unlink(missing_ok=True)
    assert plain.find(request_) == folder and plus.find(request_) is None
    (folder / "tuning.json").write_text("{}")
    assert plus.find(request_) == folder
    assert System("PREFIX", None).find(request_) is None


def test_a_rows_own_options_stand_above_the_common_ones() -> None:
    system = System("ABS", "bow", {"beam": 3}, tuned=False)
    assert system.decode_options({"beam": 9, "words": 5}) == {
        "guard_meaning": False,
        "beam": 3,
        "words": 5,
        "tuned": False,
    }
    assert "tuned" not in System("ABS+", "bow").decode_options({})


def test_without_a_model_the_headline_is_the_beginning() -> None:
    assert headlines(None, ITEMS, {"words": 2}) == ["Engineers will", "The council"]
    assert headlines(None, ITEMS, {"beam": 9})[1] == "The council met."


def test_scores_have_intervals_and_are_told_in_words() -> None:
    scores = score_outputs(["Bridge closes for repairs", "Council meets"], ITEMS)
    assert scores["ROUGE-1"] == {"value": 100.0, "low": 100.0, "high": 100.0} and scores["score"] == "F"
    assert scores["items"] == 2 and 0 < scores["ext"] < 100
    assert "ROUGE-1 F1 100.00  [100.00, 100.00]" in describe(scores)
    assert score_outputs(["", ""], ITEMS, "duc")["score"] == "R"


def test_a_row_is_measured_once(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def write(folder: Path | None, items: list[EvaluationItem], options: dict, workers: int) -> list[str]:
        asked.append(options)
        return [item.references[0] for item in items]

    monkeypatch.setattr("hedline.experiments.systems.headlines", write)
    chosen = EvaluationSet.read(request_.sets[0])
    for request in (request_, request_, replace(request_, force=True)):
        results = request.open("table1")
        measure_row("row", System("PREFIX", None), chosen, request, results, "duc", {"more": 1})
    assert len(asked) == 2 and asked[0]["bytes"] == 75
    assert results.rows["row"]["ROUGE-1"]["value"] == 100 and results.rows["row"]["more"] == 1
    measure_row("none", System("RNN", "rnn"), chosen, request_, results, "duc")
    assert "none" not in results.rows  # its model was not built


def test_a_baseline_that_cannot_open_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ready("prefix") and not ready("ir")  # IR has to be fitted

    def missing(name: str) -> None:
        raise UserError("no parser")

    monkeypatch.setattr("hedline.experiments.systems.find_system", missing)
    assert not ready("prefix")


def test_the_inputs_that_weights_were_tuned_on_are_read_by_preset(tmp_path: Path) -> None:
    assert tuned_on(tmp_path, "duc") is None
    duc = {"set": {"name": "duc2003.jsonl.xz", "inputs": 424}, "settings": {"skip": 10}}
    own = {"set": {"name": "valid.jsonl", "inputs": 500}}
    (tmp_path / "tuning.json").write_text(json.dumps({**own, "presets": {"duc": duc}}))
    assert tuned_on(tmp_path, "duc") == {"file": "duc2003", "first": 10, "inputs": 424}
    assert tuned_on(tmp_path, "gigaword") == {"file": "valid", "first": 0, "inputs": 500}
