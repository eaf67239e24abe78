"""Results on disk: what was measured once is kept, with what it was measured under."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_world import write_model

from hedline.errors import UserError
from hedline.experiments import record, table1, table3
from hedline.experiments import systems as decoded
from hedline.experiments.record import Request, Results, Row, identity, model_fingerprint
from hedline.experiments.reproduce import reproduce

pytestmark = pytest.mark.usefixtures("committed")


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


def test_a_row_is_worked_out_once_and_the_work_alone_is_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(record.time, "monotonic", lambda: clock[0])

    def work() -> int:
        clock[0] += 2
        return 5

    def keep(found: int) -> Row:
        clock[0] += 40
        return {"value": found, "provenance": {"hardware": "another machine"}}

    who = identity({"a": 1}, "data")
    for force, end in ((False, 42), (False, 42), (True, 84)):
        results = Results(tmp_path, "table1", force)
        results.measure("row", who, work, keep)
        assert clock[0] == end
    how = Results(tmp_path, "table1").rows["row"]["provenance"]
    assert (how["seconds"], how["hardware"], how["data"]) == (2, "another machine", "data")


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
