"""Torch implementations of the search's `Scorer`: the same answers as runtime/'s numpy ones, on a GPU when wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hedline.arrays import Floats, Ints
from hedline.errors import UserError
from hedline.models.batch import END, START, UNKNOWN, pad
from hedline.models.encoders import Memory
from hedline.models.nnlm import FeedForward
from hedline.models.recurrent import Recurrent, State
from hedline.runtime import Step


class Candidates(NamedTuple):
    """The output rows each input may use: weight (B, S, K), bias (B, S) with -inf on padding; None means all."""

    weight: Tensor
    bias: Tensor


class RowState(NamedTuple):
    """One row a hypothesis: which input it belongs to, and what the decoder remembers.

    uniform: (B, M) equal weights, what a model without encoder reports as its alignment; owner: (R,)
    input of each row; words: (R, C) the last words (feed-forward); recurrent: (h, cell) or None.
    """

    memory: Memory | None
    candidates: Candidates | None
    uniform: Tensor
    owner: Tensor
    words: Tensor
    recurrent: State | None


class TorchScorer:
    """A feed-forward or recurrent model as the search sees it (`runtime.Scorer`)."""

    start_id, end_id, unknown_id = START, END, UNKNOWN

    def __init__(self, model: FeedForward | Recurrent) -> None:
        self.model = model.eval()
        self.device = model.output.weight.device
        if isinstance(model, FeedForward):
            self.C = model.shape.C  # tells the search that hypotheses with the same last C words may be merged

    @torch.inference_mode()
    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> RowState:
        """Encode a batch; one row an input."""
        ids, lengths = pad([list(map(int, row)) for row in inputs], self.device)
        memory = self.model.read(ids, lengths)
        count = len(inputs)
        width = self.model.shape.C if isinstance(self.model, FeedForward) else 1
        words = torch.full((count, width), START, device=self.device)
        recurrent = self.model.first(memory) if isinstance(self.model, Recurrent) and memory is not None else None
        owner = torch.arange(count, device=self.device)
        real = torch.arange(ids.shape[1], device=self.device) < lengths.clamp(min=1)[:, None]
        uniform = real / real.sum(dim=1, keepdim=True)
        return RowState(memory, self._restrict(candidates), uniform, owner, words, recurrent)

    @torch.inference_mode()
    def step(self, state: RowState, last: Ints) -> Step:
        """Feed `last` (rows,) and score the next word."""
        fed = torch.as_tensor(np.asarray(last), dtype=torch.long, device=self.device)
        words = torch.cat([state.words[:, 1:], fed[:, None]], dim=1)
        memory = None if state.memory is None else state.memory.select(state.owner)
        recurrent = state.recurrent
        if isinstance(self.model, Recurrent):
            assert memory is not None and recurrent is not None
            gates = self.model.word_gates(self.model.E(fed))
            recurrent, vectors, weights = self.model.advance(memory, recurrent, gates)
        else:
            grid, alignment = self.model.predict(memory, words)
            vectors = grid[:, 0]
            weights = state.uniform[state.owner] if alignment is None else alignment[:, 0]
        log_probs = self._score(vectors, state)
        return Step(_numpy(log_probs), _numpy(weights), state._replace(words=words, recurrent=recurrent))

    def select(self, state: RowState, rows: Ints) -> RowState:
        """Reorder, repeat and drop rows."""
        index = torch.as_tensor(np.asarray(rows), dtype=torch.long, device=self.device)
        recurrent = None if state.recurrent is None else (state.recurrent[0][index], state.recurrent[1][index])
        return state._replace(owner=state.owner[index], words=state.words[index], recurrent=recurrent)

    def _restrict(self, candidates: Sequence[Ints] | None) -> Candidates | None:
        if candidates is None:
            return None
        ids, lengths = pad([list(map(int, row)) for row in candidates], self.device)
        real = torch.arange(ids.shape[1], device=self.device) < lengths[:, None]
        bias = self.model.output.bias[ids].masked_fill(~real, -torch.inf)
        return Candidates(self.model.output.weight[ids], bias)

    def _score(self, vectors: Tensor, state: RowState) -> Tensor:
        """(R, K) to log-probabilities (R, S or V)."""
        if state.candidates is None:
            return torch.log_softmax(self.model.output(vectors).float(), dim=-1)
        weight, bias = state.candidates.weight[state.owner], state.candidates.bias[state.owner]
        return torch.log_softmax((torch.einsum("rk,rsk->rs", vectors, weight) + bias).float(), dim=-1)


def torch_scorer(model: Any) -> TorchScorer:
    """The scorer of a model; families without one here are an error."""
    if isinstance(model, FeedForward | Recurrent):
        return TorchScorer(model)
    raise UserError(f"no torch scorer for models of the {model.family} family; decode with the numpy runtime")


def _numpy(values: Tensor) -> Floats:
    return values.float().cpu().numpy()
