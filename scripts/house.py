"""Counts the house: how many files there are, how long they are, and how many of them one piece of work enters.

    python scripts/house.py            # a table
    python scripts/house.py --files    # and the files each piece of work enters, in the order of entering
    python scripts/house.py --json     # the same for programs
    python scripts/house.py --write    # and puts the table of docs/architecture.md in order

A file counts as entered when one of its functions runs; what runs while modules are imported does not count. The
work is real: a headline by the default model, then prepare, train and tune on pairs made here, in this process.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "hedline"
PAGE = PACKAGE.parents[1] / "docs" / "architecture.md"
BLOCK = re.compile(r"(?<=<!-- counted by scripts/house.py --write -->\n).*?(?=<!-- end -->)", re.DOTALL)
# The tree of 249 files that this one was merged from, counted the same way.
BEFORE = {
    **{"modules": "249", "modules under 60 lines": "81", "one headline, default model": "42 files, 235 functions"},
    **{"prepare": "36 files, 168 functions", "train": "32 files, 218 functions", "tune": "64 files, 347 functions"},
}
SMALL = 60  # lines
FUNCTION = 0x2  # CO_NEWLOCALS together with CO_OPTIMIZED (1) marks functions, not modules or class bodies
SENTENCE = (
    "The city council voted on Tuesday to close the old harbour bridge for six months of repairs, officials said."
)
WHO = ["minister", "council", "court", "union", "company", "players", "farmers", "police"]
DOES = ["closes", "opens", "rejects", "backs", "delays", "reviews", "sells", "visits"]
WHAT = ["bridge", "budget", "harbour", "school", "factory", "forest", "museum", "railway"]


class Visits:
    """The functions of the package that ran, by file, in the order of first entering."""

    def __init__(self) -> None:
        self.functions: dict[CodeType, None] = {}
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """What sys.setprofile calls."""
        code = frame.f_code
        if code.co_name == "<module>" and event in ("call", "return"):
            self._importing += 1 if event == "call" else -1
        elif event == "call" and self._importing <= 0 and code.co_flags & FUNCTION and code.co_flags & 1:
            self.functions[code] = None

    @property
    def files(self) -> list[str]:
        """Files below the package, each once."""
        found = {}
        for code in self.functions:
            path = Path(code.co_filename)
            if path.is_relative_to(PACKAGE):
                found[str(path.relative_to(PACKAGE))] = None
        return list(found)

    @property
    def count(self) -> int:
        """Functions of the package that ran."""
        return sum(Path(code.co_filename).is_relative_to(PACKAGE) for code in self.functions)


@contextlib.contextmanager
def watched() -> Iterator[Visits]:
    """Note every function that runs in this thread and those started meanwhile."""
    import threading

    visits = Visits()
    threading.setprofile(visits)
    sys.setprofile(visits)
    try:
        yield visits
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def command(*arguments: str) -> Callable[[], None]:
    """A command line, run quietly in this process."""

    def run() -> None:
        from hedline.cli.main import run as hedline

        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                hedline(list(arguments))
            except SystemExit as leaving:
                if leaving.code not in (0, None):
                    raise RuntimeError(f"hedline {arguments[0]}: {said.getvalue()}") from None

    return run


def write_pairs(path: Path, count: int = 400) -> Path:
    """Pairs of our own, enough to prepare, train and tune something on."""
    rows = []
    for number in range(count):
        who, does = WHO[number % 8], DOES[number // 8 % 8]
        what = WHAT[(number * 5 + number // 8) % 8]
        lead = f"The {who} of district {number} {does} the old {what} after a long debate , officials said on Tuesday ."
        rows.append({"lead": lead, "headline": f"District {number} {who} {does} the old {what}", "date": "2020-01-01"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def works(folder: Path) -> dict[str, Callable[[], None]]:
    """The pieces of work, each leaning on the one before."""
    pairs, data, model = write_pairs(folder / "pairs.jsonl"), str(folder / "data"), str(folder / "model")
    small = ["--epochs", "1", "--batch", "32", "--set", "D=8", "--set", "H=12", "--set", "heads=2", "--device", "cpu"]
    return {
        "headline": command(SENTENCE),
        "prepare": command("prepare", str(pairs), "--out", data, "--preset", "none", "--workers", "1"),
        "train": command("train", data, "--out", model, *small),
        "tune": command("tune", model, str(pairs), "--limit", "12", "--beam", "4", "--rounds", "2", "--workers", "1"),
    }


def entered() -> dict[str, Visits]:
    """What each piece of work entered."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, work in works(Path(folder)).items():
            with watched() as found[name]:
                work()
    return found


def sizes() -> list[tuple[int, str]]:
    """(lines, file) of every module of the package, longest first; empty package markers are left out."""
    files = sorted(PACKAGE.rglob("*.py"))
    counted = [(len(path.read_text(encoding="utf-8").splitlines()), str(path.relative_to(PACKAGE))) for path in files]
    return sorted((each for each in counted if each[0] > 4), reverse=True)


def measure() -> dict[str, Any]:
    """All numbers, as plain values."""
    modules = sizes()
    works = {name: {"files": visits.files, "functions": visits.count} for name, visits in entered().items()}
    return {
        "modules": len(modules),
        "median": statistics.median(lines for lines, _ in modules),
        "longest": modules[0],
        "lines": sum(lines for lines, _ in modules),
        "small": sum(lines < SMALL for lines, _ in modules),
        "works": works,
    }


def block(house: dict[str, Any]) -> str:
    """The numbers as the page has them."""
    works = [f"{len(work['files'])} files, {work['functions']} functions" for work in house["works"].values()]
    now = [house["modules"], house["small"], *works]
    rows = [f"| {name} | {before} | {count} |\n" for (name, before), count in zip(BEFORE.items(), now, strict=True)]
    sizes = f"Median module {house['median']:.0f} lines, longest {house['longest'][0]}.\n"
    return "".join(["| | before | now |\n|---|---|---|\n", *rows, "\n", sizes])


def main() -> None:
    """Print the numbers."""
    house = measure()
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(BLOCK.sub(lambda _: block(house), page), encoding="utf-8")
    if "--json" in sys.argv:
        print(json.dumps(house))
        return
    lines, file = house["longest"]
    print(f"{house['modules']} modules, median {house['median']:.0f} lines, longest {lines} ({file}),", end=" ")
    print(f"{house['lines']:,} lines in all\n{'work':<10}{'files':>7}{'functions':>11}")
    for name, work in house["works"].items():
        print(f"{name:<10}{len(work['files']):>7}{work['functions']:>11}")
        if "--files" in sys.argv:
            print("".join(f"  {file}\n" for file in work["files"]), end="")


if __name__ == "__main__":
    main()
