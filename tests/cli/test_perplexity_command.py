"""`hedline perplexity`: its output, and what is missing (tests/training/test_perplexity.py has the arithmetic)."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.training import perplexity
from hedline.training.options import PerplexitySettings
from hedline.training.perplexity import Perplexity


def test_text_and_json_say_the_same(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def measure(*arguments: Any) -> Perplexity:
        asked.append(arguments)
        return Perplexity(closed=12.5, known=10.25, words=1234, unknown=12)

    monkeypatch.setattr(perplexity, "perplexity_of_folder", measure)
    for more in ([], ["--json"]):
        with pytest.raises(SystemExit) as left:
            run(["perplexity", "default", "data", "--split", "test", *more])
        assert not left.value.code
    text, printed = capsys.readouterr().out.split("\n", 1)
    assert text.startswith("default on test of data: perplexity") and text.endswith("1,234 words")
    assert json.loads(printed)["words"] == 1234 and json.loads(printed)["split"] == "test"
    assert asked[0][1:] == (Path("data"), PerplexitySettings("test", "auto"))


def test_without_torch_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def no_torch(name: str, *more: Any, **others: Any) -> Any:
        if name == "hedline.training.perplexity":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return real(name, *more, **others)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    with pytest.raises(UserError, match="measuring perplexity needs torch, which is not installed"):
        run(["perplexity", "default", "data"])
