"""Small numpy layers every family shares: linear layers, tables read by rows, softmax, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.runtime import kernels
from hedline.runtime.tensors import TensorFile

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Groups = list[tuple[int, Ints | slice]]


def softmax(scores: Floats) -> Floats:
    """Along the last axis; -inf is no mass."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), np.float32)


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

    def choose(self, ids: Ints | None) -> Chosen:
        """The table restricted to some rows (all when None), for repeated products."""
        return Chosen(self, ids)


class Chosen:
    """Chosen rows of a table, ready for products: indices for the compiled kernel, gathered floats otherwise."""

    def __init__(self, table: Table, ids: Ints | None) -> None:
        self.size = table.count if ids is None else len(ids)
        self._fast = table.fast
        if self._fast:
            self._weight = table.tensors[table.name]
            self._scale = table.tensors[f"{table.name}.scale"]
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

    def __init__(self, tensors: TensorFile, *names: str, bias: bool = True) -> None:
        """From a model folder's `<name>.weight` and `.bias`; several names are stacked into one wider layer."""
        weights = [f"{name}.weight" for name in names]
        self.bias = np.concatenate([tensors.float(f"{name}.bias") for name in names]) if bias else None
        if all(tensors.quantized(name) for name in weights):
            scale = np.concatenate([tensors[f"{name}.scale"] for name in weights])
            self.prepare(np.concatenate([tensors[name] for name in weights]), scale)
        else:
            self.prepare(np.concatenate([tensors.float(name) for name in weights]), None)

    @classmethod
    def of(cls, weight: NDArray[Any], scale: Floats | None) -> Linear:
        """From a matrix (m, k), int8 with a scale (m,) or float32 with None; no bias."""
        layer = cls.__new__(cls)
        layer.bias = None
        layer.prepare(weight, scale)
        return layer

    def prepare(self, weight: NDArray[Any], scale: Floats | None) -> None:
        """Put the weights in the order their product reads them."""
        self.fast = scale is not None and kernels.available()
        if self.fast and scale is not None:
            self.scale, self.packed = np.ascontiguousarray(scale), kernels.pack(weight)
        else:
            whole = weight if scale is None else weight * scale[:, None]
            self.weight = np.ascontiguousarray(np.asarray(whole, np.float32).T)

    def __call__(self, x: Floats, residual: Floats | None = None, relu: bool = False) -> Floats:
        """x (n, k) to (n, m), plus residual (n, m), then ReLU if asked."""
        if self.fast:
            return kernels.linear(x, self.packed, self.scale, self.bias, residual, relu)
        out = x @ self.weight
        if self.bias is not None:
            out += self.bias
        if residual is not None:
            out += residual
        return np.asarray(np.maximum(out, 0, out=out)) if relu else out
