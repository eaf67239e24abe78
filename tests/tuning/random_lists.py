"""Random n-best lists for the tests of this folder."""

from __future__ import annotations

import numpy as np

from hedline.arrays import Doubles
from hedline.tuning.linesearch import Bounds, Problem
from hedline.tuning.nbest import Lists, Objective, parse_objective


def random_lists(seed: int, inputs: int, most: int, features: int, objective: Objective) -> Lists:
    """Lists of 1 to `most` hypotheses: a real-valued first feature, small integers after it, as in ABS+."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, most + 1, inputs)
    n = int(lengths.sum())
    values = rng.integers(-1, 4, (n, features)).astype(float)
    values[:, 0] = rng.normal(-8, 3, n) if rng.random() < 0.8 else rng.integers(-9, -5, n)
    reference = rng.integers(5, 12, (n, len(objective.metrics)))
    system = rng.integers(1, 12, reference.shape)
    hits = rng.integers(0, np.minimum(reference, system) + 1)
    statistics = np.stack([hits, system, reference], axis=-1).reshape(n, -1).astype(float)
    if objective.uses_bleu:
        totals = np.maximum(rng.integers(4, 12, (n, 1)) - np.arange(4), 0)
        matches = rng.integers(0, totals + 1)
        lengths_ = rng.integers(4, 12, (n, 2))
        statistics = np.concatenate([statistics, matches, totals, lengths_], axis=1).astype(float)
    return Lists(values, statistics, np.cumsum([0, *lengths[:-1]]))


def open_bounds(features: int, fixed_first: bool = True) -> Bounds:
    low = np.array([1.0 if fixed_first else 0.0] + [-20.0] * (features - 1))
    high = np.array([1.0 if fixed_first else 5.0] + [20.0] * (features - 1))
    return Bounds(tuple(f"f{i}" for i in range(features)), low, high)


def make_problem(lists: Lists, objective: Objective, bounds: Bounds | None = None, **options: int) -> Problem:
    columns = objective.columns(lists.statistics, lists.inputs)
    return Problem(lists, columns, objective.scale, bounds or open_bounds(lists.features.shape[1]), **options)


def score_on_grid(problem: Problem, weights: Doubles, direction: Doubles, points: Doubles) -> Doubles:
    """The corpus score at each t, by choosing every input's best hypothesis anew: nothing of the envelope."""
    return np.array([problem.score(weights + t * direction) for t in points])


ROUGE = parse_objective("R-1 + R-2 + R-L")
BLEU = parse_objective("bleu")
MIXED = parse_objective("0.5*R-1.r + 0.5*bleu")
