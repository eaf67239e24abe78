"""Exact search: equal to brute force and to a beam that drops nothing; refuses what would not finish."""

from __future__ import annotations

import pytest
from decoding_fakes import TableScorer
from hypothesis import given, settings
from hypothesis import strategies as st
from test_search_words import EVERYTHING, TEXTS, VOCABULARY, limits, summarizer, weights
from word_oracle import Oracle

from hedline.decoding.options import DecodeOptions
from hedline.errors import UserError
from hedline.text.source import read_source

LONG = "The mayor of Zorp quits the party of 12 old friends and of the council today"


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000), text=st.sampled_from(TEXTS), limit=limits, tuned=weights,
    mode=st.sampled_from(["abstractive", "extractive", "compressive"]), penalty=st.sampled_from([0.0, 0.8]),
)  # fmt: skip
def test_exact_search_equals_brute_force(seed, text, limit, tuned, mode, penalty):
    scorer = TableScorer(len(VOCABULARY), 2, seed)
    options = DecodeOptions(**limit, mode=mode, length_penalty=penalty, decoder="exact")
    if options.fill:
        return
    expected = Oracle(scorer, read_source(text), VOCABULARY, options, dict(tuned), penalty).all()
    found = summarizer(scorer, tuned, penalty).summarize([text], options)[0]
    if expected:
        assert found.nbest[0].key == pytest.approx(expected[0][2], abs=1e-4)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), mode=st.sampled_from(["extractive", "compressive"]))
def test_exact_search_equals_a_beam_that_drops_nothing_and_is_never_worse_than_a_narrow_one(seed, mode):
    model = summarizer(TableScorer(len(VOCABULARY), 2, seed), {"log_prob": 1.0}, 0.0)
    options = DecodeOptions(exact_words=3, mode=mode)
    keys = {
        name: model.summarize([LONG], options.but(**changes))[0].nbest[0].key
        for name, changes in {
            "exact": {"decoder": "exact"},
            "all": {"beam": EVERYTHING},
            "narrow": {"beam": 2},
            "greedy": {"decoder": "greedy"},
        }.items()
    }
    assert keys["exact"] == pytest.approx(keys["all"], abs=1e-5)
    assert keys["exact"] >= keys["narrow"] - 1e-5
    assert keys["exact"] >= keys["greedy"] - 1e-5


def test_a_search_that_would_not_finish_is_refused_with_an_estimate(monkeypatch):
    monkeypatch.setattr("hedline.decoding.exact.MOST_TOTALS", 5_000)
    model = summarizer(TableScorer(len(VOCABULARY), None, 1, spread=0.1), {"log_prob": 1.0}, 0.0)
    with pytest.raises(
        UserError, match=r"an exact search here would have to follow .*10\^\d+ hypotheses; use the beam"
    ):
        model.summarize([LONG], exact_words=14, decoder="exact")
