"""Minimum-Bayes-risk choice: expected overlap against brute force, ties, and its place in the search."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import pytest
from decoding_fakes import TableScorer
from hypothesis import given, settings
from hypothesis import strategies as st

from hedline.api import Summarizer
from hedline.decoding.consensus import CANDIDATES, TEMPERATURE, by_consensus, expected_overlap
from hedline.decoding.engine import Defaults
from hedline.decoding.features import ABS_WEIGHTS
from hedline.decoding.summary import Hypothesis, no_alignment
from hedline.decoding.word_engine import WordReader
from hedline.errors import UserError
from hedline.text.truecase import Truecaser
from hedline.text.vocab import Vocabulary

WORDS = ["Mayor", "mayor", "quits", "Lund", "the", "Å", "12"]
VOCABULARY = Vocabulary.of(["the", "mayor", "of", "town", "quits", "after", "vote", "council", "backs", "bridge"])
TEXTS = ["The mayor of the town quits after a vote", "The council of Zorp backs the bridge after the vote"]


def hypothesis(text: str, key: float) -> Hypothesis:
    return Hypothesis(text, key, tuple(text.split()), {}, no_alignment(), (), key)


def overlap(left: str, right: str) -> float:
    """The definition, word by word: mean of the F1 of words and of the F1 of pairs of words."""
    sides = [re.sub(r"[^\w\s]", " ", text.lower()).split() for text in (left, right)]
    total = 0.0
    for size in (1, 2):
        first, second = (Counter(tuple(side[i : i + size]) for i in range(len(side) - size + 1)) for side in sides)
        shared = sum(min(count, second[gram]) for gram, count in first.items())
        both = sum(first.values()) + sum(second.values())
        total += 2 * shared / both if both else 0.0
    return total / 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.floats(-9, 0)),
        min_size=1,
        max_size=7,
    ),
    st.sampled_from([0.1, 1.0, 5.0]),
)
def test_expected_overlap_is_the_weighted_sum_over_all_pairs(candidates, temperature):
    texts, keys = [text for text, _ in candidates], [key for _, key in candidates]
    votes = [math.exp(key / temperature) for key in keys]
    wanted = [
        sum(vote * overlap(text, other) for vote, other in zip(votes, texts, strict=True)) / sum(votes)
        for text in texts
    ]
    assert np.allclose(expected_overlap(texts, keys, temperature), wanted, atol=1e-9)


def test_the_candidate_the_others_agree_with_comes_first():
    lonely = hypothesis("Zorp wins cup final", -1.0)
    agreeing = [hypothesis("Mayor of Lund quits", -1.1), hypothesis("Lund mayor quits", -1.2)]
    middle = hypothesis("Mayor of Lund quits post", -1.3)
    ranked = by_consensus([lonely, *agreeing, middle])
    assert ranked[0].text == "Mayor of Lund quits"
    assert ranked[-1] is lonely
    assert sorted(each.text for each in ranked) == sorted(each.text for each in [lonely, *agreeing, middle])


def test_a_confident_model_is_not_overruled():
    sure = hypothesis("Zorp wins cup final", -1.0)
    others = [hypothesis("Lund mayor quits", -9.0), hypothesis("Mayor of Lund quits", -9.0)]
    assert by_consensus([sure, *others])[0] is sure


def test_ties_keep_the_order_of_the_keys():
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    same_words = [hypothesis(text, -1.0 - place) for place, text in enumerate(("Lund wins", "LUND wins", "lund wins"))]
    assert by_consensus(same_words) == same_words
    strangers = [hypothesis(word, -2.0) for word in words]
    assert by_consensus(strangers) == strangers
    nothing = [hypothesis("…", -1.0), hypothesis("—", -2.0)]
    assert by_consensus(nothing) == nothing
    assert by_consensus([]) == []


def model(seed: int, rerank: str = "none") -> Summarizer:
    reader = WordReader(VOCABULARY, VOCABULARY, Truecaser())
    return Summarizer(TableScorer(len(VOCABULARY), seed=seed), reader, Defaults(ABS_WEIGHTS, 1.0, rerank=rerank))


@pytest.mark.parametrize(
    "limit", [{}, {"words": 4}, {"exact_words": 5}, {"bytes": 25, "fill": 0.8}, {"mode": "extractive", "chars": 30}]
)
@pytest.mark.parametrize("seed", range(4))
def test_reranking_only_reorders_what_the_same_search_finds(seed, limit):
    plain = model(seed).summarize(TEXTS, nbest=CANDIDATES, beam=CANDIDATES, **limit)
    chosen = model(seed).summarize(TEXTS, nbest=CANDIDATES, beam=CANDIDATES, rerank="mbr", **limit)
    for before, after in zip(plain, chosen, strict=True):
        texts = [each.text for each in before.nbest]
        assert sorted(texts) == sorted(each.text for each in after.nbest)
        expected = expected_overlap(texts, [each.key for each in before.nbest], TEMPERATURE)
        assert after.text == texts[int(np.argmax(expected.round(9)))]
        assert after.nbest[0].text == after.text


def test_one_headline_is_the_first_of_the_reranked_list():
    for seed in range(6):
        alone = model(seed).summarize(TEXTS, rerank="mbr")
        assert [each.text for each in alone] == [each.text for each in model(seed).summarize(TEXTS, rerank="mbr")]
        assert [each.text for each in alone] == [model(seed)(text, rerank="mbr") for text in TEXTS]


def test_the_models_default_and_how_to_switch_it_off():
    seeds = range(12)
    plain = [each.text for seed in seeds for each in model(seed).summarize(TEXTS)]
    chosen = [each.text for seed in seeds for each in model(seed).summarize(TEXTS, rerank="mbr")]
    assert plain != chosen
    assert [each.text for seed in seeds for each in model(seed, "mbr").summarize(TEXTS)] == chosen
    assert [each.text for seed in seeds for each in model(seed, "mbr").summarize(TEXTS, rerank="none")] == plain


@pytest.mark.parametrize("how", [{"decoder": "greedy"}, {"beam": 1}, {"decoder": "exact", "words": 2}])
def test_searches_without_a_beam_are_left_alone(how):
    texts = TEXTS[:1]
    assert model(3).summarize(texts, rerank="mbr", **how)[0].text == model(3).summarize(texts, **how)[0].text


def test_an_unknown_way_is_a_sentence():
    with pytest.raises(UserError, match="rerank must be one of none, mbr"):
        model(0)("A text of several words is here.", rerank="best")
