"""`hedline bench`: its options and its output."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from hedline.cli.main import build_app


def test_data_file_and_json(tmp_path: Path) -> None:
    data = tmp_path / "pairs.jsonl"
    data.write_text('{"lead": "It\'s late."}\n' * 50, encoding="utf-8")
    result = CliRunner().invoke(build_app(["bench"]), ["bench", "text", "--data", str(data), "--limit", "20", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["text"]["texts"] == 20
    assert "pairs.jsonl" in result.stderr
