"""The hypotheses of all rounds, input by input: what MERT optimises over.

A hypothesis is a text, its feature values (the model's score is weights · features) and its sufficient
statistics against the references. Nothing here knows how any of them were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SAME_FEATURES = 1e-3


@dataclass(frozen=True)
class Hypothesis:
    """One summary: its text, features (k,) and statistics (metrics, 3) or any other fixed shape."""

    text: str
    features: Array
    statistics: Array


@dataclass(frozen=True)
class Lists:
    """N-best lists one after the other.

    features: (n, k); statistics: (n, …); starts: (inputs,) the first row of each input's list. No list is empty.
    """

    features: Array
    statistics: Array
    starts: Indices

    @property
    def inputs(self) -> int:
        """How many lists there are."""
        return len(self.starts)

    @cached_property
    def owners(self) -> Indices:
        """(n,) the input that each row belongs to."""
        lengths = np.diff(self.starts, append=len(self.features))
        return np.repeat(np.arange(self.inputs), lengths)

    def best(self, weights: Array) -> Indices:
        """(inputs,) the row each list's top hypothesis has under `weights`; the earliest row wins a tie."""
        scores = self.features @ weights
        top = np.maximum.reduceat(scores, self.starts)
        rows = np.flatnonzero(scores == top[self.owners])
        return rows[np.searchsorted(rows, self.starts)]


class Pool:
    """Accumulates hypotheses over the rounds; a hypothesis seen before is not added again.

    The same text with the same features (to 1e-3: batches of other sizes round differently) is the same hypothesis;
    with other features it is another derivation, which wins under other weights. Texts that share their features
    exactly cannot be told apart by any weights: the first, which the decoder ranked higher, stays.
    """

    def __init__(self, inputs: int) -> None:
        self._lists: list[list[Hypothesis]] = [[] for _ in range(inputs)]
        self._texts: list[dict[str, list[Array]]] = [{} for _ in range(inputs)]
        self._features: list[set[bytes]] = [set() for _ in range(inputs)]

    def __len__(self) -> int:
        return sum(len(hypotheses) for hypotheses in self._lists)

    def add(self, index: int, hypotheses: Sequence[Hypothesis]) -> int:
        """Merge one input's hypotheses, best first; returns how many were new."""
        before = len(self._lists[index])
        for hypothesis in hypotheses:
            if not self._known(index, hypothesis):
                self._texts[index].setdefault(hypothesis.text, []).append(hypothesis.features)
                self._features[index].add(hypothesis.features.tobytes())
                self._lists[index].append(hypothesis)
        return len(self._lists[index]) - before

    def _known(self, index: int, hypothesis: Hypothesis) -> bool:
        if hypothesis.features.tobytes() in self._features[index]:
            return True
        twins = self._texts[index].get(hypothesis.text, ())
        return any(float(np.abs(twin - hypothesis.features).max()) < SAME_FEATURES for twin in twins)

    def hypotheses(self) -> list[list[Hypothesis]]:
        """Every input's hypotheses in the order they were added."""
        return self._lists

    def lists(self) -> Lists:
        """All hypotheses as arrays, in the order they were added; inputs without any are left out."""
        filled = [hypotheses for hypotheses in self._lists if hypotheses]
        rows = [hypothesis for hypotheses in filled for hypothesis in hypotheses]
        lengths = [len(hypotheses) for hypotheses in filled]
        return Lists(
            features=np.array([row.features for row in rows], dtype=np.float64),
            statistics=np.array([row.statistics for row in rows], dtype=np.float64),
            starts=np.cumsum([0, *lengths[:-1]], dtype=np.int64),
        )
