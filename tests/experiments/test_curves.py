"""Scores along a setting: every length is measured under both scores, and the dial is drawn for both models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_world import write_model, write_set

from hedline.experiments import curves
from hedline.experiments.record import Request


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    write_model(tmp_path / "models" / "options", "attention")
    (tmp_path / "models" / "options" / "tuning.json").write_text(json.dumps({"weights": {"log_prob": 1.0}}))
    return Request(tmp_path / "results", tmp_path / "models", sets=(write_set(tmp_path / "tiny.jsonl"),))


def test_figure4_measures_every_length_under_both_scores(asked, monkeypatch):
    monkeypatch.setattr(curves, "LENGTHS", (2, 4))
    rows = curves.run_figure4(asked).rows
    assert set(rows) == {f"tiny/{system}/{words}" for system in ("ABS", "ABS+") for words in (2, 4)}
    row = rows["tiny/ABS/4"]
    assert (row["gigaword"]["score"], row["duc"]["score"]) == ("F", "R")
    assert row["gigaword"]["words"] == 4
    assert row["provenance"]["configuration"]["options"]["tuned"] is False
    sections = curves.render_figure4(rows)
    assert [section.title.rsplit(", ", 1)[1] for section in sections] == ["F1", "recall at 75 bytes"]
    drawn = curves.draw_figure4(rows)
    assert [section.picture for section in sections] == list(drawn)
    assert [chart.count("<polyline") for chart in drawn.values()] == [4, 4]


def test_the_dial_is_drawn_for_both_models(asked, monkeypatch):
    monkeypatch.setattr(curves, "TURNS", (-1.0, 0.0, 1.0))
    monkeypatch.setattr(curves, "find_model", lambda name: asked.models / "options")
    rows = curves.run_dial(asked).rows
    copied = [rows[f"tiny/abs/{turn}"]["ext"] for turn in ("-1", "0", "1")]
    assert copied == sorted(copied, reverse=True)
    assert "--abstractiveness" in curves.render_dial(rows)[0].text()
    assert curves.draw_dial(rows)["dial-tiny.svg"].count("<polyline") == 4
