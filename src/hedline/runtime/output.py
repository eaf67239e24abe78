"""The output layer over a shortlist: logits only for the words that an input may need.

Every input of a batch has its own candidates. The paper's `V h + W enc` becomes `V h + p (X̄ Wᵀ)`: the second factor
is computed once for an input, so that a step costs one product with `V` and a short sum instead of two products.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedline.runtime import kernels
from hedline.runtime.layers import Chosen, Floats, Groups, Ints, Table


class OutputLayer:
    """`table (Vout, K)` and `bias (Vout,)`; open it for a batch's candidates to score hidden states."""

    def __init__(self, table: Table, bias: Floats) -> None:
        self.table, self.bias = table, bias

    def open(self, candidates: Sequence[Ints] | None, batch: int) -> OpenOutput:
        """The layer restricted to each input's candidates (the whole vocabulary when None)."""
        return OpenOutput(self, candidates, batch)


class OpenOutput:
    """An output layer bound to the candidates of a batch of inputs."""

    def __init__(self, layer: OutputLayer, candidates: Sequence[Ints] | None, batch: int) -> None:
        self._candidates = None if candidates is None else [np.asarray(ids, np.int64) for ids in candidates]
        self._weights = self._chosen(layer.table, batch)
        if self._candidates is None:
            self._bias = [layer.bias] * batch
        else:
            self._bias = [layer.bias[ids] for ids in self._candidates]
        self._mixtures: list[Floats] | None = None
        self.width = max((len(bias) for bias in self._bias), default=0)

    def _chosen(self, table: Table, batch: int) -> list[Chosen]:
        if self._candidates is None:
            return [table.choose(None)] * batch
        return [table.choose(ids) for ids in self._candidates]

    def add_bias(self, table: Table, vectors: Floats) -> None:
        """Add to every logit of input b the product of vectors[b] (B, K) with its row of another table."""
        for b, chosen in enumerate(self._chosen(table, len(vectors))):
            extra = np.empty((1, chosen.size), np.float32)
            chosen.product(vectors[b : b + 1], extra)
            self._bias[b] = self._bias[b] + extra[0]

    def set_mixtures(self, table: Table, vectors: Sequence[Floats]) -> None:
        """vectors[b] (n_b, K): rows later add to their logits `mixture · vectors[b] · tableᵀ`."""
        self._mixtures = []
        for chosen, values in zip(self._chosen(table, len(vectors)), vectors, strict=True):
            extra = np.empty((len(values), chosen.size), np.float32)
            chosen.product(values, extra)
            self._mixtures.append(extra)

    def log_probs(self, hidden: Floats, parts: Groups, mixture: Floats | None = None) -> Floats:
        """Log-probabilities (rows, S), -inf on padding.

        hidden: (rows, K); parts: the rows of each input (`layers.groups`); mixture: (rows, n) weights of the vectors
        given to `set_mixtures` (row r uses as many as its input has).
        """
        logits = np.full((len(hidden), self.width), -np.inf, np.float32)
        for owner, rows in parts:
            bias = self._bias[owner]
            direct = isinstance(rows, slice)
            part = logits[rows] if direct else np.empty((len(hidden[rows]), len(bias)), np.float32)
            self._weights[owner].product(hidden[rows], part)
            part[:, : len(bias)] += bias
            if self._mixtures is not None and mixture is not None:
                extra = self._mixtures[owner]
                kernels.mix(part, mixture[rows, : len(extra)], extra)
            if not direct:
                logits[rows, : len(bias)] = part
        return kernels.log_softmax(logits)
