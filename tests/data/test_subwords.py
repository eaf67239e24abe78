"""The vocabularies of a folder as the base of new data."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedline.data.subwords import BaseVocabulary
from hedline.errors import UserError
from hedline.text.casing import Truecaser
from hedline.text.vocab import Vocabulary


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder of word vocabularies with casings."""
    for side, words in (("input", ["mayor", "lund"]), ("output", ["mayor"])):
        Vocabulary.of(words).save(tmp_path / f"vocab.{side}.txt")
    Truecaser({"lund": "Lund", "mayor": "mayor"}).save(tmp_path / "truecase.tsv")
    return tmp_path


def test_a_base_of_words(base: Path) -> None:
    opened = BaseVocabulary.open(base)
    inputs, outputs = opened.words()
    assert opened.units == "words" and len(opened.digest) == 16
    assert (len(inputs), len(outputs)) == (6, 5)


@pytest.mark.parametrize("name", ["vocab.input.txt", "vocab.output.txt", "truecase.tsv"])
def test_the_digest_covers_every_file_that_is_taken(base: Path, name: str) -> None:
    before = BaseVocabulary.open(base).digest
    path = base / name
    path.write_text(path.read_text().replace("mayor", "major"))
    assert BaseVocabulary.open(base).digest != before


def test_the_bases_spellings_are_added_and_the_datas_own_win(base: Path, tmp_path: Path) -> None:
    table = tmp_path / "new.tsv"
    Truecaser({"mayor": "Mayor", "nato": "NATO"}).save(table)
    BaseVocabulary.open(base).complete_casings(table)
    assert Truecaser.load(table).forms == {"lund": "Lund", "mayor": "Mayor", "nato": "NATO"}


def test_a_folder_without_vocabularies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no vocab\.input\.txt"):
        BaseVocabulary.open(tmp_path / "nothing")
