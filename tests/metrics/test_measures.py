"""What the metrics count: overlaps, skip bigrams, the script's rounding; BLEU against NLTK."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.metrics.measures import (
    WIDTH,
    bag,
    bleu,
    bleu_statistics,
    ngrams,
    overlap,
    round5,
    scores_from,
    skip_bigrams,
)

letters = st.lists(st.sampled_from("abcd"), max_size=12)


@given(letters, letters, st.integers(1, 4))
def test_overlap_is_the_multiset_intersection(left, right, n):
    grams = [Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1)) for x in (left, right)]
    assert overlap(ngrams(left, n), ngrams(right, n)) == sum((grams[0] & grams[1]).values())


def test_skip_bigrams_leave_out_the_last_unigram():
    assert skip_bigrams(["a"], 4, True).total == 0
    assert skip_bigrams(list("abc"), None, False).counts.keys() == {("a", "b"), ("a", "c"), ("b", "c")}
    assert skip_bigrams(list("abc"), 0, True).counts.keys() == {"a", "b", ("a", "b"), ("b", "c")}
    assert bag(["a", "a"]).counts["a"] == 2


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


def test_equals_nltk():
    from nltk.translate.bleu_score import corpus_bleu

    rng = random.Random(1)

    def text():
        return [rng.choice("abcde") for _ in range(rng.randint(5, 14))]

    cases = [(text(), [text() for _ in range(3)]) for _ in range(40)]
    summed = np.sum([bleu_statistics(*case) for case in cases], axis=0)
    assert summed.shape == (WIDTH,)
    expected = corpus_bleu([case[1] for case in cases], [case[0] for case in cases])
    assert float(bleu(summed)) == pytest.approx(expected, abs=1e-9)


def test_no_match_of_some_order_is_zero():
    assert float(bleu(bleu_statistics(["a", "b"], [["a", "b"]]))) == 0.0
    assert float(bleu(bleu_statistics([], [["a"]]))) == 0.0
