"""Commands about data: what `stats` and `subset` print, and the mistakes they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.cli.data import stats
from hedline.cli.main import run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A small data folder; every second headline stands wholly in its lead."""
    rows = []
    for number in range(40):
        lead = f"The mayor of town {number} closed the old bridge on Monday after a long debate , officials said ."
        good, bad = f"Mayor of town {number} closed old bridge", f"Storm number {number} hits northern coast villages"
        rows.append({"lead": lead, "headline": good if number % 2 else bad})
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = tmp_path / "data"
    run_quietly(["prepare", str(pairs), "--out", str(folder), "--preset", "none", "--split", "none", "--workers", "1"])
    return folder


def run_quietly(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(arguments)
    assert left.value.code in (0, None)


def test_stats_as_text_and_as_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    stats(data)
    assert "pairs" in capsys.readouterr().out
    for asked in (["--json"], ["--format", "json"]):  # the second is an older spelling
        run_quietly(["stats", str(data), *asked])
        assert json.loads(capsys.readouterr().out)["splits"]["train"]["pairs"] == 40
