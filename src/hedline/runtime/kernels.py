"""The compiled kernels behind one small door, with numpy forms of the same sums where they are missing.

The compiled module is optional: a machine without a compiler, or `HEDLINE_KERNELS=0`, runs the numpy forms and gets
the same headlines, more slowly.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Flags, Floats, Ints
from hedline.errors import as_new_as

compiled: Any = None
if os.environ.get("HEDLINE_KERNELS", "1") != "0":
    try:
        from hedline.runtime import _kernels  # type: ignore[attr-defined]

        compiled = as_new_as(_kernels, Path(__file__).with_name("kernels.c"))
    except ImportError:
        compiled = None


LINE = 16  # floats of a cache line


def available() -> bool:
    """Whether the compiled kernels are in use."""
    return compiled is not None


def set_threads(count: int) -> int:
    """Let one kernel call use up to `count` threads (16 at most); returns how many it will use."""
    return int(compiled.set_threads(count)) if available() else 1


def empty_rows(rows: int, columns: int) -> Floats:
    """An array (rows, columns) of any content that begins with a cache line, as vectors are read fastest."""
    return line_up(np.empty(rows * columns + LINE, np.float32), rows, columns)


def line_up(flat: Floats, rows: int, columns: int) -> Floats:
    """A part (rows, columns) of an array at least LINE items longer, from its first whole cache line on."""
    first = -(flat.__array_interface__["data"][0] // 4) % LINE
    return flat[first : first + rows * columns].reshape(rows, columns)


def pack(weight: NDArray[np.int8]) -> NDArray[np.int8]:
    """int8 weights (m, k) in the order `linear` reads them. Needs the compiled kernels."""
    m, k = weight.shape
    packed = np.empty(-(-m // 16) * 16 * (-(-k // 2) * 2), np.int8)
    compiled.pack(np.ascontiguousarray(weight), packed, m, k)
    return packed


def linear(
    x: Floats, packed: NDArray[np.int8], scale: Floats, bias: Floats | None, residual: Floats | None, relu: bool
) -> Floats:
    """x (n, k) through packed weights of m = len(scale) rows: (n, m), plus residual (n, m), then ReLU if asked."""
    n, k = x.shape
    out = np.empty((n, len(scale)), np.float32)
    compiled.linear(np.ascontiguousarray(x), packed, scale, bias, residual, out, n, len(scale), k, relu)
    return out


def chosen(
    x: Floats,
    weight: NDArray[np.int8],
    scale: Floats,
    bias: Floats | None,
    index: NDArray[np.int32] | None,
    out: Floats,
) -> None:
    """out[:, j] = x (n, k) · row index[j] of an int8 table (+ its bias); out (n, stride), stride >= len(index)."""
    (n, k), rows = x.shape, len(weight)
    count = rows if index is None else len(index)
    compiled.chosen(np.ascontiguousarray(x), weight, scale, bias, index, out, n, k, rows, count, out.shape[1])


LANES = 16  # lanes that sums are added up in, as the compiled ones are
EXACT = 512  # inputs whose products with bytes add up exactly in float32: 512 · 255 · 127 < 2^24


def as_bytes(x: Floats) -> tuple[Floats, Floats]:
    """Rows (n, k) as whole numbers of a byte's range, as float32, and the step (n, 1) that each is a multiple of.

    A row is spread over 0 … 255 between its least and its largest value (0 included); what is returned is the
    difference from the byte that stands for zero. The same as kernels_bytes.h, digit by digit.
    """
    least, most = (np.asarray(edge(axis=1, initial=0, keepdims=True), np.float32) for edge in (x.min, x.max))
    reach = most - least
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inverse = np.where(np.isfinite(reach) & (reach > 0), np.float32(255) / reach, np.float32(0))
    inverse[~np.isfinite(inverse)] = 0
    zero = np.where(inverse > 0, np.rint(-least * inverse), np.float32(0))
    with np.errstate(invalid="ignore"):
        whole = np.clip(np.rint(x * inverse) + zero, 0, 255) - zero
    whole[inverse[:, 0] == 0] = 0
    return whole, np.where(inverse > 0, reach / np.float32(255), np.float32(0))


class Layer:
    """A linear layer of int8 weights (m, k) whose activations are rounded to one byte, row by row.

    Sums are whole numbers, so results are the same with and without the compiled kernels, alone and in a batch.
    """

    def __init__(self, weight: NDArray[np.int8], scale: Floats, bias: Floats | None) -> None:
        self.outputs, self.inputs = weight.shape
        self.handle: Any = None
        scale = np.ascontiguousarray(scale, np.float32)
        if available():
            bias = None if bias is None else np.ascontiguousarray(bias, np.float32)
            self.handle = compiled.layer(np.ascontiguousarray(weight), scale, bias, *weight.shape)
        else:
            self._weight, self._scale, self._bias = weight.T.astype(np.float32), scale, bias

    def __call__(self, x: Floats, residual: Floats | None = None, relu: bool = False) -> Floats:
        """x (n, k) to (n, m), plus residual (n, m), then ReLU if asked."""
        if self.handle is None:
            return self._plain(x, residual, relu)
        out = np.empty((len(x), self.outputs), np.float32)
        if len(x):
            compiled.apply(self.handle, np.ascontiguousarray(x), residual, out, len(x), relu)
        return out

    def _plain(self, x: Floats, residual: Floats | None, relu: bool) -> Floats:
        whole, step = as_bytes(x)
        sums = np.zeros((len(x), self.outputs))
        for first in range(0, self.inputs, EXACT):
            sums += whole[:, first : first + EXACT] @ self._weight[first : first + EXACT]
        out = sums.astype(np.float32) * (step * self._scale)
        if self._bias is not None:
            out += self._bias
        if residual is not None:
            out += residual
        return np.asarray(np.maximum(out, 0, out=out)) if relu else out


def mix(logits: Floats, mixture: Floats, extra: Floats) -> None:
    """In place: the first columns of logits (n, stride) += mixture (n, terms) @ extra (terms, count)."""
    terms, count = extra.shape
    if available():
        mixture = np.ascontiguousarray(mixture)
        compiled.mix(logits, mixture, extra, len(logits), logits.shape[1], terms, terms, count)
    else:
        logits[:, :count] += mixture @ extra


def log_softmax(scores: Floats) -> Floats:
    """Along the last axis of (rows, n), in place; -inf columns stay -inf."""
    if available() and scores.flags.c_contiguous:
        compiled.log_softmax(scores, *scores.shape)
    else:
        scores -= scores.max(axis=-1, keepdims=True)
        scores -= np.log(steady_sum(np.exp(scores)))
    return scores


def steady_sum(values: Floats) -> Floats:
    """Sums along the last axis, (…, n) to (…, 1), that zeros after the last value do not change by a bit.

    numpy's own sum adds in an order that depends on n, so that a row would depend on the padding of its batch.
    """
    *shape, n = values.shape
    padded = np.zeros((*shape, -(-n // LANES), LANES), values.dtype)
    padded.reshape(*shape, -1)[..., :n] = values
    return np.asarray(padded.sum(axis=-2).sum(axis=-1, keepdims=True))


def layer_norm(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Each row of (n, width) to mean 0 and variance 1, then scaled and shifted."""
    if available():
        out = np.empty_like(x)
        compiled.layer_norm(x, weight, bias, out, *x.shape)
        return out
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.square(centred).mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + np.float32(1e-5)) * weight + bias, np.float32)


class Keys:
    """Where the keys of each query row are, for `attend`.

    start: (rows,) first key of each row, whose keys are neighbours; or index: (rows, t) each row's keys one by one.
    length: (rows,) how many keys.
    """

    def __init__(
        self,
        length: NDArray[np.int64],
        start: NDArray[np.int64] | None = None,
        index: NDArray[np.int32] | None = None,
    ) -> None:
        self.length, self.start, self.index = length, start, index

    def of(self, row: int) -> Any:
        """The keys of one row as a numpy index."""
        if self.index is not None:
            return self.index[row, : self.length[row]]
        assert self.start is not None
        return slice(int(self.start[row]), int(self.start[row] + self.length[row]))


def attend(
    queries: Floats, query_offset: int, table: Floats, offsets: tuple[int, int], keys: Keys, heads: int, width: int
) -> tuple[Floats, Floats]:
    """Multi-head attention of each row over its own keys.

    queries: (rows, ·), the row's query in columns query_offset … + width; table: (n, ·), keys and values in columns
    from offsets. Returns the mixed values (rows, width) and the weights averaged over heads, (rows, longest).
    """
    rows, depth = len(queries), width // heads
    longest = int(keys.length.max(initial=0))
    out = np.empty((rows, width), np.float32)
    mean = np.zeros((rows, longest), np.float32)
    if available():
        t = 0 if keys.index is None else keys.index.shape[1]
        compiled.attend(
            queries, query_offset, queries.shape[1], table, *offsets, table.shape[1], len(table),
            keys.index, t, keys.start, keys.length, out, mean, longest, rows, heads, depth,
        )  # fmt: skip
        return out, mean
    for row in range(rows):
        place = keys.of(row)
        query = queries[row, query_offset : query_offset + width].reshape(heads, 1, depth)
        key, value = (table[place, o : o + width].reshape(-1, heads, depth).transpose(1, 0, 2) for o in offsets)
        scores = (query @ key.transpose(0, 2, 1))[:, 0] / np.float32(np.sqrt(depth))
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        out[row] = (weights[:, None, :] @ value)[:, 0].reshape(width)
        mean[row, : weights.shape[1]] = weights.mean(axis=0)
    return out, mean


WIDEST_BEAM = 64  # that the compiled kernels have room for
LOWEST = np.float32(-3e38)  # below every total but -inf


def best_columns(totals: Floats, owner: Ints, width: int, pruned: Flags, score: Any) -> tuple[Ints, Ints, Any]:
    """The `width` best (row, column) pairs of each input: rows, columns and scores (totals + the row's score).

    totals: (rows, W), -inf is never chosen, may be overwritten; owner: (rows,) ascending; score: (rows,). Pairs come
    input by input, best first; equal scores in the order of rows and columns. pruned: (inputs,) set, in place, where
    pairs had to be dropped.
    """
    if not totals.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    if available() and width <= WIDEST_BEAM:
        return _compiled_best(totals, owner, width, pruned, score)
    totals += score.astype(np.float32)[:, None]
    threshold = np.maximum(_lower_bounds(totals, owner, width), LOWEST)
    flat = np.flatnonzero(totals >= threshold[:, None])
    rows = flat // totals.shape[1]
    inputs = owner[rows]
    order = np.lexsort((-totals.ravel()[flat], inputs))
    # `inputs` is ascending already (flat runs row by row), so places within each input need no sorting.
    chosen = np.arange(len(flat)) - np.searchsorted(inputs, inputs) < width
    pruned[inputs[~chosen]] = True
    _mark_hidden(totals, owner, threshold, pruned)
    kept = order[chosen]
    rows, columns = rows[kept], flat[kept] - rows[kept] * totals.shape[1]
    return rows, columns, totals[rows, columns].astype(np.float64)


def _compiled_best(totals: Floats, owner: Ints, width: int, pruned: Flags, score: Any) -> tuple[Ints, Ints, Any]:
    most = len(pruned) * width
    rows, columns, scores = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.float32)
    found = compiled.best(
        totals, owner, score.astype(np.float32), pruned.view(np.uint8), rows, columns, scores, *totals.shape,
        len(pruned), width,
    )  # fmt: skip
    return rows[:found], columns[:found], scores[:found].astype(np.float64)


def _mark_hidden(totals: Floats, owner: Ints, threshold: Floats, pruned: Flags) -> None:
    """Mark inputs where pairs below the threshold were passed over."""
    unsure = np.flatnonzero(~pruned[owner] & (threshold > LOWEST))
    if len(unsure):
        part = totals[unsure]
        hidden = ((part < threshold[unsure, None]) & (part > -np.inf)).any(axis=1)
        pruned[owner[unsure[hidden]]] = True


def _lower_bounds(totals: Floats, owner: Ints, width: int) -> Floats:
    """(rows,) a bound below the `width`-th best total of the row's input, from maxima of blocks of columns.

    Each of an input's blocks holds at least one total as high as its maximum, so the `width`-th highest maximum is
    a bound; with four times as many blocks as wanted it lets few others pass.
    """
    rows, columns = totals.shape
    first, counts = runs(owner)
    blocks = min(columns, -(-4 * width // int(counts.min())))
    size = columns // blocks
    maxima = totals[:, : blocks * size].reshape(rows, blocks, size).max(axis=2)
    most = int(counts.max())
    if most * blocks < width:
        return np.full(rows, -np.inf, np.float32)
    place = most * blocks - width
    if len(first) == 1:
        return np.full(rows, np.partition(maxima.ravel(), place)[place], np.float32)
    group = np.repeat(np.arange(len(first)), counts)
    table = np.full((len(first), most, blocks), -np.inf, np.float32)
    table[group, np.arange(rows) - first[group]] = maxima
    bound = np.partition(table.reshape(len(first), -1), place, axis=1)[:, place]
    return np.asarray(bound[group], np.float32)


def runs(owner: Ints) -> tuple[Ints, Ints]:
    """Where each stretch of equal numbers begins in `owner` (ascending, not empty), and how long it is."""
    if owner[0] == owner[-1]:
        return np.zeros(1, np.int64), np.array([len(owner)])
    first = np.concatenate([[0], np.flatnonzero(owner[1:] != owner[:-1]) + 1])
    return first, np.diff(first, append=len(owner))
