"""`hedline subset`: only well-supported pairs, fewer words, and the mistakes it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.cli.data import subset
from hedline.cli.main import run
from hedline.errors import UserError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A small data folder; every second headline stands wholly in its lead."""
    rows = []
    for number in range(40):
        lead = f"The mayor of town {number} closed the old bridge on Monday after a long debate , officials said ."
        good, bad = f"Mayor of town {number} closed old bridge", f"Storm number {number} hits northern coast villages"
        rows.append({"lead": lead, "headline": good if number % 2 else bad})
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = tmp_path / "data"
    run_quietly(["prepare", str(pairs), "--out", str(folder), "--preset", "none", "--split", "none", "--workers", "1"])
    return folder


def run_quietly(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run(arguments)
    assert left.value.code in (0, None)


def test_a_subset_keeps_supported_pairs_and_fewer_words(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = data.with_name("small")
    capsys.readouterr()
    run_quietly(["subset", str(data), "--out", str(small), "--min-support", "0.9", "--output-words", "9"])
    assert capsys.readouterr().out == f"{small}: train 20 pairs\n"
    assert len((small / "vocab.output.txt").read_text().splitlines()) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 1.5}, "--min-support takes a share between 0 and 1, not 1.5"),
        ({"input_words": 2}, "--input-words must be 5 or more, not 2"),
    ],
)
def test_mistakes_are_sentences(options: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        subset(tmp_path, tmp_path / "out", **options)
