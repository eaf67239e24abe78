"""Is one system better than another on the same inputs? Two paired tests over per-summary scores.

Both ask how often chance alone gives a difference of means at least as large as the one seen; both are two-sided
and count the observed difference among the draws, so that no p-value is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedline.errors import UserError
from hedline.metrics.bootstrap import Interval, interval, resample_means
from hedline.metrics.statistics import Array

_CELLS = 1 << 22  # random signs in memory at a time


@dataclass(frozen=True)
class Comparison:
    """System minus baseline, for scores of shape (…).

    difference: of the means; interval: bootstrap interval of it; p_bootstrap, p_randomization: two-sided p-values.
    """

    difference: Array
    interval: Interval
    p_bootstrap: Array
    p_randomization: Array


def compare(
    system: Array,
    baseline: Array,
    *,
    resamples: int = 1000,
    trials: int = 10_000,
    confidence: float = 95.0,
    seed: int = 12345,
) -> Comparison:
    """Compare per-summary scores (n, …) of two systems on the same n inputs."""
    if system.shape != baseline.shape:
        raise UserError("two systems can be compared only on the same summaries and metrics")
    differences = np.asarray(system - baseline)
    means = resample_means(differences, resamples)
    return Comparison(
        difference=np.asarray(differences.mean(axis=0)),
        interval=interval(means, confidence),
        p_bootstrap=paired_bootstrap(differences, means),
        p_randomization=approximate_randomization(differences, trials, seed),
    )


def paired_bootstrap(differences: Array, means: Array) -> Array:
    """p-values (…) from differences (n, …) and their resampled means (resamples, …).

    The resampled differences, shifted to a mean of 0, stand for what chance gives (Riezler & Maxwell 2005).
    """
    observed = np.abs(differences.mean(axis=0))
    shifted = np.abs(means - means.mean(axis=0))
    return _p_value(at_least(shifted, observed).sum(axis=0), len(means))


def approximate_randomization(differences: Array, trials: int = 10_000, seed: int = 12345) -> Array:
    """p-values (…) by swapping the two systems' scores of each summary with probability one half.

    Swapping a summary flips the sign of its difference, so a trial is a random vector of signs.
    """
    flat = differences.reshape(len(differences), -1)
    observed = np.abs(flat.sum(axis=0))
    random = np.random.default_rng(seed)
    rows = max(1, _CELLS // len(flat))
    exceeded = np.zeros(flat.shape[1])
    for first in range(0, trials, rows):
        size = (min(rows, trials - first), len(flat))
        signs = random.integers(0, 2, size=size, dtype=np.int8).astype(np.float64) * 2 - 1
        exceeded += at_least(np.abs(signs @ flat), observed).sum(axis=0)
    return _p_value(exceeded, trials).reshape(differences.shape[1:])


def at_least(values: Array, threshold: Array) -> Array:
    """values >= threshold, sums of the same numbers in another order counting as equal."""
    return np.asarray(values >= threshold - 1e-9)


def _p_value(exceeded: Array, draws: int) -> Array:
    return np.asarray((exceeded + 1) / (draws + 1))
