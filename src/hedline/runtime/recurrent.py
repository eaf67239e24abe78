"""Chopra et al. 2016 on numpy: the attention model with a recurrent decoder, Elman or LSTM.

p ∝ exp(z h_{t-1}), c_t = Σ p_i F x_i, h_t = cell(E y_{t-1}, h_{t-1}, c_t), p(y_t) ∝ exp(V h_t + W c_t).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedline.arrays import Flags, Floats, Ints
from hedline.runtime import Step
from hedline.runtime.feedforward import convolved, flat_convolution
from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import (
    Groups,
    Linear,
    OpenOutput,
    OutputLayer,
    Table,
    groups,
    pad,
    sigmoid,
    softmax,
    steady_product,
)


@dataclass(frozen=True)
class Encoded:
    """A batch of inputs: words (B, M, H) are mixed, keys (B, M, H) are compared with the state."""

    output: OpenOutput
    mask: Flags
    words: Floats
    keys: Floats


class State(NamedTuple):
    """One row for each hypothesis: its input, hidden state and (LSTM) cell, each (rows, H)."""

    encoded: Encoded
    owners: Ints
    hidden: Floats
    cell: Floats


class RecurrentScorer:
    """A `decoding.scorer.Scorer` for the recurrent family."""

    start_id, end_id, unknown_id = 2, 3, 1

    def __init__(self, folder: ModelFolder) -> None:
        tensors = folder.tensors
        self.lstm = folder.config.architecture["decoder"] == "lstm"
        self.E, self.F = Table(tensors, "E.weight"), Table(tensors, "encoder.F.weight")
        self.W = Table(tensors, "W.weight")
        self.position = tensors.float("encoder.position.weight")
        self.convolution = flat_convolution(tensors, "encoder.Z")
        self.word_gates = Linear(tensors, "word_gates")
        self.state_gates = Linear(tensors, "state_gates", bias=False)
        self.output = OutputLayer(Table(tensors, "V.weight"), tensors.float("V.bias"))

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> State:
        """Encode inputs (ragged input ids); one row for each, its state zero."""
        ids, mask = pad(inputs)
        words = self.F.rows(ids.ravel()).reshape(*ids.shape, -1) * (ids != 0)[..., None]
        places = self.position[np.minimum(np.arange(ids.shape[1]), len(self.position) - 1)]
        placed = (words + places) * mask[..., None]
        keys = np.stack([convolved(rows, *self.convolution) for rows in placed])
        output = self.output.open(candidates, len(inputs))
        lengths = mask.sum(axis=1).tolist()
        output.set_mixtures(self.W, [words[b, :length] for b, length in enumerate(lengths)])
        zero = np.zeros((len(inputs), words.shape[2]), np.float32)
        return State(Encoded(output, mask, words, keys), np.arange(len(inputs)), zero, zero)

    def step(self, state: State, last: Ints) -> Step:
        """Feed one word to each row."""
        encoded, owners = state.encoded, state.owners
        parts = groups(owners)
        weights, context = self._attend(encoded, owners, parts, state.hidden)
        gates = self.word_gates(self.E.rows(np.asarray(last, np.int64)))
        gates = self.state_gates(np.concatenate([state.hidden, context], axis=1), residual=gates)
        hidden, cell = self._advance(gates, state.cell)
        log_probs = encoded.output.log_probs(hidden, parts, weights)
        return Step(log_probs, weights, State(encoded, owners, hidden, cell))

    def _advance(self, gates: Floats, cell: Floats) -> tuple[Floats, Floats]:
        """The new state and cell from the summed gates (rows, H or 4H)."""
        if not self.lstm:
            return sigmoid(gates), cell
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
        return sigmoid(leave) * np.tanh(cell), cell

    def _attend(self, encoded: Encoded, owners: Ints, parts: Groups, hidden: Floats) -> tuple[Floats, Floats]:
        """Alignment (rows, M) of each state with its input, and the mixed words (rows, H)."""
        scores = np.full((len(owners), encoded.mask.shape[1]), -np.inf, np.float32)
        context = np.empty_like(hidden)
        lengths = encoded.mask.sum(axis=1)  # a product with padding would round otherwise
        for owner, rows in parts:
            scores[rows, : lengths[owner]] = steady_product(hidden[rows], encoded.keys[owner, : lengths[owner]].T)
        weights = softmax(scores)
        for owner, rows in parts:
            context[rows] = steady_product(weights[rows, : lengths[owner]], encoded.words[owner, : lengths[owner]])
        return weights, context

    def select(self, state: State, rows: Ints) -> State:
        """Reorder, repeat and drop rows."""
        return State(state.encoded, state.owners[rows], state.hidden[rows], state.cell[rows])
