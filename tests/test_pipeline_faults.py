"""The whole pipeline under kill -9: prepare, train and tune are killed at random moments and run again.

Each must end with the same result as a run that nobody disturbed: the same bytes of data, the same weights, the
same tuning.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.numpy import load_file

sys.path.insert(0, str(Path(__file__).resolve().parent / "tuning"))
from small_model import sentence

KILLS = 2  # of each command
SPEAKERS = ["officials", "police", "residents", "organisers", "reporters", "analysts"]
PLACES = ["coast", "valley", "capital", "island", "border", "north"]


def write_corpus(path: Path, count: int) -> None:
    """Pairs made of parts; every pair is different."""
    with path.open("w") as file:
        for number in range(count):
            lead, headline = sentence(number % 100)
            speaker, place = SPEAKERS[number // 100 % 6], PLACES[number // 600 % 6]
            lead = lead.replace("officials", speaker).replace("coastal region", f"{place} region number {number}")
            file.write(json.dumps({"lead": lead, "headline": f"{headline} in {place}"}) + "\n")


def start(home: Path, command: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "hedline", *command.split()], cwd=home, env=environment, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors[-2000:]


def undisturbed(home: Path, command: str) -> float:
    """Run to the end; how long it took."""
    begin = time.monotonic()
    finish(start(home, command))
    return time.monotonic() - begin


def disturbed(home: Path, command: Callable[[], str], seconds: float, seed: int) -> int:
    """Kill the command, and its children, at random moments of the `seconds` it needs, then let it finish.

    The first kill comes early, since a busy machine may have measured too long a time.
    command: what a user would type next. Returns how often it was killed before its end.
    """
    rng, killed = random.Random(seed), 0
    for number in range(KILLS):
        process = start(home, command())
        try:
            process.wait(timeout=rng.uniform(*((0.3, 0.95) if number else (0.1, 0.3))) * seconds)
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        finally:
            process.communicate()
    else:
        finish(start(home, command()))
    return killed


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an undisturbed run has made data, model and tuning."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("pipeline")
    write_corpus(folder / "pairs.jsonl", 3600)
    return folder


PREPARE = "prepare pairs.jsonl --out data --preset none --workers 2"
TRAIN = "train data --out model --checkpoint-minutes 0.005 --samples 0 --device cpu"
SIZES = "--epochs 3 --batch 32 --seed 5 --set D=16 --set H=24"  # --resume keeps those it began with
TUNE = "tune model data/valid.jsonl --limit 40 --beam 10 --rounds 4 --restarts 2 --workers 2"


@pytest.mark.slow
def test_prepare_killed_and_resumed_gives_the_same_bytes(home: Path) -> None:
    seconds = undisturbed(home, PREPARE)
    killed = disturbed(home, lambda: PREPARE.replace("data", "data2"), seconds, seed=1)
    assert killed
    assert content(home / "data2") == content(home / "data")
    assert not [path for path in home.iterdir() if path.name not in {"pairs.jsonl", "data", "data2"}]


@pytest.mark.slow
def test_train_killed_and_resumed_gives_the_same_weights(home: Path) -> None:
    if not (home / "data").exists():
        undisturbed(home, PREPARE)
    seconds = undisturbed(home, f"{TRAIN} {SIZES}")

    def next_command() -> str:
        saved = (home / "model2" / "checkpoint.safetensors").exists()
        return f"{TRAIN} {'--resume' if saved else SIZES}".replace("model", "model2")

    assert disturbed(home, next_command, seconds, seed=2)
    whole, pieces = load_file(home / "model" / "model.safetensors"), load_file(home / "model2" / "model.safetensors")
    assert whole.keys() == pieces.keys()
    assert all(whole[name].tobytes() == pieces[name].tobytes() for name in whole)


@pytest.mark.slow
def test_tune_killed_and_resumed_gives_the_same_weights(home: Path) -> None:
    for command, made in ((PREPARE, "data"), (f"{TRAIN} {SIZES}", "model")):
        if not (home / made).exists():
            undisturbed(home, command)
    seconds = undisturbed(home, TUNE)
    whole = json.loads((home / "model" / "tuning.json").read_text())
    (home / "model" / "tuning.json").unlink()
    assert disturbed(home, lambda: TUNE, seconds, seed=3)
    pieces = json.loads((home / "model" / "tuning.json").read_text())
    assert pieces["weights"] == whole["weights"]
    assert pieces["after"] == whole["after"]
    assert not (home / "model" / ".tuning").exists()
