"""`hedline tune-decoding`: what it prints, and its mistakes."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from hedline.cli.main import build_app


def test_the_command_and_its_mistakes(home: Path) -> None:
    app, model, path = build_app(["tune-decoding", "tune"]), str(home / "model"), str(home / "set.jsonl")
    shown = CliRunner().invoke(app, ["tune-decoding", model, path, "--limit", "6", "--workers", "1"])
    assert shown.exit_code == 0, shown.output
    assert "Kept, and written to" in shown.output
    for arguments, message in (
        (["--objective", "bleu"], "chosen by ROUGE"),
        (["--preset", "none"], "preset must be one of duc, gigaword, not 'none'"),
    ):
        failed = CliRunner().invoke(app, ["tune-decoding", model, path, *arguments])
        assert message in str(failed.exception)
