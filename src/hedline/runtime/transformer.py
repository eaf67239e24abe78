"""The transformer on numpy and the compiled kernels: the network of models/transformer.py without torch.

Inputs are laid end to end, so no time is spent on padding. Keys and values of the pieces written so far lie in one
growing pool a layer; a hypothesis is a row of indices into it, so reordering hypotheses copies indices only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.runtime import kernels
from hedline.runtime.folder import ModelFolder
from hedline.runtime.kernels import Keys
from hedline.runtime.layers import Floats, Ints, Linear, Table, groups
from hedline.runtime.output import OpenOutput, OutputLayer
from hedline.runtime.step import Step
from hedline.runtime.tensors import TensorFile


class Norm:
    """Layer normalisation."""

    def __init__(self, tensors: TensorFile, name: str) -> None:
        self.weight, self.bias = tensors.float(f"{name}.weight"), tensors.float(f"{name}.bias")

    def __call__(self, x: Floats) -> Floats:
        """(n, width) to (n, width)."""
        return kernels.layer_norm(x, self.weight, self.bias)


class FeedForward:
    """Normalise, widen, ReLU, narrow, add back."""

    def __init__(self, tensors: TensorFile, place: str) -> None:
        self.norm = Norm(tensors, f"{place}.feed_norm")
        self.up, self.down = Linear(tensors, f"{place}.feed.up"), Linear(tensors, f"{place}.feed.down")

    def __call__(self, x: Floats) -> Floats:
        """(n, width) to (n, width)."""
        return self.down(self.up(self.norm(x), relu=True), residual=x)


class SelfAttention:
    """Normalise, attend to the same sequence, add back. Queries, keys and values are one product."""

    def __init__(self, tensors: TensorFile, place: str, heads: int) -> None:
        name = f"{place}.attention"
        self.norm = Norm(tensors, f"{name}_norm")
        self.project = Linear(tensors, f"{name}.query", f"{name}.key_value")
        self.output = Linear(tensors, f"{name}.output")
        self.heads = heads


class EncoderLayer:
    """Self-attention and feed-forward over inputs laid end to end."""

    def __init__(self, tensors: TensorFile, place: str, heads: int) -> None:
        self.attention = SelfAttention(tensors, place, heads)
        self.feed = FeedForward(tensors, place)

    def __call__(self, x: Floats, keys: Keys) -> Floats:
        """x (tokens, width); keys: the span of each token's own input."""
        width, own = x.shape[1], self.attention
        projected = own.project(own.norm(x))
        mixed, _ = kernels.attend(projected, 0, projected, (width, 2 * width), keys, own.heads, width)
        return self.feed(own.output(mixed, residual=x))


class DecoderLayer:
    """Self-attention over the pieces so far, attention to the input, feed-forward."""

    def __init__(self, tensors: TensorFile, place: str, heads: int) -> None:
        self.attention = SelfAttention(tensors, place, heads)
        self.cross_norm = Norm(tensors, f"{place}.cross_norm")
        self.cross_query = Linear(tensors, f"{place}.cross.query")
        self.cross_key_value = Linear(tensors, f"{place}.cross.key_value")
        self.cross_output = Linear(tensors, f"{place}.cross.output")
        self.feed = FeedForward(tensors, place)
        self.heads = heads

    def __call__(self, y: Floats, pool: Pool, own: Keys, memory: Floats, spans: Keys) -> tuple[Floats, Floats]:
        """One piece a row: y (rows, width) to the layer's output and its attention to the input (rows, M).

        own: where each row's pieces are in the pool, this one last; memory: (tokens, 2·width) keys and values of
        the inputs; spans: the input of each row.
        """
        width, mine = y.shape[1], self.attention
        projected = mine.project(mine.norm(y))
        table = pool.append(projected[:, width:])
        mixed, _ = kernels.attend(projected, 0, table, (0, width), own, self.heads, width)
        y = mine.output(mixed, residual=y)
        query = self.cross_query(self.cross_norm(y))
        mixed, weights = kernels.attend(query, 0, memory, (0, width), spans, self.heads, width)
        return self.feed(self.cross_output(mixed, residual=y)), weights


class Pool:
    """Keys and values of every piece any hypothesis of a batch has taken, (n, 2·width); only ever grows."""

    def __init__(self, width: int, capacity: int) -> None:
        self._rows = np.empty((capacity, 2 * width), np.float32)
        self._used = 0

    def append(self, rows: Floats) -> Floats:
        """Add rows; returns the pool so far."""
        end = self._used + len(rows)
        if end > len(self._rows):
            grown = np.empty((2 * end, self._rows.shape[1]), np.float32)
            grown[: self._used] = self._rows[: self._used]
            self._rows = grown
        self._rows[self._used : end] = rows
        self._used = end
        return self._rows[:end]


@dataclass
class Encoded:
    """A batch of inputs: cross-attention keys and values of each layer, where each input lies, and the pools."""

    output: OpenOutput
    memory: list[Floats]
    start: Ints
    length: Ints
    pools: list[Pool]
    pieces: int = 0


class State(NamedTuple):
    """One row for each hypothesis: its input, and the pool indices of its pieces (rows, t)."""

    encoded: Encoded
    owners: Ints
    history: NDArray[np.int32]


class TransformerScorer:
    """A `decoding.scorer.Scorer` for the transformer family."""

    start_id, end_id, unknown_id = 2, 3, 1

    def __init__(self, folder: ModelFolder) -> None:
        architecture, tensors = folder.config.architecture, folder.tensors
        heads: int = architecture["heads"]
        self.width: int = architecture["width"]
        self.embedding = Table(tensors, "embedding.weight")
        self.output = OutputLayer(self.embedding, tensors.float("bias"))
        layers = range(architecture["encoder_layers"])
        self.encoder = [EncoderLayer(tensors, f"encoder.{layer}", heads) for layer in layers]
        layers = range(architecture["decoder_layers"])
        self.decoder = [DecoderLayer(tensors, f"decoder.{layer}", heads) for layer in layers]
        self.encoder_norm, self.decoder_norm = Norm(tensors, "encoder_norm"), Norm(tensors, "decoder_norm")
        self._positions = positions(256, self.width)

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> State:
        """Encode inputs (ragged piece ids); one row for each. An empty input counts as one `<unk>`."""
        inputs = [ids if len(ids) else np.array([self.unknown_id]) for ids in inputs]
        length = np.array([len(ids) for ids in inputs], np.int64)
        start = np.cumsum(length) - length
        places = np.concatenate([np.arange(count) for count in length.tolist()])
        x = self._embed(np.concatenate(inputs), places)
        keys = Keys(np.repeat(length, length), start=np.repeat(start, length))
        for layer in self.encoder:
            x = layer(x, keys)
        x = self.encoder_norm(x)
        memory = [layer.cross_key_value(x) for layer in self.decoder]
        pools = [Pool(self.width, 64 * len(inputs)) for _ in self.decoder]
        encoded = Encoded(self.output.open(candidates, len(inputs)), memory, start, length, pools)
        return State(encoded, np.arange(len(inputs)), np.zeros((len(inputs), 0), np.int32))

    def step(self, state: State, last: Ints) -> Step:
        """Feed one piece to each row."""
        encoded, owners = state.encoded, state.owners
        rows, t = state.history.shape
        y = self._embed(np.asarray(last, np.int64), np.full(rows, t))
        fresh = np.arange(encoded.pieces, encoded.pieces + rows, dtype=np.int32)
        encoded.pieces += rows
        history = np.concatenate([state.history, fresh[:, None]], axis=1)
        own = Keys(np.full(rows, t + 1), index=history)
        spans = Keys(encoded.length[owners], start=encoded.start[owners])
        attention = np.zeros((rows, 0), np.float32)
        for layer, pool, memory in zip(self.decoder, encoded.pools, encoded.memory, strict=True):
            y, attention = layer(y, pool, own, memory, spans)
        log_probs = encoded.output.log_probs(self.decoder_norm(y), groups(owners))
        longest = int(encoded.length.max())
        if attention.shape[1] < longest:  # the longest inputs have no live rows any more
            attention = np.pad(attention, ((0, 0), (0, longest - attention.shape[1])))
        return Step(log_probs, attention, State(encoded, owners, history))

    def select(self, state: State, rows: Ints) -> State:
        """Reorder, repeat and drop rows."""
        return State(state.encoded, state.owners[rows], np.ascontiguousarray(state.history[rows]))

    def _embed(self, ids: Ints, places: Ints) -> Floats:
        """Scaled embeddings plus positions, (n, width)."""
        longest = int(places.max(initial=0)) + 1
        if longest > len(self._positions):
            self._positions = positions(2 * longest, self.width)
        rows = self.embedding.rows(ids) * np.float32(math.sqrt(self.width))
        return np.asarray(rows + self._positions[places])


def positions(length: int, width: int) -> Floats:
    """Sinusoidal positions, (length, width): sines in the first half, cosines in the second."""
    half = width // 2
    rates = np.exp(np.arange(half, dtype=np.float32) * np.float32(-math.log(10000.0) / (half - 1)))
    angles = np.arange(length, dtype=np.float32)[:, None] * rates[None]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
