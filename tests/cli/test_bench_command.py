"""`hedline bench`: dispatch, options, clear mistakes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from hedline.cli import reproduce as bench
from hedline.cli.main import build_app
from hedline.errors import UserError


def install(monkeypatch: pytest.MonkeyPatch, name: str, run: Any) -> None:
    module = ModuleType(f"hedline.bench.{name}")
    module.run = run  # type: ignore[attr-defined]
    module.render = lambda result: f"rendered {result}"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"hedline.bench.{name}", module)


def missing_package(limit: int = 1) -> dict[str, Any]:
    raise ModuleNotFoundError("No module named 'peer'", name="peer")


def test_data_file_and_json(tmp_path: Path) -> None:
    data = tmp_path / "pairs.jsonl"
    data.write_text('{"lead": "It\'s late."}\n' * 50, encoding="utf-8")
    result = CliRunner().invoke(build_app(["bench"]), ["bench", "text", "--data", str(data), "--limit", "20", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["text"]["texts"] == 20
    assert "pairs.jsonl" in result.stderr


def test_unknown_names_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="no benchmark 'speed'"):
        bench.measure("speed", {})
    with pytest.raises(UserError, match="no option --model; it takes --data, --limit"):
        bench.measure("text", {"data": None, "limit": 5, "model": "m"})
    install(monkeypatch, "ngram", missing_package)
    with pytest.raises(UserError, match=r"needs peer, which is not installed: pip install '.*\[dev\]'"):
        bench.measure("ngram", {"limit": 5})


def test_all_passes_over_what_cannot_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in bench.BENCHES:
        install(monkeypatch, name, missing_package)
    with pytest.raises(UserError, match="no benchmark could run"):
        bench.measure("all", {})
    install(monkeypatch, "rouge", lambda limit=1: {"limit": limit})
    assert bench.measure("all", {"limit": 3, "model": "m"}) == {"rouge": {"limit": 3}}
    printed = capsys.readouterr()
    assert "rendered {'limit': 3}" in printed.out
    assert "hedline bench text: passed over" in printed.err
