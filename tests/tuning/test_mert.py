"""MERT over fixed lists: never worse than where it began, inside the bounds, the same for the same seed."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_lists import BLEU, ROUGE, make_problem, open_bounds, random_lists

from hedline.tuning.linesearch import Bounds
from hedline.tuning.mert import MertOptions, optimize
from hedline.tuning.nbest import Lists

QUICK = MertOptions(restarts=3, directions=3, sweeps=5)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([ROUGE, BLEU]))
def test_never_lowers_the_score_and_stays_in_bounds(seed: int, objective) -> None:
    problem = make_problem(random_lists(seed, 10, 12, 4, objective), objective)
    start = np.array([1.0, *np.random.default_rng(seed).normal(size=3)])
    optimum = optimize(problem, [start], [seed], QUICK)
    assert optimum.score >= problem.score(start)
    assert optimum.score == pytest.approx(problem.score(optimum.weights), abs=1e-9)
    assert problem.bounds.hold(optimum.weights)


def test_same_seed_same_weights() -> None:
    problem = make_problem(random_lists(5, 20, 20, 5, ROUGE), ROUGE)
    start = np.array([1.0, 0, 0, 0, 0])
    first, second = (optimize(problem, [start], [7, 1], QUICK) for _ in range(2))
    assert first.weights.tolist() == second.weights.tolist()


def test_threads_change_nothing() -> None:
    problem = make_problem(random_lists(6, 20, 20, 4, ROUGE), ROUGE)
    start = np.array([1.0, 0, 0, 0])
    one, three = (optimize(problem, [start], [7], MertOptions(4, 3, 5, threads)) for threads in (1, 3))
    assert one.weights.tolist() == three.weights.tolist()
    assert one.searches == three.searches


def test_finds_the_weights_that_made_the_references() -> None:
    """Lists in which the best hypothesis of every input is the top one under hidden weights."""
    rng = np.random.default_rng(3)
    hidden = np.array([1.0, 2.0, -1.5, 0.7])
    inputs, size = 60, 40
    features = rng.normal(size=(inputs * size, 4))
    starts = np.arange(0, inputs * size, size)
    statistics = np.tile([[0.0, 8.0, 8.0] * 3], (len(features), 1))
    lists = Lists(features, statistics, starts)
    statistics[lists.best(hidden), ::3] = 8
    problem = make_problem(lists, ROUGE)
    optimum = optimize(problem, [np.array([1.0, 0, 0, 0])], [1])
    assert optimum.score > 0.85
    direction = optimum.weights / np.linalg.norm(optimum.weights)
    assert direction @ hidden / np.linalg.norm(hidden) > 0.98


def test_bounds_of_the_sign_are_kept() -> None:
    problem = make_problem(
        random_lists(9, 30, 30, 3, ROUGE),
        ROUGE,
        Bounds(("log_prob", "unigram", "reorder"), np.array([1.0, -20, -20]), np.array([1.0, 20, 0.0])),
    )
    optimum = optimize(problem, [np.array([1.0, 0.0, 5.0])], [0], QUICK)
    assert optimum.weights[2] <= 0
    assert optimum.weights[0] == 1


def test_a_free_first_weight_is_scaled_to_one() -> None:
    problem = make_problem(random_lists(2, 30, 30, 3, ROUGE), ROUGE, open_bounds(3, fixed_first=False))
    optimum = optimize(problem, [np.array([0.5, 0.1, 0.1])], [0], QUICK)
    assert optimum.weights[0] in (0.0, 1.0) or not problem.bounds.hold(optimum.weights / optimum.weights[0])


def test_500_inputs_of_200_hypotheses_are_searched_quickly() -> None:
    problem = make_problem(random_lists(1, 500, 400, 6, ROUGE), ROUGE)
    begin = time.perf_counter()
    optimum = optimize(problem, [np.eye(6)[0]], [0], MertOptions(restarts=0, directions=4, sweeps=2))
    seconds = (time.perf_counter() - begin) / optimum.searches
    assert seconds < 0.2, f"{seconds:.3f} s for each line search over {len(problem.lists.features):,} hypotheses"


def diagonal_problem():
    """Two hypotheses of one input: the better one wins only where both weights rise together."""
    features = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -1.1], [0.0, -1.1, 1.0], [-1.0, 1.0, 1.0]])
    statistics = np.tile([[0.0, 8.0, 8.0] * 3], (4, 1))
    statistics[:, ::3] = np.array([[4.0], [3.0], [3.0], [8.0]])
    bounds = Bounds(("log_prob", "a", "b"), np.array([1.0, -20, -20]), np.array([1.0, 20, 20]))
    return make_problem(Lists(features, statistics, np.array([0])), ROUGE, bounds)


def test_random_directions_reach_what_no_coordinate_does() -> None:
    problem, start = diagonal_problem(), np.array([1.0, 0.0, 0.0])
    along = optimize(problem, [start], [1], MertOptions(restarts=0, directions=0))
    assert along.score == pytest.approx(0.5)
    assert optimize(problem, [start], [1], MertOptions(restarts=0, directions=8)).score == pytest.approx(1.0)


def test_restarts_reach_what_one_climb_does_not() -> None:
    problem, start = diagonal_problem(), np.array([1.0, 0.0, 0.0])
    found = optimize(problem, [start], [1], MertOptions(restarts=12, directions=0))
    assert found.score == pytest.approx(1.0) and found.start > 0
