"""Discounts of modified Kneser-Ney smoothing (Chen & Goodman 1998, equation 26)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FALLBACK = (0.5, 1.0, 1.5)  # lmplz's --discount_fallback, for orders too small to estimate from


@dataclass(frozen=True)
class Discount:
    """What is taken from n-grams seen once, twice and more often; `estimated` is False for the fallback."""

    once: float
    twice: float
    more: float
    estimated: bool = True

    def table(self) -> NDArray[np.float64]:
        """(4,) the discount by count, counts above 3 as 3."""
        return np.array([0.0, self.once, self.twice, self.more])


def estimate_discount(counts: NDArray[np.int64]) -> Discount:
    """D1, D2 and D3+ from the adjusted counts of one order.

    Tiny or artificial text may lack n-grams of count 1, 2 or 3 or give a discount outside 0 … count;
    then the fixed fallback is used and marked.
    """
    t = np.bincount(np.minimum(counts[counts > 0], 5), minlength=6).astype(float)
    if not t[1:4].all():
        return Discount(*FALLBACK, estimated=False)
    y = t[1] / (t[1] + 2 * t[2])
    once, twice, more = (float(k - (k + 1) * y * t[k + 1] / t[k]) for k in (1, 2, 3))
    if not (0 <= once <= 1 and 0 <= twice <= 2 and 0 <= more <= 3):
        return Discount(*FALLBACK, estimated=False)
    return Discount(once, twice, more)
