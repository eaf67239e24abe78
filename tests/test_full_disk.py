"""A disk that is full at any moment: one sentence, nothing finished is lost, and the same command then ends as if
nothing had happened. A limit on the size of files stands for the disk: writing beyond it fails in the same places."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from kills import content, write_corpus
from small_models import LEADS, words_folder

TRAIN = "train data --out {} --samples 0 --device cpu --epochs 2 --batch 32 --seed 5 --set D=16 --set H=24"


def run(home: Path, command: str, bytes_left: int | None = None) -> tuple[int, str]:
    def limit() -> None:
        if bytes_left is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, bytes_left))

    done = subprocess.run(
        [sys.executable, "-m", "hedline", *command.split()], cwd=home, preexec_fn=limit, capture_output=True, text=True,
        check=False, env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    return done.returncode, done.stderr


def one_sentence(code: int, errors: str) -> None:
    said = [line for line in errors.splitlines() if line.startswith("hedline:")]
    lines = [line for line in said if "are kept" not in line and not line.startswith("hedline: text ")]  # no notes
    assert code == 2 and len(lines) == 1 and "Traceback" not in errors, errors[-2000:]
    assert any(word in lines[0] for word in ("too large", "space")), lines


@pytest.mark.parametrize("out", ["out.txt", "out.jsonl", "out.csv"])
def test_summarize_keeps_what_is_finished(tmp_path: Path, out: str) -> None:
    words_folder(tmp_path / "model")
    (tmp_path / "leads.txt").write_text("".join(f"{LEADS[number % 3]} {number}\n" for number in range(300)))
    command = f"summarize leads.txt --model model --workers 1 --out {out}"
    assert run(tmp_path, command)[0] == 0
    whole = (tmp_path / out).read_bytes()
    (tmp_path / out).unlink()
    code, errors = run(tmp_path, command, bytes_left=len(whole) // 2)
    one_sentence(code, errors)
    assert "are kept" in errors and not (tmp_path / out).exists()
    kept = (tmp_path / f".{out}.unfinished").read_bytes()
    assert kept.count(b"\n") > 10
    assert run(tmp_path, command)[0] == 0
    assert (tmp_path / out).read_bytes() == whole
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("full")
    write_corpus(folder / "pairs.jsonl", 1200)
    assert run(folder, "prepare pairs.jsonl --out data --preset none --workers 1")[0] == 0
    assert run(folder, TRAIN.format("model"))[0] == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_prepare_goes_on(home: Path, share: float) -> None:
    largest = max(len(raw) for raw in content(home / "data").values())
    command = f"prepare pairs.jsonl --out data-{share} --preset none --workers 1"
    one_sentence(*run(home, command, bytes_left=int(share * largest)))
    assert not (home / f"data-{share}").exists()
    assert run(home, command)[0] == 0
    assert content(home / f"data-{share}") == content(home / "data")


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.9])
def test_train_keeps_the_last_good_state(home: Path, share: float) -> None:
    largest = max(len(raw) for raw in content(home / "model").values())
    out = f"model-{share}"
    one_sentence(*run(home, TRAIN.format(out), bytes_left=int(share * largest)))
    saved = (home / out / "checkpoint.safetensors").exists()
    command = f"train data --out {out} --samples 0 --device cpu --resume" if saved else TRAIN.format(out)
    code, errors = run(home, command)
    assert code == 0, errors[-1500:]
    assert content(home / out) == content(home / "model")
