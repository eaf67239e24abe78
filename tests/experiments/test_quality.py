"""The shipped models' own numbers."""

import json
from pathlib import Path

import pytest
from small_world import write_model, write_set

from hedline.experiments import quality
from hedline.experiments.evaluate import decode_set, evaluate_outputs
from hedline.experiments.record import EvaluationSet, Request


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    write_model(tmp_path / "models" / "options", "attention")
    (tmp_path / "models" / "options" / "tuning.json").write_text(json.dumps({"weights": {"log_prob": 1.0}}))
    return Request(tmp_path / "results", tmp_path / "models", sets=(write_set(tmp_path / "tiny.jsonl"),))


def test_quality_is_what_evaluate_says_and_its_speed_a_multiple_of_the_peer(asked, monkeypatch):
    folder = asked.models / "options"
    monkeypatch.setattr(quality, "find_model", lambda name: folder)
    rows = quality.run(asked).rows
    assert set(rows) == {f"tiny/{preset}/{model}" for preset in ("gigaword", "duc") for model in quality.MODELS}
    items = EvaluationSet.read(asked.sets[0]).items
    outputs = [summary.text for summary in decode_set(str(folder), items, {})[0]]
    expected = evaluate_outputs("abs", outputs, items)["systems"][0]["ROUGE-1"]["value"]
    assert quality.systems(rows["tiny/gigaword/abs"])["model"]["ROUGE-1"]["value"] == pytest.approx(expected, abs=1e-3)
    measured = {"hedline abs": 30.0, "hedline abs, beam 5": 20.0, "t5-small": 10.0, "distilbart": 4.0}
    ours = {name: {} for name in measured if name.startswith("hedline")}
    bench = {"decode": {"runs": [{"sentences_per_second": {"1": measured}, "models": ours}]}}
    (asked.results / "bench-decode-abs.json").write_text(json.dumps(bench))
    points, marks = quality.speeds({"test/gigaword/abs": rows["tiny/gigaword/abs"]}, asked.results)
    assert points == {"abs": (3.0, pytest.approx(expected, abs=1e-3))}
    assert marks == {"t5-small": 1.0, "distilbart": 0.4}
