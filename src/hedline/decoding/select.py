"""Choosing among all extensions of all hypotheses, without a loop over rows."""

from __future__ import annotations

import numpy as np

from hedline.decoding.lexicon import Flags
from hedline.decoding.scorer import Floats, Ints

LOWEST = np.float32(-3e38)  # below every total but -inf
_MIX = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64).view(np.int64)


def best_columns(totals: Floats, owner: Ints, width: int, pruned: Flags) -> tuple[Ints, Ints]:
    """The `width` best (row, column) pairs of each input: rows and columns.

    totals: (rows, W), -inf is never chosen; owner: (rows,) ascending. Pairs come input by input, best first; equal
    scores in the order of rows and columns. pruned: (inputs,) set, in place, where pairs had to be dropped.
    """
    if not len(owner):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
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
    return rows[kept], flat[kept] - rows[kept] * totals.shape[1]


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


def merge_equal_futures(totals: Floats, owner: Ints, futures: Ints) -> None:
    """Hypothesis recombination, in place: of the extensions that no future can tell apart only the best stays.

    futures: (rows, n); rows of one input with equal numbers compete column by column. The first row wins a tie.
    """
    if len(owner) < 2:
        return
    hashes = _hash(owner, futures)
    ordered = np.sort(hashes)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    for group in np.flatnonzero(counts > 1):
        rows = np.flatnonzero(inverse == group)
        winner = totals[rows].argmax(axis=0)
        losing = np.arange(len(rows))[:, None] != winner[None, :]
        totals[rows] = np.where(losing, -np.inf, totals[rows])


def _hash(owner: Ints, futures: Ints) -> Ints:
    """(rows,) a number for each row's input and future; that two different ones meet is as likely as 1 in 2^64."""
    mixed = owner * _MIX[0]
    for column in futures.T:
        mixed = (mixed ^ (mixed >> 31) ^ column) * _MIX[1] + _MIX[2]
    return np.asarray(mixed)
