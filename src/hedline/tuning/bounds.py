"""What the weights may be: a range for each feature, fixed where both ends are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedline.errors import UserError
from hedline.tuning.pool import Array, Indices

# The probability's weight is the scale of all the others. A bonus for reordering, or for repeated words, wins
# unigram hits with word salad (see docs), so these are penalties only. Twenty nats outweigh any word's probability.
WIDEST = 20.0
DEFAULT = {"log_prob": (1.0, 1.0), "reorder": (-WIDEST, 0.0), "repeat": (-WIDEST, 0.0)}


@dataclass(frozen=True)
class Bounds:
    """Allowed ranges of the named weights: low, high (k,)."""

    names: tuple[str, ...]
    low: Array
    high: Array

    def free(self) -> Indices:
        """The weights that may move."""
        return np.flatnonzero(self.low < self.high)

    def clip(self, weights: Array) -> Array:
        """The nearest allowed weights."""
        return np.clip(weights, self.low, self.high)

    def hold(self, weights: Array) -> bool:
        """Whether the weights are allowed."""
        return bool(np.all(weights >= self.low) and np.all(weights <= self.high))

    def reach(self, weights: Array, direction: Array) -> tuple[float, float]:
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
