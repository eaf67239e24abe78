"""The floor plan stays small: how many files there are, how long, and how many one piece of work enters."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "house.py"
# docs/architecture.md has the numbers counted. Where a limit is passed, look first whether a module with a single user
# can live with it, or a call can go straight to where the work is done.
MOST = {"headline": 37, "prepare": 22, "train": 22, "tune": 40}
LINES_OFF = 10  # lines by which the page's median and longest module may differ: they move with every edit


@pytest.fixture(scope="module")
def house() -> dict:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, SCRIPT, "--json"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_one_piece_of_work_enters_few_files(house: dict) -> None:
    pytest.importorskip("torch")
    found = {name: len(work["files"]) for name, work in house["works"].items()}
    assert set(found) == set(MOST)
    assert {name: count for name, count in found.items() if count > MOST[name]} == {}
    assert min(found.values()) > 10  # the counting works


@pytest.mark.slow
def test_the_page_has_the_numbers_counted(house: dict) -> None:
    pytest.importorskip("torch")
    script = load_script()
    (written,) = script.BLOCK.findall(script.PAGE.read_text(encoding="utf-8"))
    *counts, _, sizes = without_functions(script.block(house)).splitlines()
    *written_counts, _, written_sizes = without_functions(written).splitlines()
    assert written_counts == counts, "run `python scripts/house.py --write`"
    assert numbers(written_sizes) == pytest.approx(numbers(sizes), abs=LINES_OFF)


@pytest.mark.slow
def test_modules_are_neither_crumbs_nor_tomes(house: dict) -> None:
    assert house["longest"][0] <= 420, house["longest"]
    assert 130 <= house["median"] <= 250  # 38,000 lines in 165 modules: fewer files are longer ones


def test_test_files_have_names_of_their_own() -> None:
    """pytest imports test files by their bare names: of two with one name, the second is never run."""
    names = [path.name for path in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_every_module_has_a_test_file_called_after_it() -> None:
    """`test_<module>….py` or `test_<package>_<module>….py`; commands have one by their own names (the next test)."""
    package = SCRIPT.parents[1] / "src" / "hedline"
    titles = [path.stem for path in Path(__file__).parent.rglob("test_*.py")]
    paths = [path.relative_to(package) for path in package.rglob("*.py") if not path.name.startswith("__")]
    names = {str(path): (path.stem, f"{path.parent}_{path.stem}") for path in paths}
    without = {path for path, known in names.items() if not any(called(name, titles) for name in known)}
    assert without == {"arrays.py", "cli/data.py"}  # names of types; several commands


def test_every_command_has_a_test_file_of_its_own() -> None:
    from hedline.cli.main import COMMANDS

    titles = [path.stem for path in (Path(__file__).parent / "cli").glob("test_*.py")]
    assert [name for name in COMMANDS if not called(name.replace("-", "_"), titles)] == []


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("house", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_functions(text: str) -> str:
    """How many functions run depends on the version of Python, which may or may not count comprehensions."""
    return re.sub(r", \d+ functions", "", text)


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def called(module: str, titles: list[str]) -> bool:
    """Whether a test file is called after a module."""
    return any(title == f"test_{module}" or title.startswith(f"test_{module}_") for title in titles)
