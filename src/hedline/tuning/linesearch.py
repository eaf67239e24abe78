"""The best point on a line through weight space, found exactly (Och 2003), and what the weights may be.

Along a direction, weights + t · direction, the score of a hypothesis is a straight line in t, and the hypothesis that
the model would choose is the line on top. Each input has its own set of lines. All upper envelopes are found together
by quickhull: between two lines known to be on top at the two ends of an interval, only lines above the crossing of the
two can matter; the highest of these splits the interval in two. There is no sorting of all lines and no loop over
inputs; each pass works on the few lines that are left.

The statistics of a corpus are the sum of those of the chosen hypotheses. Going from left to right, each threshold of
each input's envelope replaces one hypothesis by another, so the sums change by differences: sorted by threshold and
accumulated they give the corpus score as a step function of t, exact on every interval, in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedline.arrays import Doubles, Flags, Ints
from hedline.errors import UserError
from hedline.tuning.nbest import Lists, Scale

# The probability's weight is the scale of all the others. A bonus for reordering, or for repeated words, wins
# unigram hits with word salad (see docs), so these are penalties only. Twenty nats outweigh any word's probability.
WIDEST = 20.0
DEFAULT = {"log_prob": (1.0, 1.0), "reorder": (-WIDEST, 0.0), "repeat": (-WIDEST, 0.0)}
# Lines that exceed a crossing by less than this share of its height are rounding noise, not envelope.
NOISE = 1e-12
# Neighbouring intervals whose scores differ by less than this are one interval: summation noise.
SAME_SCORE = 1e-11
# An interval narrower than this share of the weights' size cannot be hit reliably by a decoder in float32.
NARROW = 1e-6
HUGE = 1e12
STEP = 2.0  # how far beyond a threshold a wide interval is entered, besides half the threshold's own distance


@dataclass(frozen=True)
class Bounds:
    """Allowed ranges of the named weights: low, high (k,)."""

    names: tuple[str, ...]
    low: Doubles
    high: Doubles

    def free(self) -> Ints:
        """The weights that may move."""
        return np.flatnonzero(self.low < self.high)

    def clip(self, weights: Doubles) -> Doubles:
        """The nearest allowed weights."""
        return np.clip(weights, self.low, self.high)

    def hold(self, weights: Doubles) -> bool:
        """Whether the weights are allowed."""
        return bool(np.all(weights >= self.low) and np.all(weights <= self.high))

    def reach(self, weights: Doubles, direction: Doubles) -> tuple[float, float]:
        """The range of t for which weights + t · direction stays allowed (it contains 0 when weights do)."""
        moving = direction != 0
        with np.errstate(invalid="ignore", over="ignore"):
            ends = np.stack([self.low - weights, self.high - weights])[:, moving] / direction[moving]
        low, high = ends.min(axis=0).max(initial=-np.inf), ends.max(axis=0).min(initial=np.inf)
        return min(float(low), 0.0), max(float(high), 0.0)

    def named(self) -> dict[str, tuple[float, float]]:
        """The ranges by name, for reports."""
        return {
            name: (float(low), float(high)) for name, low, high in zip(self.names, self.low, self.high, strict=True)
        }


def make_bounds(names: Sequence[str], given: Mapping[str, tuple[float, float]]) -> Bounds:
    """Bounds for features `names`: those given, else the defaults, else ± WIDEST."""
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise UserError(f"no feature is called {unknown[0]!r}; the features are {', '.join(names)}")
    ranges = [given.get(name, DEFAULT.get(name, (-WIDEST, WIDEST))) for name in names]
    bounds = Bounds(tuple(names), np.array([low for low, _ in ranges]), np.array([high for _, high in ranges]))
    if not len(bounds.free()):
        raise UserError("every weight is fixed by its bounds, so there is nothing to tune; free at least one")
    return bounds


def parse_bounds(text: str) -> dict[str, tuple[float, float]]:
    """Read `reorder=-5:0,length=0,unigram=0:10`; one number fixes a weight."""
    ranges = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, span = part.partition("=")
        low, colon, high = span.partition(":")
        try:
            ends = (float(low), float(high if colon else low))
        except ValueError:
            ends = (1.0, 0.0)
        if not equals or not ends[0] <= ends[1]:
            raise UserError(
                f"cannot read the bound {part!r}: write name=low:high or name=value, e.g. reorder=-5:0,length=0"
            )
        ranges[name.strip()] = ends
    return ranges


def parse_weights(text: str) -> dict[str, float]:
    """Read `unigram=1,bigram=0.5`."""
    weights = {}
    for name, (low, high) in parse_bounds(text).items():
        if low != high or not np.isfinite(low):
            raise UserError(f"the weight of {name} must be one number, not {low}:{high}")
        weights[name] = low
    return weights


@dataclass(frozen=True)
class Envelopes:
    """The pieces of all envelopes, by owner and then from left to right.

    owner: (h,) which input; line: (h,) row of the line on top; begin: (h,) the t at which it takes over (an owner's
    first piece begins at the left end of the range).
    """

    owner: Ints
    line: Ints
    begin: Doubles


def upper_envelopes(
    intercepts: Doubles, slopes: Doubles, starts: Ints, low: float = -np.inf, high: float = np.inf
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


def _top_at(intercepts: Doubles, slopes: Doubles, starts: Ints, t: float, leaving: float) -> Ints:
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
    intercepts: Doubles, slopes: Doubles, lines: Ints, segment: Ints, left: Ints, right: Ints
) -> tuple[Ints, Ints, Doubles]:
    """The lines that pass above the crossing of their segment's left and right line, and their heights there."""
    run = slopes[right] - slopes[left]
    safe = np.where(run > 0, run, 1.0)
    crossing = (intercepts[left] - intercepts[right]) / safe
    floor = intercepts[left] + slopes[left] * crossing
    floor = floor + NOISE * (1 + np.abs(floor))
    height = intercepts[lines] + slopes[lines] * crossing[segment]
    above = height > floor[segment]
    return lines[above], segment[above], height[above]


def _highest(lines: Ints, segment: Ints, height: Doubles) -> tuple[Ints, Ints]:
    """For every segment that has lines (sorted by segment), the position of its highest; the segments again."""
    firsts = np.flatnonzero(np.diff(segment, prepend=-1))
    count = np.diff(firsts, append=len(segment))
    top = np.repeat(np.maximum.reduceat(height, firsts), count)
    positions = np.flatnonzero(height == top)
    return positions[np.searchsorted(positions, firsts)], segment


def _halves(left: Ints, right: Ints, used: Ints, split: Ints) -> tuple[Ints, Ints]:
    """The two new segments of every split one: number 2i is (left, split), 2i + 1 is (split, right)."""
    new_left = np.stack([left[used], split], axis=1).ravel()
    new_right = np.stack([split, right[used]], axis=1).ravel()
    return new_left, new_right


def _assign(slopes: Doubles, lines: Ints, segment: Ints, used: Ints, split: Ints) -> tuple[Ints, Ints]:
    """Send every remaining line to the half its slope belongs to; lines parallel to the split line are done."""
    index = np.searchsorted(used, segment)
    difference = slopes[lines] - slopes[split][index]
    open_ = difference != 0
    halves = (2 * index + (difference > 0))[open_]
    order = np.argsort(halves, kind="stable")
    return lines[open_][order], halves[order]


def _assemble(rows: Ints, owner: Ints, intercepts: Doubles, slopes: Doubles, low: float, high: float) -> Envelopes:
    """Sort the pieces by owner and slope and compute where each begins."""
    rows = rows[np.lexsort((slopes[rows], owner[rows]))]
    first: Flags = np.diff(owner[rows], prepend=-1) != 0
    run = np.diff(slopes[rows], prepend=0.0)
    drop = -np.diff(intercepts[rows], prepend=0.0)
    begin = np.full(len(rows), low)
    inner = ~first
    begin[inner] = np.clip(drop[inner] / run[inner], low, high)
    return Envelopes(owner[rows], rows, begin)


@dataclass(frozen=True)
class Surface:
    """A step function: `scores[i]` (m,) holds between `edges[i]` and `edges[i + 1]` (m + 1,)."""

    edges: Doubles
    scores: Doubles

    def widths(self) -> Doubles:
        """(m,) the length of every interval; the outer ones may be infinite."""
        return np.diff(self.edges)

    def points(self) -> Doubles:
        """(m,) a safe t inside every interval: its middle, but not far beyond the threshold on the side of t = 0.

        An interval that ends only at a bound may be huge; its middle says nothing, and decoding there gives odd lists.
        """
        left, right = self.edges[:-1], self.edges[1:]
        here = (left < 0) & (right > 0)
        middle = np.where(here, 0.0, np.clip(left, -HUGE, HUGE) / 2 + np.clip(right, -HUGE, HUGE) / 2)
        nearest = np.where(here, 0.0, np.where(left >= 0, left, -right))
        farthest = nearest + STEP + nearest / 2
        return np.where(left >= 0, np.minimum(middle, farthest), np.maximum(middle, -farthest))

    def smoothed(self, neighbours: int) -> Doubles:
        """(m,) each score averaged with its `neighbours` on both sides (Cer, Jurafsky & Manning 2008)."""
        if neighbours == 0:
            return self.scores
        total = np.concatenate([[0.0], np.cumsum(self.scores)])
        index = np.arange(len(self.scores))
        begin = np.maximum(index - neighbours, 0)
        end = np.minimum(index + neighbours + 1, len(self.scores))
        return np.asarray((total[end] - total[begin]) / (end - begin))


def error_surface(
    envelopes: Envelopes, columns: Doubles, score: Scale, low: float = -np.inf, high: float = np.inf
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


def _merge(edges: Doubles, sums: Doubles, score: Scale) -> Surface:
    """Drop intervals without length, then edges at which the score does not change."""
    with np.errstate(invalid="ignore"):
        solid = edges[1:] > edges[:-1]
    if not solid.any():  # low == high: a point
        return Surface(np.array([edges[0], edges[-1]]), score(sums[-1:]))
    scores = score(sums[solid])
    left = edges[:-1][solid]
    steps = np.abs(np.diff(scores, prepend=np.inf)) > SAME_SCORE
    return Surface(np.concatenate([left[steps], edges[-1:]]), scores[steps])


@dataclass(frozen=True)
class Problem:
    """What is optimised: lists, their additive statistics (n, m), how sums become a score, and the bounds.

    smoothing: neighbouring intervals averaged on each side when intervals are compared (0: none).
    """

    lists: Lists
    columns: Doubles
    scale: Scale
    bounds: Bounds
    smoothing: int = 0

    @cached_property
    def spread(self) -> Doubles:
        """(k,) each feature's standard deviation over all hypotheses; 1 where it is constant."""
        spread = self.lists.features.std(axis=0)
        return np.where(spread > 0, spread, 1.0)

    def score(self, weights: Doubles) -> float:
        """The corpus score of each list's top hypothesis under `weights`."""
        rows = self.lists.best(weights)
        return float(self.scale(self.columns[rows].sum(axis=0, keepdims=True))[0])


@dataclass(frozen=True)
class Move:
    """Where a line search ends: new weights (k,) and the corpus score there."""

    weights: Doubles
    score: float


def surface_along(problem: Problem, weights: Doubles, direction: Doubles) -> Surface:
    """The corpus score along weights + t · direction, over the t that the bounds allow."""
    low, high = problem.bounds.reach(weights, direction)
    features = problem.lists.features
    envelopes = upper_envelopes(features @ weights, features @ direction, problem.lists.starts, low, high)
    return error_surface(envelopes, problem.columns, problem.scale, low, high)


def line_search(problem: Problem, weights: Doubles, direction: Doubles, current: float) -> Move | None:
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
