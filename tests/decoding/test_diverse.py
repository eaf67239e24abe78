"""Candidates that differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import LEADS, subwords_folder, words_folder

import hedline
from hedline.decoding.consensus import overlaps
from hedline.decoding.diverse import spread
from hedline.decoding.summary import Hypothesis


def candidate(text: str, key: float = 0.0) -> Hypothesis:
    tokens = tuple(text.split())
    return Hypothesis(text, key, tokens, {}, np.zeros((len(tokens), 1), np.float32), (True,) * len(tokens), key)


def test_the_best_stays_first_and_look_alikes_go():
    texts = ["mayor closes old bridge", "mayor closes the old bridge", "bridge repairs begin", "storm hits coast"]
    chosen = spread([candidate(text) for text in texts], 3, 0.5)
    assert [each.text for each in chosen] == [texts[0], texts[2], texts[3]]


def test_where_too_few_differ_the_least_alike_follow():
    texts = ["a b c d", "a b c e", "a b f g", "a b c d h"]
    assert [each.text for each in spread([candidate(text) for text in texts], 3, 1.0)] == [texts[0], texts[2], texts[1]]


@given(
    st.lists(st.text("abc ", min_size=1, max_size=8), unique=True, max_size=8),
    st.integers(1, 6),
    st.floats(0, 1),
)
def test_as_many_as_there_are_and_never_twice(texts, count, diversity):
    chosen = [each.text for each in spread([candidate(text) for text in texts], count, diversity)]
    assert len(chosen) == min(count, len(texts)) == len(set(chosen))
    assert not texts or chosen[0] == texts[0]


def test_lists_of_a_model_spread_as_asked():
    lead = "The city council of Lund voted on Tuesday to close the old harbour bridge for six months of repairs."
    summarizer = hedline.load("abs")
    plain = summarizer.summarize([lead], nbest=3)[0].nbest
    varied = summarizer.summarize([lead], nbest=3, diversity=0.4)[0].nbest
    assert len(varied) == len(plain) == 3
    assert most_alike(varied) < most_alike(plain)


def most_alike(nbest) -> float:
    return float(np.triu(overlaps([each.text for each in nbest]), 1).max())


@pytest.mark.parametrize("make", [words_folder, subwords_folder])
def test_every_kind_of_model_gives_whole_lists(tmp_path, make):
    for found in hedline.load(make(tmp_path)).summarize(LEADS, words=6, nbest=4, diversity=0.6):
        assert len({each.text for each in found.nbest}) == 4 and found.text == found.nbest[0].text


def test_a_share_is_asked_for(tmp_path):
    with pytest.raises(hedline.UserError, match="diversity is a share between 0 and 1, not 2"):
        hedline.load(words_folder(tmp_path)).summarize(LEADS, diversity=2)
