"""Small numpy layers every family shares, and the weight table whose rows are gathered for a shortlist."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedline.runtime.tensors import TensorFile

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def softmax(scores: Floats) -> Floats:
    """Along the last axis; -inf is no mass (a row of nothing but -inf gives zeros)."""
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / np.where(total > 0, total, 1), np.float32)


def log_softmax(scores: Floats) -> Floats:
    """Along the last axis, in place; -inf columns stay -inf."""
    scores -= scores.max(axis=-1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return scores


def pad(inputs: Sequence[Ints]) -> tuple[Ints, NDArray[np.bool_]]:
    """Ragged ids to (B, M) ids padded with 0 and the mask of real positions; M is at least 1."""
    lengths = np.array([len(ids) for ids in inputs], np.int64)
    mask = np.arange(max(1, int(lengths.max(initial=1))))[None, :] < lengths[:, None]
    ids = np.zeros(mask.shape, np.int64)
    if lengths.any():
        ids[mask] = np.concatenate([np.asarray(one, np.int64) for one in inputs])
    return ids, mask


def uniform_attention(mask: NDArray[np.bool_]) -> Floats:
    """Equal weights over real positions, (B, M): what a model without attention reports."""
    counts = np.maximum(mask.sum(axis=1, keepdims=True), 1)
    return np.asarray(mask / counts, np.float32)


def groups(owners: Ints) -> list[tuple[int, NDArray[np.int64] | slice]]:
    """(owner, its rows) for each distinct owner; rows are a slice where they are neighbours (the usual case)."""
    edges = np.flatnonzero(np.diff(owners)) + 1
    starts = [0, *edges.tolist()]
    owner_of = owners[starts].tolist() if len(owners) else []
    if len(set(owner_of)) == len(owner_of):
        ends = [*edges.tolist(), len(owners)]
        return [(owner, slice(a, b)) for owner, a, b in zip(owner_of, starts, ends, strict=False)]
    return [(int(owner), np.flatnonzero(owners == owner)) for owner in np.unique(owners)]


class Table:
    """A weight matrix on disk, (n, k), read by rows; int8 or float32."""

    def __init__(self, tensors: TensorFile, name: str) -> None:
        self.tensors, self.name = tensors, name
        self.rows_total, self.width = tensors.shape(name)

    def rows(self, ids: Ints | None) -> Floats:
        """Rows as float32, (len(ids), k); all of them when ids is None."""
        return self.tensors.rows(self.name, slice(None) if ids is None else ids)
