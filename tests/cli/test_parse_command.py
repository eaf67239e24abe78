"""`hedline parse`: a text file becomes a CoNLL-U file."""

from __future__ import annotations

from pathlib import Path

from lead_trees import FILE, parsed
from typer.testing import CliRunner

from hedline.baselines.parses import read_conllu
from hedline.cli.main import build_app


def test_the_command_parses_a_text_file(tmp_path: Path) -> None:
    leads, out = tmp_path / "leads.txt", tmp_path / "out.conllu"
    leads.write_text("".join(f"{tree.text}\n" for tree in parsed()), encoding="utf-8")
    app = build_app(["parse", "stats"])
    done = CliRunner().invoke(app, ["parse", str(leads), "--out", str(out), "--parser", str(FILE), "--limit", "3"])
    assert done.exit_code == 0, done.output
    assert "3 parses, 3 of them new" in done.output
    assert [tree.text for tree in read_conllu(out)] == [tree.text for tree in parsed()[:3]]
