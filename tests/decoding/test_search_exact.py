"""Exact search: equal to brute force and to a beam that drops nothing; refuses what would not finish."""

from __future__ import annotations

import math
import re

import pytest
from decoding_fakes import TableScorer
from hypothesis import given, settings
from hypothesis import strategies as st
from test_search_words import EVERYTHING, TEXTS, VOCABULARY, limits, summarizer, weights
from word_oracle import Oracle

from hedline.decoding.choice import Guards
from hedline.decoding.options import DecodeOptions
from hedline.decoding.search import Effort
from hedline.errors import UserError
from hedline.text.tokenize import read_source


@pytest.fixture(scope="module", autouse=True)
def _search_alone():
    """Here the search itself is tested; what the guards make of its results is tested in test_choice.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Guards, "faults", lambda *_: ())
        yield


LONG = "The mayor of Zorp quits the party of 12 old friends and of the council today"


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000), text=st.sampled_from(TEXTS), limit=limits, tuned=weights,
    mode=st.sampled_from(["abstractive", "extractive", "compressive"]), penalty=st.sampled_from([0.0, 0.8]),
)  # fmt: skip
def test_exact_search_equals_brute_force(seed, text, limit, tuned, mode, penalty):
    scorer = TableScorer(len(VOCABULARY), 2, seed)
    options = DecodeOptions(**limit, mode=mode, length_penalty=penalty, decoder="exact", guard_meaning=False)
    expected = Oracle(scorer, read_source(text), VOCABULARY, options, dict(tuned), penalty).all()
    if options.fill:
        wanted = math.ceil(options.fill * options.chars)
        expected.sort(key=lambda each: (max(0, wanted - len(each[0])), -each[2]))
    found = summarizer(scorer, tuned, penalty).summarize([text], options)[0]
    if expected:
        assert found.nbest[0].key == pytest.approx(expected[0][2], abs=1e-4)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), mode=st.sampled_from(["extractive", "compressive"]))
def test_exact_search_equals_a_beam_that_drops_nothing_and_is_never_worse_than_a_narrow_one(seed, mode):
    model = summarizer(TableScorer(len(VOCABULARY), 2, seed), {"log_prob": 1.0}, 0.0)
    options = DecodeOptions(exact_words=3, mode=mode, guard_meaning=False)
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
    monkeypatch.setattr("hedline.decoding.search.MOST_TOTALS", 5_000)
    model = summarizer(TableScorer(len(VOCABULARY), None, 1, spread=0.1), {"log_prob": 1.0}, 0.0)
    with pytest.raises(
        UserError, match=r"an exact search here would have to follow .*10\^\d+ hypotheses; use the beam"
    ):
        model.summarize([LONG], exact_words=14, decoder="exact")


def test_a_search_is_refused_as_soon_as_its_growth_shows_that_it_is_hopeless():
    effort = Effort(inputs=1, steps=20)
    for rows in (30, 900):  # two steps say nothing about how the growth falls
        effort.check(rows, 1000)
    with pytest.raises(UserError, match=r"about 10\^\d+ hypotheses"):
        effort.check(26_000, 1000)  # 26,000,000 scores: few enough, but the growth of 30 hardly fell


def test_the_projection_continues_the_fall_of_the_growth():
    effort = Effort(inputs=1, steps=20)
    for rows in (16, 128, 512):  # growth 16, 8, 4: it halves, so 2, then 1
        effort.check(rows, 10)
    assert effort.projected() == pytest.approx(512 * 2 * 1)


def test_a_long_step_is_announced_with_its_time_and_a_quick_search_is_silent(monkeypatch, capsys):
    model = summarizer(TableScorer(len(VOCABULARY), 2, 1), {"log_prob": 1.0}, 0.0)
    model.summarize([LONG], exact_words=3, mode="compressive", decoder="exact")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("hedline.decoding.search.MOMENT", 0.0)
    model.summarize([LONG], exact_words=3, mode="compressive", decoder="exact")
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(
        re.fullmatch(r"exact search: step \d+ of at most \d+, [\d,]+ hypotheses, about .*s", line) for line in lines
    )
