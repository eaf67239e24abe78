"""The upper envelope of many sets of lines at once.

Along a direction of weight space, weights + t · direction, the score of a hypothesis is a straight line in t, and
the hypothesis that the model would choose is the line on top (Och 2003, section 4). Each input has its own set of
lines. All envelopes are found together by quickhull: between two lines known to be on top at the two ends of an
interval, only lines above the crossing of the two can matter; the highest of these splits the interval in two.
No sorting of all lines, no loop over inputs; each pass works on the few lines that are left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedline.tuning.pool import Array, Indices

# Lines that exceed a crossing by less than this share of its height are rounding noise, not envelope.
NOISE = 1e-12


@dataclass(frozen=True)
class Envelopes:
    """The pieces of all envelopes, by owner and then from left to right.

    owner: (h,) which input; line: (h,) row of the line on top; begin: (h,) the t at which it takes over (an owner's
    first piece begins at the left end of the range).
    """

    owner: Indices
    line: Indices
    begin: Array


def upper_envelopes(
    intercepts: Array, slopes: Array, starts: Indices, low: float = -np.inf, high: float = np.inf
) -> Envelopes:
    """The upper envelopes over low ≤ t ≤ high of the lines intercepts + t · slopes, (n,) each.

    starts: (inputs,) the first line of each input. Where lines coincide the earliest row is kept.
    """
    left = _top_at(intercepts, slopes, starts, low, leaving=1.0)
    right = _top_at(intercepts, slopes, starts, high, leaving=-1.0)
    pieces = [left, right]
    owner = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(slopes)))
    lines = np.flatnonzero((slopes > slopes[left][owner]) & (slopes < slopes[right][owner]))
    segment = owner[lines]
    while len(lines):
        lines, segment, height = _above_crossing(intercepts, slopes, lines, segment, left, right)
        if not len(lines):
            break
        highest, segment = _highest(lines, segment, height)
        used = np.unique(segment[highest])
        split = lines[highest]
        pieces.append(split)
        left, right = _halves(left, right, used, split)
        lines, segment = _assign(slopes, lines, segment, used, split)
    return _assemble(np.unique(np.concatenate(pieces)), owner, intercepts, slopes, low, high)


def _top_at(intercepts: Array, slopes: Array, starts: Indices, t: float, leaving: float) -> Indices:
    """(inputs,) each input's top line at t; of lines that meet there, the one on top further on (leaving ±1)."""
    if np.isinf(t):
        primary, secondary = np.sign(t) * slopes, intercepts
    else:
        primary, secondary = intercepts + t * slopes, leaving * slopes
    owner = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(slopes)))
    tied = primary == np.maximum.reduceat(primary, starts)[owner]
    masked = np.where(tied, secondary, -np.inf)
    rows = np.flatnonzero(tied & (masked == np.maximum.reduceat(masked, starts)[owner]))
    return rows[np.searchsorted(rows, starts)]


def _above_crossing(
    intercepts: Array, slopes: Array, lines: Indices, segment: Indices, left: Indices, right: Indices
) -> tuple[Indices, Indices, Array]:
    """The lines that pass above the crossing of their segment's left and right line, and their heights there."""
    run = slopes[right] - slopes[left]
    safe = np.where(run > 0, run, 1.0)
    crossing = (intercepts[left] - intercepts[right]) / safe
    floor = intercepts[left] + slopes[left] * crossing
    floor = floor + NOISE * (1 + np.abs(floor))
    height = intercepts[lines] + slopes[lines] * crossing[segment]
    above = height > floor[segment]
    return lines[above], segment[above], height[above]


def _highest(lines: Indices, segment: Indices, height: Array) -> tuple[Indices, Indices]:
    """For every segment that has lines (sorted by segment), the position of its highest; the segments again."""
    firsts = np.flatnonzero(np.diff(segment, prepend=-1))
    count = np.diff(firsts, append=len(segment))
    top = np.repeat(np.maximum.reduceat(height, firsts), count)
    positions = np.flatnonzero(height == top)
    return positions[np.searchsorted(positions, firsts)], segment


def _halves(left: Indices, right: Indices, used: Indices, split: Indices) -> tuple[Indices, Indices]:
    """The two new segments of every split one: number 2i is (left, split), 2i + 1 is (split, right)."""
    new_left = np.stack([left[used], split], axis=1).ravel()
    new_right = np.stack([split, right[used]], axis=1).ravel()
    return new_left, new_right


def _assign(slopes: Array, lines: Indices, segment: Indices, used: Indices, split: Indices) -> tuple[Indices, Indices]:
    """Send every remaining line to the half its slope belongs to; lines parallel to the split line are done."""
    index = np.searchsorted(used, segment)
    difference = slopes[lines] - slopes[split][index]
    open_ = difference != 0
    halves = (2 * index + (difference > 0))[open_]
    order = np.argsort(halves, kind="stable")
    return lines[open_][order], halves[order]


def _assemble(rows: Indices, owner: Indices, intercepts: Array, slopes: Array, low: float, high: float) -> Envelopes:
    """Sort the pieces by owner and slope and compute where each begins."""
    rows = rows[np.lexsort((slopes[rows], owner[rows]))]
    first: NDArray[np.bool_] = np.diff(owner[rows], prepend=-1) != 0
    run = np.diff(slopes[rows], prepend=0.0)
    drop = -np.diff(intercepts[rows], prepend=0.0)
    begin = np.full(len(rows), low)
    inner = ~first
    begin[inner] = np.clip(drop[inner] / run[inner], low, high)
    return Envelopes(owner[rows], rows, begin)
