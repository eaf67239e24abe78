"""`hedline evaluate`: a table, the headlines, JSON, clear mistakes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from small_model import make_model, make_set


@pytest.fixture
def home(tmp_path: Path, monkeypatch) -> Path:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl", 12)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch, *arguments: str) -> None:
    from hedline.cli import main

    monkeypatch.setattr(sys, "argv", ["hedline", "evaluate", "model", "set.jsonl", "--workers", "1", *arguments])
    main.main()


def test_the_command_prints_a_table_and_writes_the_headlines(home: Path, monkeypatch, capsys) -> None:
    with pytest.raises(SystemExit) as exit_:
        run(monkeypatch, "--out", "out.jsonl", "--limit", "7", "--words", "6")
    assert exit_.value.code == 0
    table = capsys.readouterr().out
    assert "PREFIX" in table
    assert "against PREFIX" in table
    rows = [json.loads(line) for line in (home / "out.jsonl").read_text().splitlines()]
    assert len(rows) == 7
    assert set(rows[0]) >= {"id", "lead", "headline", "score", "tokens", "alignment", "copied", "novel", "nbest"}
    assert all(len(row["headline"].split()) <= 6 for row in rows)


def test_json_output_names_what_was_done(home: Path, monkeypatch, capsys) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "--json", "--preset", "duc", "--mode", "extractive", "--words", "3")
    result = json.loads(capsys.readouterr().out)
    assert result["inputs"] == 12
    assert result["options"]["bytes"] == 75
    assert result["systems"][0]["ext"] == 100
    assert result["systems"][0]["name"] == "model"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset", "trec"], "preset"),
        (["--mode", "poetic"], "mode must be"),
        (["--abstractiveness", "7"], "between"),
        (["--out", "set.jsonl"], "set.jsonl is read and would be written over; name another file to write"),
    ],
)
def test_a_users_mistake_is_one_sentence(home: Path, monkeypatch, capsys, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as exit_:
        run(monkeypatch, *arguments)
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_a_set_of_unknown_format_is_not_told_of_an_option_that_is_not_there(home: Path, monkeypatch, capsys) -> None:
    from hedline.cli import main

    (home / "set.txt").write_text("The mayor left.\n")
    monkeypatch.setattr(sys, "argv", ["hedline", "evaluate", "model", "set.txt"])
    with pytest.raises(SystemExit):
        main.main()
    said = capsys.readouterr().err
    assert "cannot tell the format of set.txt" in said and "--format" not in said
