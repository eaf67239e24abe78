"""Word counts that spill to disk, and vocabularies made of them."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.data.words import WordCounter, automatic_min_count
from hedline.errors import UserError
from hedline.text.vocab import SPECIALS, UNKNOWN, Vocabulary

WORDS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=4)


@given(st.lists(st.lists(WORDS, max_size=12), max_size=8), st.integers(1, 6))
def test_spilt_counts_equal_plain_ones(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]], room: int
) -> None:
    counter = WordCounter(tmp_path_factory.mktemp("runs"), "words", max_types=room)
    for part in parts:
        counts = Counter(part)
        counter.add(counts.keys(), counts.values())
    expected = Counter(word for part in parts for word in part)
    assert list(counter.items()) == sorted(expected.items())
    assert counter.types() == len(expected)


def test_zero_counts_are_no_types(tmp_path: Path) -> None:
    counter = WordCounter(tmp_path, "words")
    counter.add(["a", "b"], [0, 2])
    assert list(counter.items()) == [("b", 2)]


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


def test_small_corpora_get_a_lower_threshold() -> None:
    assert [automatic_min_count(pairs) for pairs in (100, 10_000, 100_000, 2_000_000)] == [1, 2, 3, 5]
