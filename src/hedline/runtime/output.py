"""The output layer over a shortlist: logits only for the words that an input may need.

Every input of a batch has its own candidates; rows of the same input share the gathered weights. The paper's
`V h + W enc` becomes `V h + p (X̄ Wᵀ)`: the second factor is computed once for an input, so that a step costs one
product with `V` instead of two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedline.runtime.layers import Floats, Ints, Table, groups, log_softmax


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
        self.layer = layer
        self.candidates = None if candidates is None else [np.asarray(ids, np.int64) for ids in candidates]
        if self.candidates is None:
            everything = layer.table.rows(None).T
            self._weights = [everything] * batch
            self._bias = [layer.bias] * batch
        else:
            self._weights = [layer.table.rows(ids).T for ids in self.candidates]
            self._bias = [layer.bias[ids] for ids in self.candidates]
        self.width = max((len(bias) for bias in self._bias), default=0)
        self._extra: list[Floats] | None = None

    def product(self, owner: int, table: Table, x: Floats) -> Floats:
        """x (n, K') times the candidates' rows of another table, (n, S)."""
        rows = table.rows(None if self.candidates is None else self.candidates[owner])
        return x @ rows.T

    def add_bias(self, owner: int, extra: Floats) -> None:
        """Add (S,) to every logit of an input."""
        self._bias[owner] = self._bias[owner] + extra

    def set_mixture(self, extra: list[Floats]) -> None:
        """extra[b] (M, S): rows later add `mixture @ extra[b]` to their logits."""
        self._extra = extra

    def log_probs(self, hidden: Floats, owners: Ints, mixture: Floats | None = None) -> Floats:
        """hidden (rows, K), owners (rows,) the input of each row, mixture (rows, M) to (rows, S)."""
        logits = np.full((len(hidden), self.width), -np.inf, np.float32)
        for owner, rows in groups(owners):
            scores = hidden[rows] @ self._weights[owner] + self._bias[owner]
            if self._extra is not None and mixture is not None:
                extra = self._extra[owner]
                scores += mixture[rows, : len(extra)] @ extra
            logits[rows, : scores.shape[1]] = scores
        return log_softmax(logits)
