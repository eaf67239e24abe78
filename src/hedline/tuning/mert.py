"""Minimum error rate training over fixed n-best lists: line searches in many directions from many starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hedline.tuning.linesearch import Problem, line_search
from hedline.tuning.pool import Array

ENOUGH = 1e-6  # a sweep that gains less ends the climb


@dataclass(frozen=True)
class MertOptions:
    """How hard to search: random starts, random directions a sweep, and the most sweeps of one climb."""

    restarts: int = 12
    directions: int = 8
    sweeps: int = 20


@dataclass(frozen=True)
class Optimum:
    """The best weights (k,), their corpus score, which start led there (0: the current weights), searches made."""

    weights: Array
    score: float
    start: int
    searches: int


def optimize(
    problem: Problem, starts: Sequence[Array], seed: Sequence[int], options: MertOptions | None = None
) -> Optimum:
    """Climb from each of `starts` and from random points, and keep the best.

    A later start must beat an earlier one clearly, so the result never scores below starts[0] (once inside the
    bounds) and does not wander between equals.
    """
    options = options or MertOptions()
    rng = np.random.default_rng(list(seed))
    points = [problem.bounds.clip(start) for start in starts]
    points += [_random_point(problem, rng) for _ in range(options.restarts)]
    best, searches = Optimum(points[0], problem.score(points[0]), 0, 0), 0
    for index, point in enumerate(points):
        weights, score, count = climb(problem, point, rng, options)
        searches += count
        if score > best.score + ENOUGH:
            best = Optimum(weights, score, index, 0)
    return Optimum(rescale(problem, best.weights, best.score), best.score, best.start, searches)


def climb(problem: Problem, weights: Array, rng: np.random.Generator, options: MertOptions) -> tuple[Array, float, int]:
    """Sweep over the directions, moving at every gain, until a sweep gains nothing; returns searches made too."""
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
    return weights, score, searches


def rescale(problem: Problem, weights: Array, score: float) -> Array:
    """The same ranking with the first weight (log_prob) at 1, where it is positive and bounds and score allow it."""
    if weights[0] <= 0 or weights[0] == 1:
        return weights
    scaled: Array = weights / weights[0]
    if problem.bounds.hold(scaled) and problem.score(scaled) >= score - 1e-9:
        return scaled
    return weights


def _directions(problem: Problem, rng: np.random.Generator, count: int) -> Iterator[Array]:
    """Every free coordinate in random order, then random directions in units of each feature's spread."""
    free = problem.bounds.free()
    for axis in rng.permutation(free):
        yield np.eye(len(problem.bounds.low))[axis]
    for _ in range(count if len(free) > 1 else 0):
        direction = np.zeros(len(problem.spread))
        direction[free] = rng.standard_normal(len(free)) / problem.spread[free]
        yield direction


def _random_point(problem: Problem, rng: np.random.Generator) -> Array:
    """Weights drawn as Z-MERT draws them, wider: uniform in [-2, 2] where the bounds allow, fixed ones kept."""
    low, high = np.maximum(problem.bounds.low, -2.0), np.minimum(problem.bounds.high, 2.0)
    low, high = np.minimum(low, problem.bounds.high), np.maximum(high, problem.bounds.low)
    return problem.bounds.clip(rng.uniform(np.minimum(low, high), np.maximum(low, high)))
