"""scripts/fuzz.py for a short time, the same inputs every time; `make fuzz` goes on for longer, guided by coverage."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import fuzz
import fuzz_targets
import pytest
from fuzz_targets import CHECKOUT, EXAMPLES, KERNELS, REFUSED, Draw, arguments

from hedline.runtime import kernels


@pytest.mark.parametrize("target", EXAMPLES)
def test_readers_give_up_with_one_sentence(target: str, tmp_path: Path) -> None:
    assert fuzz.random_run(target, 60, 60.0, tmp_path, seed=7) == 60


def test_a_reader_that_raises_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_targets, "readers", lambda: {"csv": lambda path: path.missing})
    with pytest.raises(AttributeError):
        fuzz_targets.tester("csv", tmp_path)(b"lead,headline\n")


@pytest.mark.skipif(not kernels.available(), reason="the compiled kernels are not built here")
def test_every_kernel_is_described_so_that_calls_get_through() -> None:
    built = {name for name in dir(kernels.compiled) if not name.startswith(("_", "set_"))}
    assert built == KERNELS.keys() | {"follow"}  # which takes Python's own objects: test_piece_lexicon.py has its calls
    for name, spec in KERNELS.items():
        assert any(goes_through(name, spec, seed) for seed in range(400)), name


def goes_through(name: str, spec: str, seed: int) -> bool:
    rng = random.Random(seed)
    try:
        getattr(kernels.compiled, name)(*arguments(Draw(bytes(rng.randrange(236) for _ in range(80))), spec))
    except REFUSED:
        return False
    return True


def built(folder: Path) -> dict[str, str]:
    try:
        return fuzz.build(folder, guided=False)
    except RuntimeError as error:
        pytest.skip(str(error))


def feed(environment: dict[str, str], rounds: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECKOUT / "scripts" / "fuzz.py"), "--inside", "--target", "kernels"]
    return subprocess.run(
        [*command, "--rounds", str(rounds)], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_kernels_are_clean_under_sanitizers(tmp_path: Path) -> None:
    fuzz.copy_package(tmp_path)
    done = feed(built(tmp_path), 600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


@pytest.mark.slow
def test_a_step_beyond_an_array_is_seen(tmp_path: Path) -> None:
    """The build can find what it is there for: one wrong index in a copy of the kernels."""
    fuzz.copy_package(tmp_path)
    header = tmp_path / "src" / "hedline" / "runtime" / "kernels_float.h"
    text = header.read_text()
    wrong = text.replace("for (; i < n; i++) x[i] -= shift;", "for (; i <= n; i++) x[i] -= shift;")
    assert wrong != text
    header.write_text(wrong)
    done = feed(built(tmp_path), 600)
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr
