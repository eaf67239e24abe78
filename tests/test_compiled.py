"""A compiled module that is older than its source is not used, and one sentence says how to rebuild it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hedline.errors import as_new_as
from hedline.metrics import tokens
from hedline.runtime import kernels

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("part", [kernels, tokens])
def test_the_built_modules_are_new(part: ModuleType) -> None:
    if part.compiled is None:
        pytest.skip("the compiled modules are not built here")
    source = next(Path(part.__file__).parent.glob("*.c"))
    assert as_new_as(part.compiled, source) is part.compiled


def test_an_older_module_is_passed_over_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = ModuleType("hedline._old")
    module.pack = print
    source = tmp_path / "old.c"
    assert as_new_as(module, source) is module  # no source, as in a wheel
    source.write_text('{"pack", py_pack, METH_VARARGS, "…"},', encoding="utf-8")
    assert as_new_as(module, source) is module and capsys.readouterr().err == ""
    source.write_text('{"pack", py_pack, …}, {"unpack", py_unpack, …},', encoding="utf-8")
    assert as_new_as(module, source) is None
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "pip install -e ." in said and "hedline._old" in said


def test_a_pull_without_a_rebuild_still_prints_headlines(tmp_path: Path) -> None:
    if not kernels.available():
        pytest.skip("the compiled modules are not built here")
    shutil.copytree(ROOT / "src/hedline", tmp_path / "hedline", ignore=shutil.ignore_patterns("default", "tiny"))
    source = tmp_path / "hedline/runtime/kernels.c"
    text = source.read_text("utf-8")
    source.write_text(
        text.replace('{"pack", py_pack', '{"newer", py_newer, METH_VARARGS, "…"}, {"pack", py_pack', 1), "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "hedline", "Lund opened a new bridge on Monday after ten years.", "--model", "abs"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    assert done.stderr.count("older source") == 1 and "Traceback" not in done.stderr
