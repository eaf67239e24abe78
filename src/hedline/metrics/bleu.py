"""BLEU-4 from sufficient statistics, as the release of the paper tuned on it (Z-MERT, closest reference length).

Only for comparing tuning objectives; headlines are reported in ROUGE.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedline.metrics.ngrams import ngrams
from hedline.metrics.statistics import Array

ORDER = 4
WIDTH = 2 * ORDER + 2  # matches and totals of each order, candidate length, closest reference length


def bleu_statistics(candidate: Sequence[str], references: Sequence[Sequence[str]]) -> Array:
    """(10,): matches 1…4, candidate n-grams 1…4, candidate length, closest reference length; add them up freely."""
    matches, totals = [], []
    for n in range(1, ORDER + 1):
        ours = ngrams(candidate, n)
        theirs = [ngrams(reference, n).counts for reference in references]
        matches.append(
            sum(min(count, max(each.get(gram, 0) for each in theirs)) for gram, count in ours.counts.items())
        )
        totals.append(ours.total)
    length = len(candidate)
    closest = min((len(reference) for reference in references), key=lambda other: (abs(other - length), other))
    return np.array([*matches, *totals, length, closest], dtype=np.float64)


def bleu(statistics: Array) -> Array:
    """BLEU in 0..1 of statistics (…, 10), already summed over a corpus; 0 when an order has no match."""
    statistics = np.asarray(statistics, dtype=np.float64)
    matches, totals = statistics[..., :ORDER], statistics[..., ORDER : 2 * ORDER]
    length, closest = statistics[..., 2 * ORDER], statistics[..., 2 * ORDER + 1]
    some = matches.min(axis=-1) > 0
    precision = np.where(some[..., None], matches, 1.0) / np.maximum(totals, 1.0)
    brevity = np.minimum(0.0, 1.0 - closest / np.maximum(length, 1e-9))
    return np.asarray(np.where(some, np.exp(brevity + np.log(precision).mean(axis=-1)), 0.0))
