"""Figure 4: every length is measured under both scores."""

import json
from pathlib import Path

import pytest
from small_world import write_model, write_set

from hedline.experiments import figure4
from hedline.experiments.record import Request


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    write_model(tmp_path / "models" / "options", "attention")
    (tmp_path / "models" / "options" / "tuning.json").write_text(json.dumps({"weights": {"log_prob": 1.0}}))
    return Request(tmp_path / "results", tmp_path / "models", sets=(write_set(tmp_path / "tiny.jsonl"),))


def test_figure4_measures_every_length_under_both_scores(asked, monkeypatch):
    monkeypatch.setattr(figure4, "LENGTHS", (2, 4))
    rows = figure4.run(asked).rows
    assert set(rows) == {f"tiny/{system}/{words}" for system in ("ABS", "ABS+") for words in (2, 4)}
    row = rows["tiny/ABS/4"]
    assert (row["gigaword"]["score"], row["duc"]["score"]) == ("F", "R")
    assert row["gigaword"]["words"] == 4
    assert row["provenance"]["configuration"]["options"]["tuned"] is False
    sections = figure4.render(rows)
    assert [section.title.rsplit(", ", 1)[1] for section in sections] == ["F1", "recall at 75 bytes"]
    drawn = figure4.pictures(rows)
    assert [section.picture for section in sections] == list(drawn)
    assert [chart.count("<polyline") for chart in drawn.values()] == [4, 4]
