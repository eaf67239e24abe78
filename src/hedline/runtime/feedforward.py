"""Section 3 of the paper on numpy: the feed-forward neural language model with its four encoders.

The context enters only through sums over its C slots, `U E_c` and `P G_c`, so each word's contribution to each slot
is computed once and remembered: a step adds C vectors instead of multiplying matrices.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import Floats, Ints, Table, groups, pad, softmax, uniform_attention
from hedline.runtime.output import OpenOutput, OutputLayer
from hedline.runtime.step import Step
from hedline.runtime.tensors import TensorFile


@dataclass(frozen=True)
class Encoded:
    """A batch of inputs: everything that does not change while their headlines are written.

    embedded (B, M, H): x̃, for attention only; attention (B, M): what models without attention report.
    """

    output: OpenOutput
    mask: NDArray[np.bool_]
    attention: Floats
    embedded: Floats | None


class State(NamedTuple):
    """One row for each hypothesis: its input and its last C output words."""

    encoded: Encoded
    owners: Ints
    context: Ints


class SlotProducts:
    """For an output word and each context slot c, `weight_c · table[word]`: (n, C, H), remembered for recent words."""

    def __init__(self, table: Table, weight: Floats, C: int, capacity: int = 2048) -> None:
        self.table, self.C, self.H = table, C, weight.shape[0]
        D = weight.shape[1] // C
        self._by_slot = np.ascontiguousarray(weight.reshape(self.H, C, D).transpose(2, 1, 0).reshape(D, C * self.H))
        self._capacity = capacity
        self._place = np.full(table.rows_total, -1, np.int64)
        self._values = np.empty((0, C, self.H), np.float32)
        self._used = 0
        self._lock = threading.Lock()

    def summed(self, context: Ints) -> Floats:
        """Sum over slots for contexts (rows, C) of output ids: (rows, H)."""
        with self._lock:
            words = np.unique(context)
            missing = words[self._place[words] < 0]
            if self._used + len(missing) > self._capacity:  # rare: forget everything but this context
                self._place[:], self._used, missing = -1, 0, words
                self._capacity = max(self._capacity, len(words))
            self._remember(missing)
            return np.asarray(self._values[self._place[context], np.arange(self.C)].sum(axis=1))

    def _remember(self, words: Ints) -> None:
        if not len(words):
            return
        fresh = (self.table.rows(words) @ self._by_slot).reshape(len(words), self.C, self.H)
        end = self._used + len(words)
        if end > len(self._values):
            grown = np.empty((min(self._capacity, max(64, 2 * end)), self.C, self.H), np.float32)
            grown[: self._used] = self._values[: self._used]
            self._values = grown
        self._values[self._used : end] = fresh
        self._place[words] = np.arange(self._used, end)
        self._used = end


class FeedForwardScorer:
    """A `decoding.scorer.Scorer` for the feed-forward family."""

    start_id, end_id, unknown_id = 2, 3, 1

    def __init__(self, folder: ModelFolder) -> None:
        architecture, tensors = folder.config.architecture, folder.tensors
        self.kind: str = architecture["encoder"]
        self.C: int = architecture["C"]
        self.Q: int = architecture.get("Q", 0)
        self.hidden_bias = tensors.float("U.bias")
        self.context = SlotProducts(Table(tensors, "E.weight"), tensors.float("U.weight"), self.C)
        self.output = OutputLayer(Table(tensors, "V.weight"), tensors.float("V.bias"))
        if self.kind != "none":
            self.W = Table(tensors, "W.weight")
            self.F = Table(tensors, "encoder.F.weight")
        if self.kind == "attention":
            self.query = SlotProducts(Table(tensors, "encoder.G.weight"), tensors.float("encoder.P.weight"), self.C)
        if self.kind == "conv":
            self.convolutions = _load_convolutions(tensors, architecture["L"])

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> State:
        """Encode inputs (ragged input ids); one row for each, its context all `<s>`."""
        ids, mask = pad(inputs)
        output = self.output.open(candidates, len(inputs))
        embedded = None
        if self.kind != "none":
            rows = self.F.rows(ids.ravel()).reshape(*ids.shape, -1) * mask[..., None]
            if self.kind == "attention":
                embedded = rows
                smooth = smoothed(rows, self.Q)
                output.set_mixture([output.product(b, self.W, smooth[b]) for b in range(len(inputs))])
            else:
                for b, length in enumerate(mask.sum(axis=1).tolist()):
                    fixed = self._fixed_encoding(rows[b, :length])
                    output.add_bias(b, output.product(b, self.W, fixed[None])[0])
        encoded = Encoded(output, mask, uniform_attention(mask), embedded)
        context = np.full((len(inputs), self.C), self.start_id, np.int64)
        return State(encoded, np.arange(len(inputs)), context)

    def _fixed_encoding(self, rows: Floats) -> Floats:
        """enc₁ or enc₂ of one input's embedded words (M, H): (H,)."""
        if not len(rows):
            return np.zeros(rows.shape[1], np.float32)
        if self.kind == "bow":
            return np.asarray(rows.mean(axis=0))
        for weight, bias in self.convolutions:
            rows = pooled(convolved(rows, weight, bias))
        return np.asarray(rows.max(axis=0))

    def step(self, state: State, last: Ints) -> Step:
        """Shift `last` into each row's context and score every candidate."""
        encoded = state.encoded
        context = np.concatenate([state.context[:, 1:], np.asarray(last, np.int64)[:, None]], axis=1)
        hidden = np.tanh(self.context.summed(context) + self.hidden_bias)
        attention = self._attend(encoded, state.owners, context)
        mixture = attention if encoded.embedded is not None else None
        log_probs = encoded.output.log_probs(hidden, state.owners, mixture)
        return Step(log_probs, attention, State(encoded, state.owners, context))

    def _attend(self, encoded: Encoded, owners: Ints, context: Ints) -> Floats:
        """p ∝ exp(x̃ P ỹ′): (rows, M)."""
        if encoded.embedded is None:
            return encoded.attention[owners]
        query = self.query.summed(context)
        scores = np.empty((len(owners), encoded.mask.shape[1]), np.float32)
        for owner, rows in groups(owners):
            scores[rows] = query[rows] @ encoded.embedded[owner].T
        return softmax(np.where(encoded.mask[owners], scores, -np.inf))

    def select(self, state: State, rows: Ints) -> State:
        """Reorder, repeat and drop rows."""
        return State(state.encoded, state.owners[rows], state.context[rows])


def smoothed(rows: Floats, Q: int) -> Floats:
    """x̄: mean over 2Q+1 neighbours, zeros beyond the ends; rows (B, M, H).

    The paper divides the 2Q+1 terms by Q and writes x̃_i for x̃_q; both are slips.
    """
    length = rows.shape[1]
    padded = np.pad(rows, ((0, 0), (Q, Q), (0, 0)))
    total = sum(padded[:, shift : shift + length] for shift in range(2 * Q + 1))
    return np.asarray(total / (2 * Q + 1), np.float32)


def convolved(rows: Floats, weight: Floats, bias: Floats) -> Floats:
    """One zero-padded convolution over time: rows (M, H), weight ((2Q+1)·H, H) to (M, H)."""
    width = weight.shape[0] // rows.shape[1]
    padded = np.pad(rows, ((width // 2, width // 2), (0, 0)))
    windows = np.concatenate([padded[shift : shift + len(rows)] for shift in range(width)], axis=1)
    return np.asarray(windows @ weight + bias)


def pooled(rows: Floats) -> Floats:
    """tanh of the maximum of each pair of neighbours; a last odd row stands alone: (M, H) to (⌈M/2⌉, H)."""
    if len(rows) % 2:
        rows = np.concatenate([rows, rows[-1:]])
    return np.tanh(np.maximum(rows[0::2], rows[1::2]))


def _load_convolutions(tensors: TensorFile, layers: int) -> list[tuple[Floats, Floats]]:
    """Weights as ((2Q+1)·H, H), so that a convolution is one product, with their biases."""
    loaded: list[tuple[Any, Any]] = []
    for layer in range(layers):
        weight = tensors.float(f"encoder.Q.{layer}.weight")  # (out, in, width)
        flat = weight.transpose(2, 1, 0).reshape(-1, weight.shape[0])
        loaded.append((np.ascontiguousarray(flat), tensors.float(f"encoder.Q.{layer}.bias")))
    return loaded
