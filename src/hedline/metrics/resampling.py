"""How sure a score is: bootstrap intervals of means, and paired tests of two systems on the same inputs.

Intervals use ROUGE-1.5.5's own random numbers and its own percentile rule. The script seeds Perl's generator with 0, 1,
2 … for the successive resamples; Perl's generator is drand48 on every platform, so the same resamples can be drawn
here, all at once. Intervals therefore equal the script's, provided its evaluation ids sort (as strings) in the order of
the summaries. The script prints the mean of the resamples as its "Average"; ours is the exact mean, `resampled_mean`
gives theirs.

The tests ask how often chance alone gives a difference of means at least as large as the one seen. Both are two-sided
and count the observed difference among the draws, so that no p-value is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Doubles
from hedline.errors import UserError
from hedline.metrics.tokens import compiled
from hedline.settings import setting

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = np.uint64((1 << 48) - 1)
_CELLS = 1 << 17  # indices in memory at a time: few enough to stay in the processor's cache


@dataclass(frozen=True)
class Draws:
    """How intervals and p-values are drawn."""

    confidence: float = setting(95.0, "Per cent of the interval, as -c.")
    resamples: int = setting(1000, "Bootstrap resamples, as -r.")
    trials: int = setting(10_000, "Trials of the approximate randomisation.")
    seed: int = setting(12345, "Of the approximate randomisation.")

    def __post_init__(self) -> None:
        if self.resamples < 2 or not 0 < self.confidence < 100:
            raise UserError("an interval needs at least 2 resamples and a confidence between 0 and 100 per cent")
        if self.trials < 1:
            raise UserError(f"the approximate randomisation needs at least 1 trial, not {self.trials}")


class Interval(NamedTuple):
    """Bounds of a confidence interval, arrays of one shape."""

    low: Doubles
    high: Doubles


def resample_indices(count: int, resamples: int, first: int = 0) -> NDArray[np.int64]:
    """(resamples, count) indices into `count` items: row i is what `srand(first + i)` and `count` rands give."""
    powers, offsets = _jumps(count)
    seeds = (np.arange(first, first + resamples, dtype=np.uint64) << np.uint64(16)) + np.uint64(0x330E)
    states = np.multiply.outer(seeds, powers)
    states += offsets
    states &= _MASK
    # One multiplication: scaling by a power of two is exact, so the rounding is that of Perl's rand() * count.
    return np.asarray((states * (count * 2.0**-48)).astype(np.int64))


def _jumps(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The generator's multiplier and offset after 1 … count steps (arithmetic modulo 2**64 keeps the low 48 bits)."""
    powers, offsets = [], []
    power, offset = 1, 0
    for _ in range(count):
        power = power * _MULTIPLIER & 0xFFFFFFFFFFFF
        offset = (offset * _MULTIPLIER + _INCREMENT) & 0xFFFFFFFFFFFF
        powers.append(power)
        offsets.append(offset)
    return np.array(powers, dtype=np.uint64), np.array(offsets, dtype=np.uint64)


def _weights(count: int, resamples: int) -> Iterator[Doubles]:
    """Blocks of rows (rows, count): how often each item was drawn in each resample."""
    rows = max(1, _CELLS // max(count, 1))
    for first in range(0, resamples, rows):
        block = min(rows, resamples - first)
        yield _draw(count, block, first) if compiled is None else _draw_compiled(count, block, first)


def _draw(count: int, resamples: int, first: int) -> Doubles:
    """(resamples, count): how often the rows of `resample_indices` hold each index."""
    indices = resample_indices(count, resamples, first)
    indices += np.arange(resamples)[:, None] * count
    drawn = np.bincount(indices.ravel(), minlength=resamples * count)
    return np.asarray(drawn.reshape(resamples, count).astype(np.float64))


def _draw_compiled(count: int, resamples: int, first: int) -> Doubles:
    """The same counts without the indices in between."""
    drawn = np.zeros((resamples, count))
    compiled.draw(drawn, count, first)
    return drawn


def resample_means(values: Doubles, resamples: int = Draws.resamples) -> Doubles:
    """Means (resamples, …) of resampled items; values: (items, …)."""
    flat = values.reshape(len(values), -1)
    means = np.concatenate([weights @ flat for weights in _weights(len(values), resamples)])
    return np.asarray((means / len(values)).reshape(resamples, *values.shape[1:]))


def interval(means: Doubles, confidence: float = Draws.confidence) -> Interval:
    """The middle `confidence` per cent of resampled means (resamples, …).

    Odd but so in the script: the fraction for interpolating between ranks is computed for the upper bound and used
    for the lower one too. With 1,000 resamples and 95 % it is 0.
    """
    count = len(means)
    ranked = np.sort(means, axis=0)
    delta = count * ((100 - confidence) / 2.0) / 100.0
    upper, lower = int(count - delta - 1), int(delta)
    fraction = count - delta - 1 - upper

    def between(rank: int) -> Doubles:
        following = ranked[min(rank + 1, count - 1)]
        return np.asarray(ranked[rank] + (following - ranked[rank]) * fraction)

    return Interval(between(min(lower, count - 1)), between(max(upper, 0)))


def resampled_mean(means: Doubles) -> Doubles:
    """What the script prints as Average: the mean over resamples."""
    return np.asarray(means.mean(axis=0))


_SIGNS = 1 << 22  # random signs in memory at a time


@dataclass(frozen=True)
class Comparison:
    """System minus baseline, for scores of shape (…).

    difference: of the means; interval: bootstrap interval of it; p_bootstrap, p_randomization: two-sided p-values.
    """

    difference: Doubles
    interval: Interval
    p_bootstrap: Doubles
    p_randomization: Doubles


def compare(system: Doubles, baseline: Doubles, draws: Draws | None = None) -> Comparison:
    """Compare per-summary scores (n, …) of two systems on the same n inputs."""
    draws = draws or Draws()
    if system.shape != baseline.shape:
        raise UserError("two systems can be compared only on the same summaries and metrics")
    differences = np.asarray(system - baseline)
    means = resample_means(differences, draws.resamples)
    return Comparison(
        difference=np.asarray(differences.mean(axis=0)),
        interval=interval(means, draws.confidence),
        p_bootstrap=paired_bootstrap(differences, means),
        p_randomization=approximate_randomization(differences, draws.trials, draws.seed),
    )


def paired_bootstrap(differences: Doubles, means: Doubles) -> Doubles:
    """p-values (…) from differences (n, …) and their resampled means (resamples, …).

    The resampled differences, shifted to a mean of 0, stand for what chance gives (Riezler & Maxwell 2005).
    """
    observed = np.abs(differences.mean(axis=0))
    shifted = np.abs(means - means.mean(axis=0))
    return _p_value(at_least(shifted, observed).sum(axis=0), len(means))


def approximate_randomization(differences: Doubles, trials: int = Draws.trials, seed: int = Draws.seed) -> Doubles:
    """p-values (…) by swapping the two systems' scores of each summary with probability one half.

    Swapping a summary flips the sign of its difference, so a trial is a random vector of signs.
    """
    flat = differences.reshape(len(differences), -1)
    observed = np.abs(flat.sum(axis=0))
    random = np.random.default_rng(seed)
    rows = max(1, _SIGNS // len(flat))
    exceeded = np.zeros(flat.shape[1])
    for first in range(0, trials, rows):
        size = (min(rows, trials - first), len(flat))
        signs = random.integers(0, 2, size=size, dtype=np.int8).astype(np.float64) * 2 - 1
        exceeded += at_least(np.abs(signs @ flat), observed).sum(axis=0)
    return _p_value(exceeded, trials).reshape(differences.shape[1:])


def at_least(values: Doubles, threshold: Doubles) -> Doubles:
    """values >= threshold, sums of the same numbers in another order counting as equal."""
    return np.asarray(values >= threshold - 1e-9)


def _p_value(exceeded: Doubles, draws: int) -> Doubles:
    return np.asarray((exceeded + 1) / (draws + 1))
