"""The transformer on numpy and the compiled kernels: the network of models/transformer.py without torch.

Inputs are laid end to end, so no time is spent on padding. Keys and values of the pieces written so far lie in one
growing pool for each layer; a hypothesis is a row of indices into it, so reordering hypotheses copies indices only.
int8 models round activations to one byte, each row with its own step (kernels.Layer); compiled, a whole layer is one
call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Doubles, Floats, Ints
from hedline.runtime import Step, kernels
from hedline.runtime.doubt import Doubt
from hedline.runtime.folder import ModelFolder
from hedline.runtime.kernels import Keys
from hedline.runtime.layers import Linear, OpenOutput, OutputLayer, Pool, Spare, Table, groups
from hedline.runtime.shortlist import CandidateOutput, OpenCandidates
from hedline.runtime.tensors import TensorFile

ROOM = 160  # pieces an input's hypotheses may take before the pool has to be copied
LANES = 16  # keys that lie side by side in a vector, see kernels_attention.h
APART = 16  # floats between rows of the pool: rows a power of two apart would crowd the cache's sets


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
        self.up = Linear(tensors, f"{place}.feed.up", narrow=True)
        self.down = Linear(tensors, f"{place}.feed.down", narrow=True)

    def __call__(self, x: Floats) -> Floats:
        """(n, width) to (n, width)."""
        return self.down(self.up(self.norm(x), relu=True), residual=x)


class SelfAttention:
    """Normalise, attend to the same sequence, add back. Queries, keys and values are one product."""

    def __init__(self, tensors: TensorFile, place: str, heads: int) -> None:
        name = f"{place}.attention"
        self.norm = Norm(tensors, f"{name}_norm")
        self.project = Linear(tensors, f"{name}.query", f"{name}.key_value", narrow=True)
        self.output = Linear(tensors, f"{name}.output", narrow=True)
        self.heads = heads


def compiled_block(layers: Sequence[Linear], norms: Sequence[Norm], heads: int) -> Any:
    """The layer as one object of the compiled kernels; None where they, or int8 weights, are missing."""
    handles = [None if layer.layer is None else layer.layer.handle for layer in layers]
    if any(handle is None for handle in handles):
        return None
    stacked = np.ascontiguousarray([(norm.weight, norm.bias) for norm in norms], np.float32)
    return kernels.compiled.block(tuple(handles), stacked, stacked.shape[2], heads)


@dataclass(frozen=True)
class Inputs:
    """Inputs laid end to end: first token and number of tokens of each, (B,) both.

    packed: (B,) where each input's keys and values begin when they are packed for the kernels, in tokens; room: tokens
    of all of them; longest: tokens of the longest.
    """

    start: Ints
    length: Ints
    packed: Ints
    room: int
    longest: int

    @classmethod
    def of(cls, inputs: Sequence[Ints]) -> Inputs:
        """Where inputs (ragged) lie."""
        length = np.array([len(ids) for ids in inputs], np.int64)
        padded = -(-length // LANES) * LANES  # whole vectors of keys
        ends = np.cumsum(padded)
        return cls(np.cumsum(length) - length, length, ends - padded, int(ends[-1]), int(length.max()))

    def some(self, places: Ints) -> Inputs:
        """Some of the inputs, where they lie among all."""
        return Inputs(self.start[places], self.length[places], self.packed[places], self.room, self.longest)

    @cached_property
    def own(self) -> Keys:
        """The keys of every token: its own input."""
        return Keys(np.repeat(self.length, self.length), start=np.repeat(self.start, self.length))

    def keys(self, owners: Ints) -> Keys:
        """The keys of rows that belong to inputs `owners`."""
        return Keys(self.length[owners], start=self.start[owners])


class EncoderLayer:
    """Self-attention and feed-forward over inputs laid end to end."""

    def __init__(self, tensors: TensorFile, place: str, heads: int) -> None:
        own, feed = SelfAttention(tensors, place, heads), FeedForward(tensors, place)
        self.attention, self.feed = own, feed
        self.block = compiled_block([own.project, own.output, feed.up, feed.down], [own.norm, feed.norm], heads)

    def __call__(self, x: Floats, inputs: Inputs) -> Floats:
        """x (tokens, width), which may be overwritten."""
        if self.block is not None:
            kernels.compiled.encode(self.block, x, inputs.start, inputs.length, len(x), len(inputs.start))
            return x
        width, own = x.shape[1], self.attention
        projected = own.project(own.norm(x))
        mixed, _ = kernels.attend(projected, 0, projected, (width, 2 * width), inputs.own, own.heads, width)
        return self.feed(own.output(mixed, residual=x))


class DecoderLayer:
    """Self-attention over the pieces so far, attention to the input, feed-forward."""

    def __init__(self, tensors: TensorFile, place: str, heads: int) -> None:
        own, feed = SelfAttention(tensors, place, heads), FeedForward(tensors, place)
        self.attention, self.feed, self.heads = own, feed, heads
        self.cross_norm = Norm(tensors, f"{place}.cross_norm")
        self.cross_query = Linear(tensors, f"{place}.cross.query", narrow=True)
        self.cross_key_value = Linear(tensors, f"{place}.cross.key_value", narrow=True)
        self.cross_output = Linear(tensors, f"{place}.cross.output", narrow=True)
        products = [own.project, own.output, feed.up, feed.down, self.cross_query, self.cross_output]
        self.block = compiled_block(products, [own.norm, feed.norm, self.cross_norm], heads)

    def remember(self, x: Floats, inputs: Inputs, spare: Spare) -> Floats:
        """Keys and values of the encoded inputs (tokens, width): (tokens, 2·width), or packed for the kernels."""
        layer = self.cross_key_value.layer
        if self.block is None or layer is None:
            return self.cross_key_value(x)
        memory = spare.take(inputs.room, 2 * x.shape[1])
        at = (inputs.start, inputs.length, inputs.packed)
        kernels.compiled.remember(layer.handle, x, memory, *at, len(x), inputs.room, len(inputs.start), self.heads)
        return memory

    def __call__(
        self,
        y: Floats,
        pool: Pool,
        history: NDArray[np.int32],
        memory: Floats,
        inputs: Inputs,
        owners: Ints,
        longest: int,
    ) -> tuple[Floats, Floats]:
        """One piece a row: y (rows, width), which may be overwritten, to the layer's output and its attention.

        history: (rows, t) where each row's pieces are in the pool, this one last; owners: (rows,) the inputs of the
        rows; longest: columns of the attention wanted, 0 for none.
        """
        used, table = int(history[0, -1]), pool.make_room(int(history[0, -1]), len(y))
        if self.block is not None:
            attention = np.zeros((len(y), longest), np.float32)
            kernels.compiled.decode(
                self.block, y, table, history, memory, inputs.length, inputs.packed, owners,
                attention if longest else None, *history.shape, used, *table.shape, len(memory), len(inputs.start),
                longest,
            )  # fmt: skip
            return y, attention
        (rows, width), own = y.shape, self.attention
        projected = own.project(own.norm(y))
        table[used : used + rows, : 2 * width] = projected[:, width:]
        keys = Keys(np.full(rows, history.shape[1]), index=history)
        mixed, _ = kernels.attend(projected, 0, table, (0, width), keys, self.heads, width)
        y = own.output(mixed, residual=y)
        query = self.cross_query(self.cross_norm(y))
        mixed, weights = kernels.attend(query, 0, memory, (0, width), inputs.keys(owners), self.heads, width)
        y = self.feed(self.cross_output(mixed, residual=y))
        return y, np.pad(weights, ((0, 0), (0, max(longest - weights.shape[1], 0))))


class Tree:
    """The pieces that hypotheses of a batch have taken, each at its place in pools: a hypothesis is a path.

    memory: keys and values of the inputs for each layer; keys: those of the pieces, (n, 2·width + APART); hidden: the
    decoder's output, (n, width), and seen: its attention, (n, M), of compiled steps. A later search of the same inputs
    finds there what an earlier one has computed.
    """

    def __init__(self, spare: Spare, memory: list[Floats], inputs: Inputs, width: int) -> None:
        self.spare, self.memory, self.used = spare, memory, 0
        room = ROOM * len(inputs.start)
        self.keys = [Pool(spare.take(room, 2 * width + APART)) for _ in memory]
        self.hidden, self.seen = Pool(spare.take(room, width)), Pool(np.empty((room, inputs.longest), np.float32))
        self._places: dict[tuple[int, int], int] = {}
        self._same: dict[int, int] = {}

    def __del__(self) -> None:
        pools = (*self.keys, self.hidden)  # `seen` is in the hands of the search
        self.spare.give([*self.memory, *(pool.rows for pool in pools)])

    def find(self, before: NDArray[Any], last: Ints) -> NDArray[np.int32] | None:
        """(rows,) where pieces `last` after places `before` are, -1 for new ones, which get places; None: all new."""
        steps = list(zip(before.tolist(), last.tolist(), strict=True))
        found = [self._places.get(step, -1) for step in steps]
        fresh = [step for step, place in zip(steps, found, strict=True) if place < 0]
        self._places.update(zip(fresh, range(self.used, self.used + len(fresh)), strict=True))
        return None if len(fresh) == len(steps) else np.array(found, np.int32)

    def note(self, before: NDArray[Any], last: Ints, hidden: Floats) -> None:
        """Keep the decoder's output (rows, width) of pieces `last` after places `before`, at the first free places.

        A later search of the same inputs computes again what an earlier one has: its places are known by the first.
        """
        self.hidden.make_room(self.used, len(hidden))[self.used : self.used + len(hidden)] = hidden
        for row, (place, piece) in enumerate(zip(before.tolist(), last.tolist(), strict=True), self.used):
            known = self._places.setdefault((self._same.get(place, place), piece), row)
            if known != row:
                self._same[row] = known

    def places(self, root: int, paths: Sequence[Ints], start: int) -> list[int]:
        """Where in `hidden` the outputs for headlines of pieces are, of `start` and each piece, end to end."""
        found = []
        for path in paths:
            place = root
            for piece in (start, *path.tolist()):
                place = self._places[place, piece]
                found.append(place)
        return found


@dataclass
class Encoded:
    """A batch of inputs, or some of one: the candidates' output layer, where each input lies, and the tree."""

    output: OpenOutput | OpenCandidates
    inputs: Inputs
    tree: Tree


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
        self.output: OutputLayer | CandidateOutput = OutputLayer(self.embedding, tensors.float("bias"))
        if tensors.quantized("embedding.weight"):
            self.output = CandidateOutput(tensors, "embedding.weight", "bias", folder.shortlist)
        layers = range(architecture["encoder_layers"])
        self.encoder = [EncoderLayer(tensors, f"encoder.{layer}", heads) for layer in layers]
        layers = range(architecture["decoder_layers"])
        self.decoder = [DecoderLayer(tensors, f"decoder.{layer}", heads) for layer in layers]
        self.encoder_norm, self.decoder_norm = Norm(tensors, "encoder_norm"), Norm(tensors, "decoder_norm")
        self._positions = positions(256, self.width)
        self._norm = np.stack([self.decoder_norm.weight, self.decoder_norm.bias])
        self._spare = Spare()
        self.doubt = Doubt.open(folder)

    def doubts(self, state: State, row: int, paths: Sequence[Ints], log_probs: Sequence[Doubles]) -> Floats:
        """(n,) how much the model doubts headlines of pieces `paths` that searches from this state wrote for a row.

        log_probs: of each one's pieces and its end. Only for a model that has learnt to doubt.
        """
        assert self.doubt is not None
        root, tree = -1 - int(state.encoded.inputs.packed[state.owners[row]]), state.encoded.tree
        rows, places = np.unique(tree.places(root, paths, self.start_id), return_inverse=True)
        return self.doubt.of(tree.hidden.rows[rows], places, list(map(len, log_probs)), np.concatenate(log_probs))

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> State:
        """Encode inputs (ragged piece ids); one row for each. An empty input counts as one `<unk>`."""
        inputs = [ids if len(ids) else np.array([self.unknown_id]) for ids in inputs]
        where = Inputs.of(inputs)
        places = np.concatenate([np.arange(count) for count in where.length.tolist()])
        x = self._embed(np.concatenate(inputs), places)
        for layer in self.encoder:
            x = layer(x, where)
        x = self.encoder_norm(x)
        memory = [layer.remember(x, where, self._spare) for layer in self.decoder]
        return self._begin(Tree(self._spare, memory, where, self.width), where, candidates)

    def reopen(self, state: State, rows: Ints, candidates: Sequence[Ints]) -> State:
        """The inputs of some rows as `start` leaves them, with other candidates; nothing is encoded again."""
        encoded = state.encoded
        return self._begin(encoded.tree, encoded.inputs.some(state.owners[rows]), candidates)

    def _begin(self, tree: Tree, where: Inputs, candidates: Sequence[Ints] | None) -> State:
        """One row for each encoded input, nothing written yet."""
        count = len(where.start)
        encoded = Encoded(self.output.open(candidates, count), where, tree)
        return State(encoded, np.arange(count), np.zeros((count, 0), np.int32))

    def step(self, state: State, last: Ints) -> Step:
        """Feed one piece to each row."""
        encoded, owners = state.encoded, state.owners
        rows, t = state.history.shape
        last, output, blocks = np.asarray(last, np.int64), encoded.output, tuple(layer.block for layer in self.decoder)
        if self.embedding.fast and isinstance(output, OpenCandidates) and output.handle and None not in blocks:
            return self._compiled_step(blocks, state, last, output)
        y, tree = self._embed(last, np.full(rows, t)), encoded.tree
        fresh = np.arange(tree.used, tree.used + rows, dtype=np.int32)
        history = np.concatenate([state.history, fresh[:, None]], axis=1)
        attention = np.zeros((rows, 0), np.float32)
        for number, (layer, pool) in enumerate(zip(self.decoder, tree.keys, strict=True), 1):
            wanted = encoded.inputs.longest if number == len(self.decoder) else 0
            y, attention = layer(y, pool, history, tree.memory[number - 1], encoded.inputs, owners, wanted)
        hidden = self.decoder_norm(y)
        if self.doubt is not None:
            tree.note(self._before(state), last, hidden)
        tree.used += rows
        if isinstance(output, OpenCandidates):
            log_probs = output.log_probs(hidden, owners)
        else:
            log_probs = output.log_probs(hidden, groups(owners))
        return Step(log_probs, attention, State(encoded, owners, history))

    def _compiled_step(self, blocks: tuple[Any, ...], state: State, last: Ints, output: OpenCandidates) -> Step:
        """The same in one call; what the tree has is not computed again."""
        encoded, (rows, t) = state.encoded, state.history.shape
        inputs, tree, table = encoded.inputs, encoded.tree, self._tables(t + 1)
        known = tree.find(self._before(state), last)
        first, keys = tree.used, tuple(pool.make_room(tree.used, rows) for pool in tree.keys)
        hidden, seen = tree.hidden.make_room(first, rows), tree.seen.make_room(first, rows)
        history, log_probs = np.empty((rows, t + 1), np.int32), np.empty((rows, output.width), np.float32)
        attention = seen[first : first + rows] if known is None else np.empty((rows, inputs.longest), np.float32)
        tree.used += kernels.compiled.step(
            blocks, keys, tuple(tree.memory), output.handle, *table, self._norm, last, state.history, known, history,
            inputs.length, inputs.packed, state.owners, hidden, seen, None if known is None else attention, log_probs,
            math.sqrt(self.width), rows, t + 1, first, *keys[0].shape, len(tree.memory[0]), len(inputs.start),
            inputs.longest, output.width, len(table[0]), len(table[2]), self.width,
        )  # fmt: skip
        return Step(log_probs, attention, State(encoded, state.owners, history))

    @staticmethod
    def _before(state: State) -> NDArray[Any]:
        """(rows,) the place of each row's last piece; below zero, and its input's own, where there is none."""
        inputs = state.encoded.inputs
        return state.history[:, -1] if state.history.shape[1] else -1 - inputs.packed[state.owners]

    def select(self, state: State, rows: Ints) -> State:
        """Reorder, repeat and drop rows."""
        return State(state.encoded, state.owners[rows], np.ascontiguousarray(state.history[rows]))

    def _embed(self, ids: Ints, places: Ints) -> Floats:
        """Scaled embeddings plus positions, (n, width)."""
        self._reach(int(places.max(initial=0)) + 1)
        return self.embedding.embed(ids, math.sqrt(self.width), self._positions, places)

    def _reach(self, length: int) -> None:
        """Make positions for texts of so many pieces."""
        if length > len(self._positions):
            self._positions = positions(2 * length, self.width)

    def _tables(self, length: int) -> tuple[Any, Any, Floats]:
        """The embedding and its scales, and at least `length` positions."""
        self._reach(length)
        return *self.embedding.quantized, self._positions


def positions(length: int, width: int) -> Floats:
    """Sinusoidal positions, (length, width): sines in the first half, cosines in the second."""
    half = width // 2
    rates = np.exp(np.arange(half, dtype=np.float32) * np.float32(-math.log(10000.0) / (half - 1)))
    angles = np.arange(length, dtype=np.float32)[:, None] * rates[None]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
