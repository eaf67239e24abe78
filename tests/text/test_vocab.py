"""Vocabularies: read back as written, damaged ones refused."""

from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.text.vocab import SPECIALS, UNKNOWN, Vocabulary


def test_vocabulary_is_read_back_with_odd_words(tmp_path: Path) -> None:
    vocabulary = Vocabulary.of(["the", "l’été", "naïve", "#,###", "```"])
    vocabulary.save(tmp_path / "v.txt")
    assert Vocabulary.load(tmp_path / "v.txt") == vocabulary
    assert vocabulary.encode(["the", "never"]) == [4, UNKNOWN]
    assert vocabulary.decode([3, 4]) == ["</s>", "the"]
    assert (
        "the" in vocabulary and len(vocabulary) == 9 and vocabulary.word(4) == "the" and vocabulary.id("x") == UNKNOWN
    )


@pytest.mark.parametrize("word", ["a\u2028b", "c\x85d", "e\rf", "g\x1bh"])
def test_words_that_no_headline_may_print_are_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(UserError, match="no headline may print"):
        Vocabulary.of(["the", word]).save(tmp_path / "v.txt")
        Vocabulary.load(tmp_path / "v.txt")


def test_equal_counts_are_in_alphabetical_order_and_specials_cannot_return() -> None:
    counts = [("b", 2), ("a", 2), ("c", 9), ("rare", 1), ("<unk>", 50)]
    assert list(Vocabulary.build(counts, 2)) == [*SPECIALS, "c", "a", "b"]
    assert list(Vocabulary.build(counts, 1, limit=2)) == [*SPECIALS, "c", "a"]


@pytest.mark.parametrize("text", ["", "the\na\n", "<pad>\n<unk>\n<s>\n</s>\nthe\nthe\n"])
def test_damaged_vocabularies_are_sentences(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(UserError, match=r"v\.txt is damaged"):
        Vocabulary.load(tmp_path / "v.txt")
    with pytest.raises(UserError, match="cannot read the vocabulary"):
        Vocabulary.load(tmp_path / "missing.txt")
