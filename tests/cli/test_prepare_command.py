"""`hedline prepare`: what it prints, once and again, and the mistakes it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_corpus import made_rows

from hedline.cli.main import run
from hedline.errors import UserError


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made_rows(60)), encoding="utf-8")
    return path


def prepare(*arguments: object) -> None:
    with pytest.raises(SystemExit) as left:
        run(["prepare", *map(str, arguments), "--preset", "none", "--workers", "1"])
    assert not left.value.code


def test_the_report_is_printed_and_a_second_run_has_nothing_to_do(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(pairs, "--out", tmp_path / "data", "--output-words", "20")
    first = capsys.readouterr()
    assert "already made" not in first.err
    assert len((tmp_path / "data" / "vocab.output.txt").read_text().splitlines()) == 24  # with the four special ones
    prepare(pairs, "--out", tmp_path / "data", "--output-words", "20")
    again = capsys.readouterr()
    assert "is already made from these files and settings; nothing to do" in again.err
    assert again.out == first.out


def test_vocabularies_of_a_data_folder_are_taken_over(pairs: Path, tmp_path: Path) -> None:
    prepare(pairs, "--out", tmp_path / "data", "--output-words", "20")
    prepare(pairs, "--out", tmp_path / "more", "--vocabulary-from", tmp_path / "data")
    taken, made = ((tmp_path / name / "vocab.output.txt").read_text() for name in ("more", "data"))
    assert taken == made


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "weekday"], "--split cannot be 'weekday'; choose from auto, none, hash, date"),
        (["--vocabulary-from", "nobody"], "there is no model 'nobody'"),
        (["--lead-words", "9"], "--lead-words takes MIN:MAX such as 5:80, not '9'"),
        (["--valid-from", "October"], "--valid-from takes a day as YYYY-MM-DD"),
    ],
)
def test_mistakes_are_sentences(pairs: Path, tmp_path: Path, options: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(["prepare", str(pairs), "--out", str(tmp_path / "data"), *options])
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("content", ["lead;headline\nThe mayor left;Mayor left\n", 'a;b\n"The mayor; a man";Mayor\n'])
def test_cells_between_semicolons_are_told_as_such(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.csv").write_text(content)
    with pytest.raises(UserError, match="its cells seem to be separated by semicolons; separate them by commas"):
        run(["prepare", str(tmp_path / "mine.csv"), "--out", str(tmp_path / "data")])
