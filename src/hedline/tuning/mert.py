"""Minimum error rate training over fixed n-best lists: line searches in many directions from many starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedline.arrays import Doubles
from hedline.tuning.linesearch import Problem, line_search

ENOUGH = 1e-6  # a sweep that gains less ends the climb


@dataclass(frozen=True)
class MertOptions:
    """How hard to search: random starts, random directions a sweep, most sweeps of one climb, climbs at a time."""

    restarts: int = 12
    directions: int = 8
    sweeps: int = 20
    threads: int = 1


class Climb(NamedTuple):
    """Where one start led: weights (k,), score, line searches made."""

    weights: Doubles
    score: float
    searches: int


@dataclass(frozen=True)
class Optimum:
    """The best weights (k,), their corpus score, which start led there (0: the current weights), searches made."""

    weights: Doubles
    score: float
    start: int
    searches: int


def optimize(
    problem: Problem, starts: Sequence[Doubles], seed: Sequence[int], options: MertOptions | None = None
) -> Optimum:
    """Climb from each of `starts` and from random points, and keep the best.

    A later start must beat an earlier one clearly, so the result never scores below starts[0] (once inside the
    bounds) and does not wander between equals. Every climb has random numbers of its own: threads change nothing.
    """
    options = options or MertOptions()
    rng = np.random.default_rng(list(seed))
    points = [problem.bounds.clip(start) for start in starts]
    points += [_random_point(problem, rng) for _ in range(options.restarts)]

    def climb_from(index: int) -> Climb:
        return climb(problem, points[index], np.random.default_rng([*seed, index]), options)

    with ThreadPoolExecutor(options.threads) as threads:
        climbs = list(threads.map(climb_from, range(len(points))))
    best = 0
    for index, each in enumerate(climbs):
        if each.score > climbs[best].score + ENOUGH:
            best = index
    searches = sum(each.searches for each in climbs)
    return Optimum(rescale(problem, climbs[best].weights, climbs[best].score), climbs[best].score, best, searches)


def climb(problem: Problem, weights: Doubles, rng: np.random.Generator, options: MertOptions) -> Climb:
    """Sweep over the directions, moving at every gain, until a sweep gains nothing."""
    score, searches = problem.score(weights), 0
    for _ in range(options.sweeps):
        before = score
        for direction in _directions(problem, rng, options.directions):
            move = line_search(problem, weights, direction, score)
            searches += 1
            if move:
                weights, score = move.weights, move.score
        if score < before + ENOUGH:
            break
    return Climb(weights, score, searches)


def rescale(problem: Problem, weights: Doubles, score: float) -> Doubles:
    """The same ranking with the first weight (log_prob) at 1, where it is positive and bounds and score allow it."""
    if weights[0] <= 0 or weights[0] == 1:
        return weights
    scaled: Doubles = weights / weights[0]
    if problem.bounds.hold(scaled) and problem.score(scaled) >= score - 1e-9:
        return scaled
    return weights


def _directions(problem: Problem, rng: np.random.Generator, count: int) -> Iterator[Doubles]:
    """Every free coordinate in random order, then random directions in units of each feature's spread."""
    free = problem.bounds.free()
    for axis in rng.permutation(free):
        yield np.eye(len(problem.bounds.low))[axis]
    for _ in range(count if len(free) > 1 else 0):
        direction = np.zeros(len(problem.spread))
        direction[free] = rng.standard_normal(len(free)) / problem.spread[free]
        yield direction


def _random_point(problem: Problem, rng: np.random.Generator) -> Doubles:
    """Weights drawn as Z-MERT draws them, wider: uniform in [-2, 2] where the bounds allow, fixed ones kept."""
    low, high = np.maximum(problem.bounds.low, -2.0), np.minimum(problem.bounds.high, 2.0)
    low, high = np.minimum(low, problem.bounds.high), np.maximum(high, problem.bounds.low)
    return problem.bounds.clip(rng.uniform(np.minimum(low, high), np.maximum(low, high)))
