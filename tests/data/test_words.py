"""Word counts that spill to disk."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.data.words import WordCounter, automatic_min_count

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


def test_small_corpora_get_a_lower_threshold() -> None:
    assert [automatic_min_count(pairs) for pairs in (100, 10_000, 100_000, 2_000_000)] == [1, 2, 3, 5]
