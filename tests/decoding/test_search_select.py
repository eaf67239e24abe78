"""Choosing the best extensions, against sorting everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.options import DecodeOptions, Defaults
from hedline.decoding.search import Finished, Plan, _worth_going_on, merge_equal_futures
from hedline.runtime import kernels
from hedline.runtime.kernels import best_columns


@pytest.mark.parametrize("widest", [0, 64], ids=["numpy", "compiled"])
@given(
    seed=st.integers(0, 1000),
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    columns=st.integers(1, 60),
    width=st.integers(1, 12),
    forbidden=st.floats(0, 1),
)
def test_best_columns_is_a_sorted_prefix(widest, seed, counts, columns, width, forbidden):
    if widest and not kernels.available():
        pytest.skip("the compiled kernels are not built here")
    random = np.random.default_rng(seed)
    owner = np.repeat(np.arange(len(counts)), counts)
    totals = random.normal(size=(len(owner), columns)).round(1).astype(np.float32)  # with ties
    totals[random.random(totals.shape) < forbidden] = -np.inf
    pruned = np.zeros(len(counts), bool)
    score = np.round(random.normal(size=len(owner)), 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "WIDEST_BEAM", widest)
        rows, chosen, scores = best_columns(totals.copy(), owner, width, pruned, score)
    totals += score.astype(np.float32)[:, None]
    np.testing.assert_array_equal(scores, totals[rows, chosen])
    for each in range(len(counts)):
        own = [(-totals[r, c], r, c) for r in np.flatnonzero(owner == each) for c in range(columns)]
        own = sorted(pair for pair in own if pair[0] < np.inf)
        mine = owner[rows] == each
        assert [(r, c) for _, r, c in own[:width]] == list(zip(rows[mine], chosen[mine], strict=True))
        assert pruned[each] == (len(own) > width)


def test_merging_keeps_the_best_of_equal_futures_column_by_column():
    totals = np.array([[0.0, 3.0], [1.0, 2.0], [5.0, 5.0], [9.0, 9.0]], np.float32)
    owner = np.array([0, 0, 0, 1])
    futures = np.array([[7, 1], [7, 1], [7, 2], [7, 1]])
    merge_equal_futures(totals, owner, futures)
    np.testing.assert_array_equal(totals, [[-np.inf, 3.0], [1.0, -np.inf], [5.0, 5.0], [9.0, 9.0]])


@pytest.mark.parametrize(
    ("slack", "going"),
    [(np.inf, [True, True, True, True]), (2.0, [True, False, True, True]), (0.5, [True, False, True, False])],
)
def test_hypotheses_far_behind_the_best_of_their_input_are_dropped(slack: float, going: list[bool]) -> None:
    plan = Plan(slack=slack)
    owner, score = np.array([0, 0, 1, 1]), np.array([-1.0, -3.5, -9.0, -10.0])
    kept = _worth_going_on(plan, Finished(2, plan), np.zeros(2, bool), owner, score, 3)
    assert kept.tolist() == going
    alone = _worth_going_on(plan, Finished(1, plan), np.zeros(1, bool), owner[:2], score[:2], 3)
    assert alone.tolist() == going[:2]


def test_who_asks_for_hypotheses_or_headlines_gets_them_all() -> None:
    defaults = Defaults(slack=2.5)
    assert defaults.settle(DecodeOptions()).slack == 2.5
    assert defaults.settle(DecodeOptions(words=8)).slack == 2.5
    assert defaults.settle(DecodeOptions(slack=1.0, beam=9)).slack == 1.0
    assert defaults.settle(DecodeOptions(beam=9)).slack is None
    assert defaults.settle(DecodeOptions(nbest=3)).slack is None
    assert defaults.settle(DecodeOptions(tuned=False)).slack is None
