"""Bounds on weights: reading them, and how far a direction may be followed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.errors import UserError
from hedline.tuning.bounds import WIDEST, Bounds, make_bounds, parse_bounds, parse_weights


def test_bounds_are_read() -> None:
    assert parse_bounds("reorder=-5:0, length=0,unigram=-1:inf") == {
        "reorder": (-5.0, 0.0),
        "length": (0.0, 0.0),
        "unigram": (-1.0, float("inf")),
    }
    assert parse_weights("unigram=1,bigram=-0.5") == {"unigram": 1.0, "bigram": -0.5}


@pytest.mark.parametrize("text", ["reorder", "reorder=", "a=1:0", "a=x", "a=nan", "=1:x"])
def test_unreadable_bounds_are_one_sentence(text: str) -> None:
    with pytest.raises(UserError, match="bound"):
        parse_bounds(text)


def test_defaults_fix_the_probability_and_forbid_a_bonus_for_reordering() -> None:
    bounds = make_bounds(("log_prob", "unigram", "reorder"), {})
    assert bounds.named() == {"log_prob": (1, 1), "unigram": (-WIDEST, WIDEST), "reorder": (-WIDEST, 0)}
    assert bounds.free().tolist() == [1, 2]


def test_unknown_names_and_nothing_free_are_refused() -> None:
    with pytest.raises(UserError, match="no feature is called 'unigrams'"):
        make_bounds(("log_prob", "unigram"), {"unigrams": (0, 1)})
    with pytest.raises(UserError, match="nothing to tune"):
        make_bounds(("log_prob", "unigram"), {"unigram": (0, 0)})


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.lists(st.floats(-2, 2), min_size=3, max_size=3))
def test_reach_ends_at_the_walls(weights: list[float], direction: list[float]) -> None:
    bounds = Bounds(("a", "b", "c"), np.array([-5.0, -6.0, -np.inf]), np.array([5.0, 7.0, np.inf]))
    here, way = np.array(weights), np.array(direction)
    low, high = bounds.reach(here, way)
    assert low <= 0 <= high
    for end in (low, high):
        if np.isfinite(end) and np.abs(way[:2]).max() > 1e-6:
            there = here + end * way
            assert np.all(there[:2] >= bounds.low[:2] - 1e-6)
            assert np.all(there[:2] <= bounds.high[:2] + 1e-6)
            assert min(np.abs(there[:2] - bounds.low[:2]).min(), np.abs(there[:2] - bounds.high[:2]).min()) < 1e-6
