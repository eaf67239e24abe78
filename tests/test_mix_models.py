"""The script that makes a mean of models: mistakes in its arguments are one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts/gpu/mix_models.py"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["a:half", "b:0.5"], "the share 'half' of a is no number"),
        (["a:0.5", "b:0.6"], "the shares sum to 1.1"),
        (["a:nan", "b:0.5"], "the shares sum to nan"),
        (["a:0.5", "b:0.5"], "mix_models: "),  # there is no such folder
    ],
)
def test_a_mistake_is_one_sentence(parts: list[str], said: str, tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "out", *parts]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr
