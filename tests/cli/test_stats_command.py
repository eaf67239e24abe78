"""Commands about data: what `stats` and `subset` print, and the mistakes they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from small_data import prepare_towns, run_quietly


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return prepare_towns(tmp_path)


def test_stats_as_text_and_as_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    run_quietly(["stats", str(data)])
    assert "pairs" in capsys.readouterr().out
    for asked in (["--json"], ["--format", "json"]):  # the second is an older spelling
        run_quietly(["stats", str(data), *asked])
        assert json.loads(capsys.readouterr().out)["splits"]["train"]["pairs"] == 40
