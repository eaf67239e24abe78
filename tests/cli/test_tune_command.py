"""`hedline tune`: a user's mistakes are sentences."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "set.jsonl"], "no model folder at nowhere; check the name"),
        (["model", "nowhere.jsonl"], "nowhere.jsonl"),
        (["model", "set.jsonl", "--objective", "meteor"], "cannot read the objective"),
        (["model", "set.jsonl", "--bounds", "reorder"], "cannot read the bound"),
        (["model", "set.jsonl", "--bounds", "magic=1"], "no feature is called 'magic'"),
        (["model", "set.jsonl", "--preset", "trec"], "preset"),
        (["model", "set.jsonl", "--mode", "poetic"], "mode must be"),
    ],
)
def test_a_users_mistake_is_one_sentence(home: Path, arguments: list[str], message: str, monkeypatch, capsys) -> None:
    from hedline.cli import main

    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "argv", ["hedline", "tune", *arguments, "--limit", "5", "--workers", "1"])
    with pytest.raises(SystemExit) as exit_:
        main.main()
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert message in said and said.startswith("hedline: ") and said.count("\n") == 1
