"""From sufficient statistics (hits and counts) to recall, precision and F, rounded as ROUGE-1.5.5 rounds.

The last axis of a statistics array holds (hits, candidate count, reference count); the last axis of a scores
array holds (recall, precision, F), in 0..1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HITS, CANDIDATE, REFERENCE = 0, 1, 2
RECALL, PRECISION, F_SCORE = 0, 1, 2
SCORE_NAMES = ("R", "P", "F")


def round5(values: Array) -> Array:
    """Round to five decimals exactly as C's printf("%.5f") does: by the decimal expansion of the double.

    numpy rounds the product with 1e5, which errs next to a tie; those few values go through printf itself.
    """
    scaled = values * 1e5
    rounded = np.rint(scaled) / 1e5
    near_tie = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6
    if near_tie.any():
        rounded[near_tie] = [float(f"{value:.5f}") for value in values[near_tie]]
    return rounded


def ratio(hits: Array, counts: Array) -> Array:
    """hits / counts, 0 where the count is 0."""
    return np.divide(hits, counts, out=np.zeros_like(hits), where=counts != 0)


def f_score(recall: Array, precision: Array, alpha: float = 0.5) -> Array:
    """Weighted harmonic mean, alpha the weight of precision (`-p`); 0 where its denominator is 0."""
    denominator = (1 - alpha) * precision + alpha * recall
    return ratio(precision * recall, denominator)


def scores_from(statistics: Array, exponents: Array | None = None, alpha: float = 0.5) -> Array:
    """Recall, precision and F of statistics (…, metrics, 3), same shape.

    exponents: (metrics,), 1 but for ROUGE-W, whose ratios are raised to 1/weight. R and P are rounded before F is
    computed from them, and F is rounded: single summaries equal the script's output digit for digit.
    """
    statistics = np.asarray(statistics, dtype=np.float64)
    recall = ratio(statistics[..., HITS], statistics[..., REFERENCE])
    precision = ratio(statistics[..., HITS], statistics[..., CANDIDATE])
    if exponents is not None and (exponents != 1).any():
        recall, precision = recall**exponents, precision**exponents
    recall, precision = round5(recall), round5(precision)
    return np.stack([recall, precision, round5(f_score(recall, precision, alpha))], axis=-1)
