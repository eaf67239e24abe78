"""Running benchmarks by name: options, clear mistakes, what cannot run."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from hedline.bench import BENCHES, BenchOptions, run_benches
from hedline.errors import UserError


def install(monkeypatch: pytest.MonkeyPatch, name: str, run: Any) -> None:
    module = ModuleType(f"hedline.bench.{name}")
    module.run = run  # type: ignore[attr-defined]
    module.render = lambda result: f"rendered {result}"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"hedline.bench.{name}", module)


def missing_package(limit: int = 1) -> dict[str, Any]:
    raise ModuleNotFoundError("No module named 'peer'", name="peer")


def test_unknown_names_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="no benchmark 'speed'"):
        run_benches("speed", BenchOptions())
    with pytest.raises(UserError, match="no option --model; it takes --data, --limit"):
        run_benches("text", BenchOptions(limit=5, model="m"))
    install(monkeypatch, "ngram", missing_package)
    with pytest.raises(UserError, match=r"needs peer, which is not installed: pip install '.*\[dev\]'"):
        run_benches("ngram", BenchOptions(limit=5))


def test_all_passes_over_what_cannot_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in BENCHES:
        install(monkeypatch, name, missing_package)
    with pytest.raises(UserError, match="no benchmark could run"):
        run_benches("all", BenchOptions())
    install(monkeypatch, "rouge", lambda limit=1: {"limit": limit})
    assert run_benches("all", BenchOptions(limit=3, model="m")) == {"rouge": {"limit": 3}}
    printed = capsys.readouterr()
    assert "rendered {'limit': 3}" in printed.out
    assert "hedline bench text: passed over" in printed.err
