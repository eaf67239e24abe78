"""The whole pipeline under kill -9 (scripts/kills.py): what was killed and run again ends in the same bytes."""

from __future__ import annotations

import random
from pathlib import Path

import kills
import pytest


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, float]]:
    """A folder in which undisturbed runs have made data, model and tuning, and the seconds of each."""
    pytest.importorskip("torch")
    home = tmp_path_factory.mktemp("pipeline")
    return home, kills.make_whole(home)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [("prepare", 1), ("train", 2), ("tune", 3)])
def test_killed_and_run_again_gives_the_same_bytes(whole: tuple[Path, dict[str, float]], name: str, seed: int) -> None:
    home, seconds = whole
    killed, wrong = kills.attack(home, name, seconds[name], random.Random(seed), kills=2)
    assert killed
    assert not wrong
