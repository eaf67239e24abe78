"""The features of ABS+ against the paper's own formulas, and the NAMAS variant against its scan of the input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.options import check_weights, dial
from hedline.decoding.summary import FEATURES, coverage, feature_values, read_ngrams
from hedline.decoding.word_columns import build_tables
from hedline.errors import UserError
from hedline.text.tokenize import is_content

words = st.lists(st.sampled_from(["ship", "sank", "the", "off", "crew"]), max_size=7)


def by_the_paper(y: list[str], x: list[str]) -> dict[str, float]:
    """f(y_{i+1}, x, y_c) of section 5, with its quantifiers written out."""
    places = range(len(x))
    totals = dict.fromkeys(("unigram", "bigram", "trigram", "reorder"), 0.0)
    for i, word in enumerate(y):
        for n, name in enumerate(("unigram", "bigram", "trigram")):
            totals[name] += i >= n and any(j >= n and all(y[i - k] == x[j - k] for k in range(n + 1)) for j in places)
        totals["reorder"] += i >= 1 and any(y[i - 1] == x[k] and word == x[j] for k in places for j in range(k))
    return totals


def by_namas_scan(x: list[str]) -> tuple[set, set, set]:
    """NAMAS' tables: a history of four that is read one slot too far back, and pairs marked while scanning."""
    history, ordered = [None] * 4, set()
    bigrams, trigrams, unordered = set(), set(), set()
    for j, word in enumerate(x):
        for other in x[: j + 1]:
            ordered.add((other, word))
            if (word, other) not in ordered:
                unordered.add((word, other))
        bigrams.add((history[2], word))
        trigrams.add((history[1], history[2], word))
        history = [*history[1:], word]
    return bigrams, trigrams, unordered


@given(y=words, x=words)
def test_paper_features_are_the_papers_formulas(y, x):
    values = feature_values(y, read_ngrams(x))
    assert {name: values[name] for name in by_the_paper(y, x)} == by_the_paper(y, x)


@given(y=words, x=words)
def test_namas_features_are_its_shifted_tables(y, x):
    bigrams, trigrams, unordered = by_namas_scan(x)
    values = feature_values(y, read_ngrams(x, "namas"))
    history = [None, None, *y]
    steps = [(history[i], history[i + 1], word) for i, word in enumerate(y)]
    assert values["bigram"] == sum((one, word) in bigrams for _, one, word in steps)
    assert values["trigram"] == sum(step in trigrams for step in steps)
    assert values["reorder"] == sum((one, word) in unordered for _, one, word in steps)
    assert values["length"] == len(y)


@given(y=words, x=words, variant=st.sampled_from(["paper", "namas"]))
def test_tables_add_up_to_the_values(y, x, variant):
    weights = {"bigram": 1.0, "trigram": 10.0, "reorder": 100.0}
    ngrams = read_ngrams(x, variant)
    tables = build_tables(ngrams, weights)
    none = len(tables.hot)
    total, before, history = 0.0, none + 1, tables.start
    for word in y:
        hot = tables.hot.get(word, none)
        total += float(tables.second[before, hot] + tables.third[history, hot])
        before, history = hot, int(tables.pair[before, hot])
    values = feature_values(y, ngrams)
    assert total == pytest.approx(sum(weights[name] * values[name] for name in weights))


def test_copying_in_order_is_rewarded_and_namas_rewards_skipping():
    paper, namas = (read_ngrams(["ferry", "sank", "off", "greece"], variant) for variant in ("paper", "namas"))
    copied, skipping = ["sank", "off", "greece"], ["ferry", "off"]
    assert [feature_values(copied, paper)[name] for name in ("bigram", "trigram")] == [2, 1]
    assert [feature_values(copied, namas)[name] for name in ("bigram", "trigram")] == [1, 1]  # begin + sank only
    assert feature_values(skipping, paper)["bigram"] == 0
    assert feature_values(skipping, namas)["bigram"] == 2  # begin + ferry, ferry + off


def test_extra_features():
    values = feature_values(["storm", "hits", "storm", "the", "the"], read_ngrams(["storm"]))
    assert (values["length"], values["unsupported"], values["repeat"]) == (5, 1, 1)
    assert coverage(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], np.float32)) == pytest.approx(0.5)
    assert [is_content(word) for word in ("the", ",", "'s", "storm", "12")] == [False, False, False, True, True]


def test_the_dial_favours_words_of_the_input_or_new_ones_and_no_length():
    tuned = {"log_prob": 1.0, "unigram": 2.0, "reorder": -0.5}
    assert dial(tuned, None) == tuned
    assert dial(tuned, 0.0) == tuned
    favours = [dial(tuned, turn) for turn in (-1.0, -0.5, 0.5, 1.0)]
    copied = [each["unigram"] - tuned["unigram"] for each in favours]
    assert copied == sorted(copied, reverse=True)
    for each, gain in zip(favours, copied, strict=True):
        # A headline that copies as many words as usual gains nothing: 0.9 of its words win what all of them pay.
        assert 0.9 * gain + each["length"] == pytest.approx(0.0)
        assert (each["log_prob"], each["reorder"]) == (1.0, -0.5)


def test_an_unknown_feature_is_named():
    with pytest.raises(UserError, match="no feature is called 'quadgram'"):
        check_weights({"quadgram": 1.0})
    assert set(check_weights(dict.fromkeys(FEATURES, 0.5))) == set(FEATURES)
