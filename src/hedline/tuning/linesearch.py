"""The best point on a line through weight space, found exactly (Och 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedline.tuning.bounds import Bounds
from hedline.tuning.envelope import upper_envelopes
from hedline.tuning.objective import Scale
from hedline.tuning.pool import Array, Lists
from hedline.tuning.surface import Surface, error_surface

# An interval narrower than this share of the weights' size cannot be hit reliably by a decoder in float32.
NARROW = 1e-6


@dataclass(frozen=True)
class Problem:
    """What is optimised: lists, their additive statistics (n, m), how sums become a score, and the bounds.

    smoothing: neighbouring intervals averaged on each side when intervals are compared (0: none).
    """

    lists: Lists
    columns: Array
    scale: Scale
    bounds: Bounds
    smoothing: int = 0

    @cached_property
    def spread(self) -> Array:
        """(k,) each feature's standard deviation over all hypotheses; 1 where it is constant."""
        spread = self.lists.features.std(axis=0)
        return np.where(spread > 0, spread, 1.0)

    def score(self, weights: Array) -> float:
        """The corpus score of each list's top hypothesis under `weights`."""
        rows = self.lists.best(weights)
        return float(self.scale(self.columns[rows].sum(axis=0, keepdims=True))[0])


@dataclass(frozen=True)
class Move:
    """Where a line search ends: new weights (k,) and the corpus score there."""

    weights: Array
    score: float


def surface_along(problem: Problem, weights: Array, direction: Array) -> Surface:
    """The corpus score along weights + t · direction, over the t that the bounds allow."""
    low, high = problem.bounds.reach(weights, direction)
    features = problem.lists.features
    envelopes = upper_envelopes(features @ weights, features @ direction, problem.lists.starts, low, high)
    return error_surface(envelopes, problem.columns, problem.scale, low, high)


def line_search(problem: Problem, weights: Array, direction: Array, current: float) -> Move | None:
    """The best allowed point along `direction`, or None when nothing scores above `current`.

    Only intervals that really score higher are considered, however they compare after smoothing, so a search never
    lowers the score; of equals the widest wins, because it is the safest against rounding and new hypotheses.
    """
    surface = surface_along(problem, weights, direction)
    width = surface.widths() * float(np.abs(direction).max())
    better = (surface.scores > current + 1e-9) & (width > NARROW * (1 + float(np.abs(weights).max())))
    candidates = np.flatnonzero(better)
    merit = surface.smoothed(problem.smoothing)
    ranked = candidates[np.lexsort((-width[candidates], -np.round(merit[candidates], 10)))]
    points = surface.points()
    for choice in ranked[:3]:  # the first holds unless rounding spoils it
        moved = problem.bounds.clip(weights + points[choice] * direction)
        score = problem.score(moved)
        if score > current + 1e-9:
            return Move(moved, score)
    return None
