"""scripts/peaks.py: odd inputs and hostile folders stay small and quick."""

from __future__ import annotations

from pathlib import Path

import pytest
from peaks import HOSTILE, hostile_folder, measure, odd_inputs


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_folder_costs_little(tmp_path: Path, what: str) -> None:
    (tmp_path / "one.txt").write_text("A storm closes the bridge.\n")
    peak = measure(["summarize", "one.txt", "--model", str(hostile_folder(tmp_path, what))], tmp_path)
    assert peak.code == 2 and peak.megabytes < 100 and peak.seconds < 2


@pytest.mark.slow
def test_odd_inputs_take_bounded_memory(tmp_path: Path) -> None:
    for what, arguments in odd_inputs(tmp_path):
        peak = measure(["summarize", *arguments, "--model", "abs", "--workers", "1"], tmp_path)
        assert peak.megabytes < 300 and peak.code in (0, 2), what
