"""The error surface along a direction: the corpus score as a step function of t.

The statistics of a corpus are the sum of those of the chosen hypotheses. Going from left to right, each threshold
of each input's envelope replaces one hypothesis by another, so the sums change by differences: sorted by
threshold and accumulated they give the exact score on every interval in one pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedline.tuning.envelope import Envelopes
from hedline.tuning.objective import Scale
from hedline.tuning.pool import Array

# Neighbouring intervals whose scores differ by less than this are one interval: summation noise.
SAME_SCORE = 1e-11
HUGE = 1e12
STEP = 2.0  # how far beyond a threshold a wide interval is entered, besides half the threshold's own distance


@dataclass(frozen=True)
class Surface:
    """A step function: `scores[i]` (m,) holds between `edges[i]` and `edges[i + 1]` (m + 1,)."""

    edges: Array
    scores: Array

    def widths(self) -> Array:
        """(m,) the length of every interval; the outer ones may be infinite."""
        return np.diff(self.edges)

    def points(self) -> Array:
        """(m,) a safe t inside every interval: its middle, but not far beyond the threshold on the side of t = 0.

        An interval that ends only at a bound may be huge; its middle says nothing, and decoding there gives odd lists.
        """
        left, right = self.edges[:-1], self.edges[1:]
        here = (left < 0) & (right > 0)
        middle = np.where(here, 0.0, np.clip(left, -HUGE, HUGE) / 2 + np.clip(right, -HUGE, HUGE) / 2)
        nearest = np.where(here, 0.0, np.where(left >= 0, left, -right))
        farthest = nearest + STEP + nearest / 2
        return np.where(left >= 0, np.minimum(middle, farthest), np.maximum(middle, -farthest))

    def smoothed(self, neighbours: int) -> Array:
        """(m,) each score averaged with its `neighbours` on both sides (Cer, Jurafsky & Manning 2008)."""
        if neighbours == 0:
            return self.scores
        total = np.concatenate([[0.0], np.cumsum(self.scores)])
        index = np.arange(len(self.scores))
        begin = np.maximum(index - neighbours, 0)
        end = np.minimum(index + neighbours + 1, len(self.scores))
        return np.asarray((total[end] - total[begin]) / (end - begin))


def error_surface(
    envelopes: Envelopes, columns: Array, score: Scale, low: float = -np.inf, high: float = np.inf
) -> Surface:
    """The corpus score over low ≤ t ≤ high.

    columns: (n, m) additive statistics of every hypothesis; score: sums (intervals, m) to scores (intervals,).
    """
    first = np.diff(envelopes.owner, prepend=-1) != 0
    start = columns[envelopes.line[first]].sum(axis=0)
    later = np.flatnonzero(~first)
    order = later[np.argsort(envelopes.begin[later], kind="stable")]
    change = columns[envelopes.line[order]] - columns[envelopes.line[order - 1]]
    sums = np.concatenate([start[None], start + np.cumsum(change, axis=0)])
    edges = np.concatenate([[low], envelopes.begin[order], [high]])
    return _merge(edges, sums, score)


def _merge(edges: Array, sums: Array, score: Scale) -> Surface:
    """Drop intervals without length, then edges at which the score does not change."""
    with np.errstate(invalid="ignore"):
        solid = edges[1:] > edges[:-1]
    if not solid.any():  # low == high: a point
        return Surface(np.array([edges[0], edges[-1]]), score(sums[-1:]))
    scores = score(sums[solid])
    left = edges[:-1][solid]
    steps = np.abs(np.diff(scores, prepend=np.inf)) > SAME_SCORE
    return Surface(np.concatenate([left[steps], edges[-1:]]), scores[steps])
