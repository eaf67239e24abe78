"""Minimum-Bayes-risk choice: of one input's candidates, the one that the others agree with most.

A beam's best headline is the likeliest, not the one expected to score best. If the candidates are what a reader might
have written, each as likely as its key says, the headline with the highest expected overlap (mean of the unigram and
the bigram F1) is the one to print (Kumar and Byrne, 2004).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedline.decoding.summary import Hypothesis

Floats = NDArray[np.float64]

CANDIDATES = 8  # how many of the search's best endings vote
TEMPERATURE = 1.0  # of the votes: their weights are softmax(key / temperature)
DIGITS = 9  # expected overlaps that agree so far are equal, whatever order a processor added them in

_WORD = re.compile(r"[^\W_]+")


def by_consensus(candidates: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Candidates (best key first) by expected overlap, highest first; equal ones keep their order."""
    if len(candidates) < 2:
        return list(candidates)
    expected = expected_overlap([each.text for each in candidates], [each.key for each in candidates])
    order = np.argsort(-expected.round(DIGITS), kind="stable")
    return [candidates[place] for place in order]


def expected_overlap(texts: Sequence[str], keys: Sequence[float], temperature: float = TEMPERATURE) -> Floats:
    """(n,) each text's mean overlap with all of them, itself included, weighted by softmax(keys / temperature)."""
    votes = np.exp((np.asarray(keys, np.float64) - max(keys)) / temperature)
    return np.asarray((overlaps(texts) * votes).sum(axis=1) / votes.sum())


def overlaps(texts: Sequence[str]) -> Floats:
    """(n, n) how much every two texts share: the mean of the unigram and the bigram F1."""
    words = [_WORD.findall(text.lower()) for text in texts]
    return (_f1(words) + _f1([list(pairwise(each)) for each in words])) / 2


def _f1(grams: Sequence[Sequence[object]]) -> Floats:
    """(n, n) F1 between every two lists of n-grams: twice what they share over what both have; 0 where both are empty.

    Counts make it a table of n-grams that two rows share at most as often as the rarer of them has it.
    """
    places: dict[object, int] = {}
    counts = np.zeros((len(grams), sum(map(len, grams))), np.int64)
    for row, each in enumerate(grams):
        for gram, count in Counter(each).items():
            counts[row, places.setdefault(gram, len(places))] = count
    counts = counts[:, : len(places)]
    shared = np.minimum(counts[:, None], counts[None]).sum(axis=2)
    total = counts.sum(axis=1)
    return np.asarray(2.0 * shared / np.maximum(total[:, None] + total[None], 1))
