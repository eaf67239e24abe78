"""Peak memory and CPU time of odd inputs and hostile model folders, each in a process of its own.

    python scripts/peaks.py             # a Markdown table, as in docs/reliability.md
    python scripts/peaks.py --model default

Memory is the largest resident size of the process (Linux counts it in KB), Python and the model included.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import hedline

LEAD = "The city council voted on Tuesday to close the old harbour bridge for six months of repairs, officials said."
SHIPPED = Path(hedline.__file__).parent / "shipped"


class Peak(NamedTuple):
    """What one run took, seconds of CPU time, and how it ended."""

    megabytes: float
    seconds: float
    code: int


# Linux counts a child's peak from the size its parent had when it began: a small Python stands between.
WATCH = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
os.write(1, b"%d %f %d" % (usage.ru_maxrss, usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)))
"""


def measure(arguments: list[str], folder: Path) -> Peak:
    """Run `hedline` with these arguments."""
    nothing = 'exec "$@" >/dev/null 2>&1'
    command = ["/bin/sh", "-c", nothing, "sh", sys.executable, "-m", "hedline", *arguments]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", WATCH, *command], cwd=folder, capture_output=True, check=False
    )
    kilobytes, seconds, code = done.stdout.split()
    return Peak(int(kilobytes) / 1024, float(seconds), int(code))


def odd_inputs(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Names and arguments of odd texts and options."""
    (folder / "one.txt").write_text(f"{LEAD}\n")
    yield "one ordinary sentence", ["one.txt"]
    with gzip.open(folder / "line.txt.gz", "wb") as file:
        for _ in range(300):
            file.write(b"a " * 500_000)
    yield "a 300 MB line in a .gz of 0.3 MB", ["line.txt.gz"]
    (folder / "long.txt").write_text("word " * 200_000 + "\n")
    yield "a line of 1 MB", ["long.txt"]
    (folder / "odd.txt").write_text("".join(f"{chr(0x4E00 + n) * 900} {LEAD}\n" for n in range(300)))
    yield "300 lines that begin with a word of 900 letters", ["odd.txt"]
    (folder / "deep.jsonl").write_text("[" * 900_000 + "\n")
    yield "JSON nested 900,000 deep", ["deep.jsonl"]
    (folder / "none.txt").write_bytes(os.urandom(100_000))
    yield "100 KB of random bytes", ["none.txt"]
    yield "the widest beam, 2,000", ["one.txt", "--beam", "2000"]


def _replaced(name: str, how: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        how(folder / name)

    return change


def _holes(path: Path) -> None:
    size = path.stat().st_size
    head = path.open("rb").read(8 + int.from_bytes(path.open("rb").read(8), "little"))
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)


def _empty(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 28)


def _blank(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b" " * (1 << 20))


def _wide(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["architecture"]["Q"] = 1 << 20
    (folder / "config.json").write_text(json.dumps(config))


HOSTILE: dict[str, Callable[[Path], None]] = {
    "weights that are holes": lambda folder: _holes(folder / "model.safetensors"),
    "weights cut in half": lambda folder: os.truncate(folder / "model.safetensors", 1 << 20),
    "a pipe as vocabulary": _replaced("vocab.output.txt", os.mkfifo),
    "/dev/zero as vocabulary": _replaced("vocab.output.txt", lambda path: path.symlink_to("/dev/zero")),
    "a casing table of 256 MB": _replaced("truecase.tsv", _empty),
    "config.json of 200 MB": _replaced("config.json", _blank),
    "a window of a million words": _wide,
}


def hostile_folder(folder: Path, name: str) -> Path:
    """A copy of the shipped word model with something wrong."""
    model = folder / "model"
    shutil.rmtree(model, ignore_errors=True)
    shutil.copytree(SHIPPED / "abs", model)
    HOSTILE[name](model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="abs")
    wanted = parser.parse_args()
    print("| what | peak memory | CPU time | exit code |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, arguments in odd_inputs(folder):
            show(what, measure(["summarize", *arguments, "--model", wanted.model, "--workers", "1"], folder))
        for what in HOSTILE:
            model = hostile_folder(folder, what)
            show(f"model folder: {what}", measure(["summarize", "one.txt", "--model", str(model)], folder))


def show(what: str, peak: Peak) -> None:
    print(f"| {what} | {peak.megabytes:.0f} MB | {peak.seconds:.1f} s | {peak.code} |", flush=True)


if __name__ == "__main__":
    main()
