"""Tokens, stems, n-grams, LCS and rounding, each against a plain statement of what it should be."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.metrics.bulk import lcs_length, position_masks, union_hits
from hedline.metrics.measures import bag, ngrams, overlap, round5, scores_from, skip_bigrams
from hedline.metrics.tokens import STEMMER, Tokenizer, count_words, exceptions, first_words, porter, stop_words

letters = st.lists(st.sampled_from("abcd"), max_size=12)


def test_only_ascii_letters_and_digits_make_tokens():
    tokens = Tokenizer(stem=False).joined("The U.S.-led État, 1,200 men_and $5m—CAFÉ")
    assert tokens == ["the", "u", "s", "led", "tat", "1", "200", "men", "and", "5m", "caf"]


def test_a_byte_limit_cuts_words_and_counts_leading_spaces():
    assert Tokenizer(stem=False, byte_limit=8).joined("  police kill") == ["police"]
    assert Tokenizer(stem=False, byte_limit=10).joined("police kill") == ["police", "kil"]
    assert Tokenizer(stem=False, byte_limit=2).joined("éa") == [], "é is two bytes"


def test_leading_white_space_is_a_word_to_the_word_limit():
    assert first_words(b" a b c", 2) == b"a"
    assert first_words(b"a b c", 2) == b"a b"
    assert (count_words(b" a b "), count_words(b"a b"), count_words(b"  ")) == (3, 2, 0)


def test_lines_share_the_limit_in_ngrams_but_not_in_lcs():
    tokenizer = Tokenizer(stem=False, byte_limit=6)
    assert tokenizer.joined("aaaa\nbbbb") == ["aaaa", "bb"]
    assert tokenizer.sentences("aaaa\nbbbb\ncccccccc\ndd") == [["aaaa"], ["bbbb"], ["cccccc"]]


def test_stop_words_go_before_stemming():
    assert Tokenizer(stop=True).joined("he was being painted") == ["paint"]
    assert len(stop_words()) > 500


@pytest.mark.parametrize(
    ("word", "stem"),
    [("governmental", "govern"), ("agreement", "agreem"), ("happily", "happili"), ("nationalization", "nation"),
     ("yelling", "yell"), ("controlling", "control"), ("90s", "90"), ("hopping", "hop"), ("filing", "file")],
)  # fmt: skip
def test_stems_of_the_script(word, stem):
    assert porter(word) == stem


def test_exceptions_are_found_before_the_rules():
    assert len(exceptions()) > 5000
    assert [STEMMER[word] for word in ("geese", "better", "went")] == ["goose", "well", "go"]


@given(letters, letters, st.integers(1, 4))
def test_overlap_is_the_multiset_intersection(left, right, n):
    grams = [Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1)) for x in (left, right)]
    assert overlap(ngrams(left, n), ngrams(right, n)) == sum((grams[0] & grams[1]).values())


def test_skip_bigrams_leave_out_the_last_unigram():
    assert skip_bigrams(["a"], 4, True).total == 0
    assert skip_bigrams(list("abc"), None, False).counts.keys() == {("a", "b"), ("a", "c"), ("b", "c")}
    assert skip_bigrams(list("abc"), 0, True).counts.keys() == {"a", "b", ("a", "b"), ("b", "c")}
    assert bag(["a", "a"]).counts["a"] == 2


@given(letters, letters)
def test_bit_parallel_lcs_is_the_lcs(left, right):
    @lru_cache(None)
    def lcs(i: int, j: int) -> int:
        if i == len(left) or j == len(right):
            return 0
        return lcs(i + 1, j + 1) + 1 if left[i] == right[j] else max(lcs(i + 1, j), lcs(i, j + 1))

    assert lcs_length(position_masks(left), len(left), right) == lcs(0, 0)
    counts = [Counter(left), Counter(right)]
    assert union_hits([left], [right], *counts) == lcs(0, 0), "one sentence a side: clipping never bites"


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 4000)), min_size=1, max_size=50))
def test_rounding_is_printfs(fractions):
    values = np.array([hits / count for hits, count in fractions])
    assert round5(values).tolist() == [float(f"{value:.5f}") for value in values]


def test_rounding_at_ties():
    values = np.array([0.000005, 0.000015, 0.500005, 1 / 32, 0.123455])
    assert round5(values).tolist() == [float(f"{value:.5f}") for value in values]


def test_f_is_computed_from_rounded_recall_and_precision():
    scores = scores_from(np.array([[1.0, 3.0, 7.0], [0.0, 0.0, 0.0]]))
    assert scores.tolist() == [[0.14286, 0.33333, 0.2], [0.0, 0.0, 0.0]]
