"""Small numpy layers that every family shares: linear layers, tables read by rows, softmax, padding, the output layer.

And what the transformer keeps of a batch: arrays for the next one, growing pools, doubt about what it wrote.

The output layer works over a shortlist: it gives logits only for the words that an input may need, and every input of
a batch has its own candidates. The paper's `V h + W enc` becomes `V h + p (X̄ Wᵀ)`: the second factor is computed once
for an input, so that a step costs one product with `V` and a short sum instead of two products.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Flags, Floats, Ints
from hedline.runtime import kernels
from hedline.runtime.kernels import LINE, line_up
from hedline.runtime.tensors import TensorFile

ROWS = 8  # rows of each float product
SPARE_UNIT, SPARE_LARGEST = 1 << 20, 1 << 24  # floats of the arrays that are kept for the next batch
SPARE_COUNT = 5  # how many: two for each of two decoder layers, and the layers' output
Groups = list[tuple[int, Ints | slice]]


def softmax(scores: Floats) -> Floats:
    """Along the last axis; -inf is no mass."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / kernels.steady_sum(weights), np.float32)


def steady_product(x: Floats, weight: Floats) -> Floats:
    """x (n, k) · weight (k, m), where each row's digits do not depend on how many rows there are.

    BLAS multiplies few rows, above all a single one, by other routines, which add up in another order, and on some
    processors the last rows of many too: so every product that it is asked for has the same few rows.
    """
    missing = -len(x) % ROWS
    padded = np.concatenate([x, np.zeros((missing, x.shape[1]), np.float32)]) if missing else x
    blocks = padded.reshape(-1, ROWS, x.shape[1])
    return np.asarray((blocks @ weight).reshape(len(padded), -1)[: len(x)])


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (np.tanh(0.5 * x) + 1.0), np.float32)


def pad(inputs: Sequence[Ints]) -> tuple[Ints, Flags]:
    """Ragged ids to (B, M) ids padded with 0 and the mask of real positions.

    An empty input counts as one `<pad>`: one position whose vector is zero.
    """
    lengths = np.array([len(ids) for ids in inputs], np.int64)
    places = np.arange(max(1, int(lengths.max(initial=1))))[None, :]
    ids = np.zeros((len(inputs), places.shape[1]), np.int64)
    if lengths.any():
        ids[places < lengths[:, None]] = np.concatenate([np.asarray(one, np.int64) for one in inputs])
    return ids, places < np.maximum(lengths, 1)[:, None]


def uniform_attention(mask: Flags) -> Floats:
    """Equal weights over real positions, (B, M): what a model without attention reports."""
    return np.asarray(mask / mask.sum(axis=1, keepdims=True), np.float32)


def groups(owners: Ints) -> Groups:
    """(owner, its rows) for each distinct owner; rows are a slice where they are neighbours (the usual case)."""
    if len(owners) and (owners == owners[0]).all():
        return [(int(owners[0]), slice(0, len(owners)))]
    edges = (np.flatnonzero(owners[1:] != owners[:-1]) + 1).tolist()
    starts, ends = [0, *edges], [*edges, len(owners)]
    found = owners[starts].tolist() if len(owners) else []
    if len(set(found)) == len(found):
        return [(owner, slice(a, b)) for owner, a, b in zip(found, starts, ends, strict=False)]
    return [(int(owner), np.flatnonzero(owners == owner)) for owner in np.unique(owners)]


class Table:
    """A weight matrix on disk, (n, k), read by rows; float32, or int8 with a scale for each row."""

    def __init__(self, tensors: TensorFile, name: str) -> None:
        self.tensors, self.name = tensors, name
        self.count, self.width = tensors.shape(name)
        self.fast = tensors.quantized(name) and kernels.available()

    def rows(self, ids: Ints | None) -> Floats:
        """Rows as float32, (len(ids), k); all of them when ids is None."""
        return self.tensors.rows(self.name, slice(None) if ids is None else ids)

    @cached_property
    def quantized(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The matrix and its scales, looked up once."""
        return self.tensors[self.name], self.tensors[f"{self.name}.scale"]

    def embed(self, ids: Ints, factor: float, positions: Floats, places: Ints) -> Floats:
        """Rows times `factor` plus rows `places` of a table of positions (P, k), (len(ids), k)."""
        if not self.fast or not len(ids):
            return np.asarray(self.rows(ids) * np.float32(factor) + positions[places])
        weight, scale = self.quantized
        out = kernels.empty_rows(len(ids), self.width)
        sizes = (self.count, len(positions), len(ids), self.width)
        kernels.compiled.embed(weight, scale, positions, ids, places, factor, out, *sizes)
        return out

    def choose(self, ids: Ints | None) -> Chosen:
        """The table restricted to some rows (all when None), for repeated products."""
        return Chosen(self, ids)


class Chosen:
    """Chosen rows of a table, ready for products: indices for the compiled kernel, gathered floats otherwise."""

    def __init__(self, table: Table, ids: Ints | None) -> None:
        self.size = table.count if ids is None else len(ids)
        self._fast = table.fast
        if self._fast:
            self._weight, self._scale = table.quantized
            self._index = None if ids is None else np.ascontiguousarray(ids, np.int32)
        else:
            self._rows = table.rows(ids).T

    def product(self, x: Floats, out: Floats) -> None:
        """out (n, at least size), the first columns = x (n, k) · rowsᵀ."""
        if self._fast:
            kernels.chosen(x, self._weight, self._scale, None, self._index, out)
        else:
            np.matmul(x, self._rows, out=out[:, : self.size])


class Linear:
    """A linear layer, weight (m, k) and bias (m,): compiled for int8 weights, a float32 product otherwise."""

    def __init__(self, tensors: TensorFile, *names: str, bias: bool = True, narrow: bool = False) -> None:
        """From a model folder's `<name>.weight` and `.bias`; several names are stacked into one wider layer.

        narrow: with int8 weights, round activations to one byte, not two.
        """
        weights = [f"{name}.weight" for name in names]
        self.bias = np.concatenate([tensors.float(f"{name}.bias") for name in names]) if bias else None
        if all(tensors.quantized(name) for name in weights):
            scale = np.concatenate([tensors[f"{name}.scale"] for name in weights])
            self.prepare(np.concatenate([tensors[name] for name in weights]), scale, narrow)
        else:
            self.prepare(np.concatenate([tensors.float(name) for name in weights]), None)

    @classmethod
    def of(cls, weight: NDArray[Any], scale: Floats | None) -> Linear:
        """From a matrix (m, k), int8 with a scale (m,) or float32 with None; no bias."""
        layer = cls.__new__(cls)
        layer.bias = None
        layer.prepare(weight, scale)
        return layer

    def prepare(self, weight: NDArray[Any], scale: Floats | None, narrow: bool = False) -> None:
        """Put the weights in the order their product reads them."""
        self.layer = kernels.Layer(weight, scale, self.bias) if scale is not None and narrow else None
        self.fast = scale is not None and kernels.available()
        if self.layer is not None:
            return
        if self.fast and scale is not None:
            self.scale, self.packed = np.ascontiguousarray(scale), kernels.pack(weight)
        else:
            whole = weight if scale is None else weight * scale[:, None]
            self.weight = np.ascontiguousarray(np.asarray(whole, np.float32).T)

    def __call__(self, x: Floats, residual: Floats | None = None, relu: bool = False) -> Floats:
        """x (n, k) to (n, m), plus residual (n, m), then ReLU if asked."""
        if self.layer is not None:
            return self.layer(x, residual, relu)
        if self.fast:
            return kernels.linear(x, self.packed, self.scale, self.bias, residual, relu)
        out = steady_product(x, self.weight)
        if self.bias is not None:
            out += self.bias
        if residual is not None:
            out += residual
        return np.asarray(np.maximum(out, 0, out=out)) if relu else out


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


class Spare:
    """Large arrays that one batch leaves to the next: fresh memory costs as much as what is written into it."""

    def __init__(self) -> None:
        self._flat: list[Floats] = []
        self._lock = Lock()

    def take(self, rows: int, columns: int) -> Floats:
        """An array (rows, columns) of any content that begins with a cache line."""
        size = rows * columns
        with self._lock:
            room = [(each.size, place) for place, each in enumerate(self._flat) if size + LINE <= each.size <= 4 * size]
            flat = self._flat.pop(min(room)[1]) if room else None
        if flat is None:
            unit = SPARE_UNIT if size >= SPARE_UNIT else 1
            flat = np.empty(-(-(size + LINE) // unit) * unit, np.float32)
        return line_up(flat, rows, columns)

    def give(self, arrays: Sequence[Floats]) -> None:
        """Leave arrays that nobody reads any more; the last few are kept, and none that is small or very large."""
        flat = [each if each.base is None else each.base for each in arrays]
        with self._lock:
            self._flat += [each for each in flat if each.ndim == 1 and SPARE_UNIT <= each.size <= SPARE_LARGEST]
            del self._flat[:-SPARE_COUNT]


class Pool:
    """Something of every piece any hypothesis of a batch has taken, (n, columns); only ever grows."""

    def __init__(self, rows: Floats) -> None:
        self._rows = rows

    @property
    def rows(self) -> Floats:
        """The table with all its room."""
        return self._rows

    def make_room(self, used: int, count: int) -> Floats:
        """The whole table, whose first `used` rows have something, with room for `count` more."""
        if used + count > len(self._rows):
            grown = np.empty((2 * (used + count), self._rows.shape[1]), np.float32)
            grown[:used] = self._rows[:used]
            self._rows = grown
        return self._rows
