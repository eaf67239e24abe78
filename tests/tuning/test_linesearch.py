"""Bounds, envelopes and exact line searches, against dense sampling and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_lists import BLEU, MIXED, ROUGE, make_problem, open_bounds, random_lists, score_on_grid

from hedline.errors import UserError
from hedline.tuning.linesearch import (
    WIDEST,
    Bounds,
    Surface,
    line_search,
    make_bounds,
    parse_bounds,
    parse_weights,
    surface_along,
    upper_envelopes,
)
from hedline.tuning.nbest import Objective


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


SEEDS = st.integers(0, 2**32 - 1)
OBJECTIVES = st.sampled_from([ROUGE, BLEU, MIXED])


def all_crossings(intercepts: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    a, b = np.subtract.outer(intercepts, intercepts), np.subtract.outer(slopes, slopes)
    return -a[b != 0] / b[b != 0]


def cells(problem, weights, direction) -> np.ndarray:
    """A point inside every cell between crossings of any two lines of any input: brute force."""
    low, high = problem.bounds.reach(weights, direction)
    lists, edges = problem.lists, [np.array([low, high])]
    for rows in np.split(np.arange(len(lists.features)), lists.starts[1:]):
        features = lists.features[rows]
        edges.append(all_crossings(features @ weights, features @ direction))
    edge = np.unique(np.clip(np.concatenate(edges), low, high))
    width = np.diff(edge)
    return (edge[:-1] + width / 2)[width > 1e-7]


@settings(max_examples=80, deadline=None)
@given(SEEDS, OBJECTIVES, st.booleans())
def test_surface_equals_brute_force_in_every_cell(seed: int, objective: Objective, coordinate: bool) -> None:
    problem = make_problem(random_lists(seed, 6, 12, 4, objective), objective)
    rng = np.random.default_rng(seed)
    weights = np.concatenate([[1.0], rng.normal(size=3)])
    direction = np.eye(4)[rng.integers(1, 4)] if coordinate else np.concatenate([[0.0], rng.normal(size=3)])
    surface = surface_along(problem, weights, direction)
    points = cells(problem, weights, direction)
    expected = score_on_grid(problem, weights, direction, points)
    found = surface.scores[np.searchsorted(surface.edges[1:-1], points)]
    np.testing.assert_allclose(found, expected, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(SEEDS, OBJECTIVES)
def test_line_search_equals_a_dense_grid_search(seed: int, objective: Objective) -> None:
    problem = make_problem(random_lists(seed, 8, 15, 4, objective), objective)
    rng = np.random.default_rng(seed)
    weights = np.concatenate([[1.0], rng.normal(size=3)])
    direction = np.concatenate([[0.0], rng.normal(size=3)])
    low, high = problem.bounds.reach(weights, direction)
    grid = score_on_grid(problem, weights, direction, np.linspace(low, high, 1501)[1:-1])
    current = problem.score(weights)
    move = line_search(problem, weights, direction, current)
    best = move.score if move else current
    exact = score_on_grid(problem, weights, direction, cells(problem, weights, direction)).max()
    assert best >= grid.max() - 1e-9
    assert best == pytest.approx(max(exact, current), abs=1e-9)
    if move:
        assert move.score > current
        assert problem.bounds.hold(move.weights)
        assert problem.score(move.weights) == move.score


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(0, 3))
def test_smoothing_never_lowers_the_score(seed: int, smoothing: int) -> None:
    problem = make_problem(random_lists(seed, 8, 15, 3, ROUGE), ROUGE, smoothing=smoothing)
    weights = np.array([1.0, *np.random.default_rng(seed).normal(size=2)])
    current = problem.score(weights)
    move = line_search(problem, weights, np.array([0.0, 1.0, 0.3]), current)
    assert move is None or problem.score(move.weights) > current


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans(), st.booleans())
def test_envelope_is_the_maximum_everywhere(seed: int, bounded: bool, integers: bool) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 30, 5)
    starts = np.cumsum([0, *lengths[:-1]])
    draw = (
        (lambda: rng.integers(-3, 4, lengths.sum()).astype(float))
        if integers
        else (lambda: rng.normal(size=lengths.sum()))
    )
    intercepts, slopes = draw(), draw()
    low, high = (-2.0, 3.0) if bounded else (-np.inf, np.inf)
    envelopes = upper_envelopes(intercepts, slopes, starts, low, high)
    assert np.array_equal(np.unique(envelopes.owner), np.arange(5))
    for owner in range(5):
        rows = slice(starts[owner], starts[owner] + lengths[owner])
        mine = envelopes.owner == owner
        lines, begin = envelopes.line[mine], envelopes.begin[mine]
        assert begin[0] == low
        assert np.all(np.diff(slopes[lines]) > 0)
        for t in rng.uniform(-2, 3, 20) if bounded else rng.normal(0, 10, 20):
            line = lines[np.searchsorted(begin, t, side="right") - 1]
            top = (intercepts[rows] + slopes[rows] * t).max()
            assert intercepts[line] + slopes[line] * t == pytest.approx(top, abs=1e-9)


def test_parallel_and_coinciding_lines_leave_the_highest_and_earliest() -> None:
    intercepts = np.array([0.0, 1.0, 1.0, 0.5])
    envelopes = upper_envelopes(intercepts, np.zeros(4), np.array([0]))
    assert envelopes.line.tolist() == [1]
    assert envelopes.begin.tolist() == [-np.inf]


def test_three_lines_through_one_point_need_only_two() -> None:
    envelopes = upper_envelopes(np.zeros(3), np.array([-1.0, 0.0, 1.0]), np.array([0]))
    assert envelopes.line.tolist() == [0, 2]
    assert envelopes.begin[1] == 0


def test_the_middle_of_the_widest_best_interval_is_taken() -> None:
    # One input; hypothesis 1 is right and on top between t = 2 and t = 6.
    lists = random_lists(0, 1, 1, 2, ROUGE)
    features = np.array([[0.0, 0.0], [-2.0, 1.0], [-8.0, 2.0]])
    statistics = np.tile([[0.0, 5.0, 5.0] * 3], (3, 1))
    statistics[1, ::3] = 5
    lists = type(lists)(features, statistics, np.array([0]))
    problem = make_problem(lists, ROUGE, open_bounds(2))
    move = line_search(problem, np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.0)
    assert move is not None
    assert move.score == pytest.approx(1.0)
    assert move.weights.tolist() == [1.0, 4.0]


def test_a_wide_interval_is_entered_not_crossed() -> None:
    surface = Surface(np.array([-20.0, -8.0, -1.0, 3.0, 5.0, 20.0]), np.arange(5.0))
    assert surface.points().tolist() == [-14.0, -3.5, 0.0, 4.0, 9.5]
    points = Surface(np.array([-np.inf, -1.0, 0.0, np.inf]), np.arange(3.0)).points()
    assert points.tolist() == [-3.5, -0.5, 2.0]
    assert Surface(np.array([-np.inf, np.inf]), np.zeros(1)).points().tolist() == [0.0]


@settings(max_examples=200)
@given(st.lists(st.floats(-30, 30), min_size=2, max_size=6, unique=True))
def test_points_lie_inside_their_intervals(edges: list[float]) -> None:
    surface = Surface(np.array(sorted(edges)), np.zeros(len(edges) - 1))
    points = surface.points()
    assert np.all(points >= surface.edges[:-1])
    assert np.all(points <= surface.edges[1:])


def test_unbounded_ends_are_reached() -> None:
    lists = random_lists(0, 1, 1, 2, ROUGE)
    statistics = np.tile([[0.0, 5.0, 5.0] * 3], (2, 1))
    statistics[1, ::3] = 5
    lists = type(lists)(np.array([[0.0, 0.0], [-2.0, 1.0]]), statistics, np.array([0]))
    bounds = open_bounds(2)
    bounds.low[1], bounds.high[1] = -np.inf, np.inf
    problem = make_problem(lists, ROUGE, bounds)
    move = line_search(problem, np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.0)
    assert move is not None
    assert 2 < move.weights[1] < np.inf
