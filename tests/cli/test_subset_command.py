"""`hedline subset`: only well-supported pairs, fewer words, and the mistakes it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedline.cli.main import run
from hedline.errors import UserError
from small_data import prepare_towns, run_quietly


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return prepare_towns(tmp_path)


def test_a_subset_keeps_supported_pairs_and_fewer_words(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = data.with_name("small")
    capsys.readouterr()
    run_quietly(["subset", str(data), "--out", str(small), "--min-support", "0.9", "--output-words", "9"])
    assert capsys.readouterr().out == f"{small}: train 20 pairs\n"
    assert len((small / "vocab.output.txt").read_text().splitlines()) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-support", "1.5"], "--min-support takes a share between 0 and 1, not 1.5"),
        (["--input-words", "2"], "--input-words must be 5 or more, not 2"),
    ],
)
def test_mistakes_are_sentences(options: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        run(["subset", str(tmp_path), "--out", str(tmp_path / "out"), *options])
