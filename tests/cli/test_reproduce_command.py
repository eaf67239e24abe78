"""`hedline reproduce`: tables from models, from stored rows, the report; and its mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_world import small_request

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.experiments import record
from hedline.experiments.record import Request


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """Small models of our own in a working tree that counts as committed."""
    monkeypatch.setattr(record, "commit", lambda: "0123456789ab")
    monkeypatch.setattr(record, "SHIPPED", {})
    return small_request(tmp_path)


def finish(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as caught:
        run(arguments)
    return int(caught.value.code or 0)


def test_commands(request_: Request, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = request_.results.parent
    monkeypatch.chdir(folder)
    given = ["--models", "models", "--set", "tiny.jsonl", "--words", "4", "--beam", "2", "--limit", "3"]
    assert finish(["reproduce", "table1", *given]) == 0
    assert "ROUGE on tiny" in capsys.readouterr().out
    assert finish(["reproduce", "table1", "--markdown"]) == 0  # stored rows, nothing decoded
    assert "| ABS+ as printed |" in capsys.readouterr().out
    assert finish(["reproduce", "report"]) == 0
    assert finish(["reproduce", "report", "--check"]) == 0
    assert (folder / "docs" / "reproduction.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["table9"], "no experiment"),
        (["table1", "--check"], "belongs to"),
        (["table1", "--models", "nowhere"], "nowhere is no folder"),
        (["table2", "--models", "models"], "needs --data"),
        (["table3", "--models", "models"], "needs --set"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], says: str, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(request_.results.parent)
    with pytest.raises(UserError, match=says):
        run(["reproduce", *arguments])


def test_a_folder_without_results_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert finish(["reproduce", "figure4"]) == 0
    assert "results holds no results; run this in a checkout, or measure here with --set" in capsys.readouterr().err
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "other.json").write_text("[]")
    assert finish(["reproduce", "figure4"]) == 0
    assert capsys.readouterr().err == ""
