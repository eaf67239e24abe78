"""The picture of the dial between copying and new words."""

import json
from pathlib import Path

import pytest
from small_world import write_model, write_set

from hedline.experiments import dial
from hedline.experiments.record import Request


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    write_model(tmp_path / "models" / "options", "attention")
    (tmp_path / "models" / "options" / "tuning.json").write_text(json.dumps({"weights": {"log_prob": 1.0}}))
    return Request(tmp_path / "results", tmp_path / "models", sets=(write_set(tmp_path / "tiny.jsonl"),))


def test_the_dial_is_drawn_for_both_models(asked, monkeypatch):
    monkeypatch.setattr(dial, "TURNS", (-1.0, 0.0, 1.0))
    monkeypatch.setattr(dial, "find_model", lambda name: asked.models / "options")
    rows = dial.run(asked).rows
    copied = [rows[f"tiny/abs/{turn}"]["ext"] for turn in ("-1", "0", "1")]
    assert copied == sorted(copied, reverse=True)
    assert "--abstractiveness" in dial.render(rows)[0].text()
    assert dial.pictures(rows)["dial-tiny.svg"].count("<polyline") == 4
