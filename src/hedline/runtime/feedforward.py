"""Section 3 of the paper on numpy: the feed-forward neural language model with its four encoders.

The context enters only through sums over its C slots, `U E_c` and `P G_c`, so each word's contribution to each slot
is computed once and remembered: a step adds C vectors instead of multiplying matrices.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hedline.arrays import Floats, Ints
from hedline.runtime import Step
from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import (
    Groups,
    Linear,
    OpenOutput,
    OutputLayer,
    Table,
    groups,
    pad,
    softmax,
    steady_product,
    uniform_attention,
)
from hedline.runtime.tensors import TensorFile


@dataclass(frozen=True)
class Encoded:
    """A batch of inputs: everything that does not change while their headlines are written.

    lengths: words of each input; keys (B, M, H): what contexts are compared with, None without attention; uniform
    (B, M): what is reported then.
    """

    output: OpenOutput
    lengths: list[int]
    uniform: Floats
    keys: Floats | None


class State(NamedTuple):
    """One row for each hypothesis: its input and its last C output words."""

    encoded: Encoded
    owners: Ints
    context: Ints


class SlotProducts:
    """For an output word and each context slot c, `weight_c · table[word]`: (n, C, H), remembered for recent words.

    Several tables and weights stand side by side, so that a step looks its words up once: H is the sum of theirs.
    """

    def __init__(self, tensors: TensorFile, layers: Sequence[tuple[str, str]], C: int, capacity: int = 2048) -> None:
        """layers: names of a table and of a weight (its own H, C·D) each."""
        self._layers = [(Table(tensors, table), slot_projection(tensors, weight, C)) for table, weight in layers]
        self._capacity = capacity
        self._place = np.full(self._layers[0][0].count, -1, np.int64)
        self._values = np.empty((0, C, sum(tensors.shape(weight)[0] for _, weight in layers)), np.float32)
        self._slots = np.arange(C)
        self._used = 0
        self._lock = threading.Lock()

    def summed(self, context: Ints) -> Floats:
        """Sum over slots for contexts (rows, C) of output ids: (rows, H)."""
        with self._lock:
            places = self._place[context]
            if places.min(initial=0) < 0:
                self._meet(np.unique(context))
                places = self._place[context]
            return np.asarray(self._values[places, self._slots].sum(axis=1))

    def _meet(self, words: Ints) -> None:
        """Make sure that the products of `words` are remembered."""
        missing = words[self._place[words] < 0]
        if self._used + len(missing) > self._capacity:  # rare: forget everything but these words
            self._place[:], self._used, missing = -1, 0, words
            self._capacity = max(self._capacity, len(words))
        self._remember(missing)

    def _remember(self, words: Ints) -> None:
        shape = (len(words), len(self._slots), -1)
        fresh = [project(table.rows(words)).reshape(shape) for table, project in self._layers]
        end = self._used + len(words)
        if end > len(self._values):
            grown = np.empty((min(self._capacity, max(64, 2 * end)), *self._values.shape[1:]), np.float32)
            grown[: self._used] = self._values[: self._used]
            self._values = grown
        np.concatenate(fresh, axis=2, out=self._values[self._used : end])
        self._place[words] = np.arange(self._used, end)
        self._used = end


def slot_projection(tensors: TensorFile, weight: str, C: int) -> Linear:
    """A weight (H, C·D) as a layer from D to C·H: one row for each slot and hidden unit."""
    matrix = tensors[weight]
    H, D = matrix.shape[0], matrix.shape[1] // C
    by_slot = matrix.reshape(H, C, D).transpose(1, 0, 2).reshape(C * H, D)
    return Linear.of(by_slot, np.tile(tensors[f"{weight}.scale"], C) if tensors.quantized(weight) else None)


class FeedForwardScorer:
    """A `decoding.scorer.Scorer` for the feed-forward family."""

    start_id, end_id, unknown_id = 2, 3, 1

    def __init__(self, folder: ModelFolder) -> None:
        self.architecture = architecture = folder.config.architecture
        tensors = folder.tensors
        self.kind: str = architecture["encoder"]
        self.C: int = architecture["C"]
        self.heads: int = architecture.get("heads", 1)
        self.hidden_bias = tensors.float("U.bias")
        products = [("E.weight", "U.weight")]
        self.output = OutputLayer(Table(tensors, "V.weight"), tensors.float("V.bias"))
        if self.kind != "none":
            self.W = Table(tensors, "W.weight")
            self.F = Table(tensors, "encoder.F.weight")
        if self.kind == "attention":
            table = "E.weight" if architecture.get("share_context") else "encoder.G.weight"
            products.append((table, "encoder.P.weight"))
            self.window = Window(architecture, tensors)
        self.products = SlotProducts(tensors, products, self.C)
        if self.kind == "conv":
            self.convolutions = [flat_convolution(tensors, f"encoder.Q.{layer}") for layer in range(architecture["L"])]

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> State:
        """Encode inputs (ragged input ids); one row for each, its context all `<s>`."""
        ids, mask = pad(inputs)
        output = self.output.open(candidates, len(inputs))
        keys, lengths = None, mask.sum(axis=1).tolist()
        if self.kind != "none":
            words = self.F.rows(ids.ravel()).reshape(*ids.shape, -1) * (ids != 0)[..., None]
            if self.kind == "attention":
                keys = self.window.keys(words)
                values = self.window.values(words)
                parts = [by_heads(values[b, :length], self.heads) for b, length in enumerate(lengths)]
                output.set_mixtures(self.W, parts)
            else:
                vectors = [self._fixed_encoding(words[b, :length]) for b, length in enumerate(lengths)]
                output.add_bias(self.W, np.stack(vectors))
        encoded = Encoded(output, lengths, uniform_attention(mask), keys)
        context = np.full((len(inputs), self.C), self.start_id, np.int64)
        return State(encoded, np.arange(len(inputs)), context)

    def _fixed_encoding(self, words: Floats) -> Floats:
        """enc₁ or enc₂ of one input's word vectors (M, H): (H,)."""
        if self.kind == "bow":
            return np.asarray(words.mean(axis=0))
        for weight, bias in self.convolutions:
            words = pooled(convolved(words, weight, bias))
        return np.asarray(words.max(axis=0))

    def step(self, state: State, last: Ints) -> Step:
        """Shift `last` into each row's context and score every candidate."""
        encoded, owners = state.encoded, state.owners
        context = np.concatenate([state.context[:, 1:], np.asarray(last, np.int64)[:, None]], axis=1)
        sums, width = self.products.summed(context), len(self.hidden_bias)
        hidden = np.tanh(sums[:, :width] + self.hidden_bias)
        parts = groups(owners)
        if encoded.keys is None:
            attention = encoded.uniform[owners]
            log_probs = encoded.output.log_probs(hidden, parts)
        else:
            weights = self._attend(encoded, parts, np.ascontiguousarray(sums[:, width:]))
            attention = weights.mean(axis=1) if self.heads > 1 else weights[:, 0]
            log_probs = encoded.output.log_probs(hidden, parts, self._mixture(weights))
        return Step(log_probs, attention, State(encoded, owners, context))

    def _attend(self, encoded: Encoded, parts: Groups, query: Floats) -> Floats:
        """p ∝ exp(x̃ P ỹ′), for query = P ỹ′ (rows, H): (rows, heads, M)."""
        assert encoded.keys is not None
        query = query.reshape(len(query), self.heads, -1)
        scores = np.full((len(query), self.heads, encoded.uniform.shape[1]), -np.inf, np.float32)
        for owner, rows in parts:
            length = encoded.lengths[owner]  # a product with padding would round otherwise
            keys = encoded.keys[owner, :length].reshape(length, self.heads, -1)
            scores[rows, :, :length] = (query[rows].transpose(1, 0, 2) @ keys.transpose(1, 2, 0)).transpose(1, 0, 2)
        return softmax(scores)

    def _mixture(self, weights: Floats) -> Floats:
        """Weights (rows, heads, M) in the order of `by_heads`: position by position, its heads together."""
        return weights[:, 0] if self.heads == 1 else weights.transpose(0, 2, 1).reshape(len(weights), -1)

    def select(self, state: State, rows: Ints) -> State:
        """Reorder, repeat and drop rows."""
        return State(state.encoded, state.owners[rows], state.context[rows])


class Window:
    """What the attention makes of word vectors and their neighbours: keys to compare, values to mix."""

    def __init__(self, architecture: Mapping[str, Any], tensors: TensorFile) -> None:
        Q, H = architecture["Q"], tensors.shape("encoder.F.weight")[1]
        plain = np.zeros((2 * Q + 1, H), np.float32)
        plain[Q] = 1
        # The paper divides the 2Q+1 terms of x̄ by Q and writes x̃_i for x̃_q; both are slips.
        mean = np.full((2 * Q + 1, H), 1 / (2 * Q + 1), np.float32)
        taps = {name: f"encoder.{name}_taps.weight" for name in ("key", "value")}
        self.key_taps = tensors.float(taps["key"]) if taps["key"] in tensors else plain
        self.value_taps = tensors.float(taps["value"]) if taps["value"] in tensors else mean
        name = "encoder.position.weight"
        self.position = tensors.float(name) if name in tensors else None

    def keys(self, words: Floats) -> Floats:
        """(B, M, H) word vectors to keys."""
        keys = weighted_neighbours(words, self.key_taps)
        if self.position is not None:
            keys += self.position[np.minimum(np.arange(words.shape[1]), len(self.position) - 1)]
        return keys

    def values(self, words: Floats) -> Floats:
        """(B, M, H) word vectors to x̄."""
        return weighted_neighbours(words, self.value_taps)


def weighted_neighbours(words: Floats, taps: Floats) -> Floats:
    """Σ_q taps[q+Q] ⊙ words[i+q], zeros beyond the ends: (B, M, H) with taps (2Q+1, H)."""
    half, length = len(taps) // 2, words.shape[1]
    padded = np.pad(words, ((0, 0), (half, half), (0, 0)))
    total = np.zeros_like(words)
    for shift, tap in enumerate(taps):
        if tap.any():
            total += padded[:, shift : shift + length] * tap
    return total


def by_heads(values: Floats, heads: int) -> Floats:
    """(M, H) to (M·heads, H): one row per position and head, zero outside the head's slice of H."""
    if heads == 1:
        return values
    length, width = values.shape
    mask = np.repeat(np.eye(heads, dtype=np.float32), width // heads, axis=1)
    return np.asarray((values[:, None, :] * mask).reshape(length * heads, width))


def convolved(rows: Floats, weight: Floats, bias: Floats) -> Floats:
    """One zero-padded convolution over time: rows (M, H), weight ((2Q+1)·H, H) to (M, H)."""
    width = weight.shape[0] // rows.shape[1]
    padded = np.pad(rows, ((width // 2, width // 2), (0, 0)))
    windows = np.concatenate([padded[shift : shift + len(rows)] for shift in range(width)], axis=1)
    return steady_product(windows, weight) + bias


def pooled(rows: Floats) -> Floats:
    """tanh of the maximum of each pair of neighbours; a last odd row stands alone: (M, H) to (⌈M/2⌉, H)."""
    if len(rows) % 2:
        rows = np.concatenate([rows, rows[-1:]])
    return np.tanh(np.maximum(rows[0::2], rows[1::2]))


def flat_convolution(tensors: TensorFile, name: str) -> tuple[Floats, Floats]:
    """A convolution's weight as ((2Q+1)·H, H), so that applying it is one product, and its bias."""
    weight = tensors.float(f"{name}.weight")  # (out, in, width)
    flat = weight.transpose(2, 1, 0).reshape(-1, weight.shape[0])
    return np.ascontiguousarray(flat), tensors.float(f"{name}.bias")
