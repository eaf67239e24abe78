"""Choosing among all extensions of all hypotheses, without a loop over rows."""

from __future__ import annotations

import numpy as np

from hedline.decoding.scorer import Floats, Ints


def best_columns(totals: Floats, owner: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """The `width` best (row, column) pairs of each input: rows, columns, and the inputs where some were dropped.

    totals: (rows, W), -inf is never chosen; owner: (rows,) ascending. Pairs come input by input, best first; equal
    scores in the order of rows and columns.
    """
    if not len(owner):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    threshold = _lower_bounds(totals, owner, width)
    flat = np.flatnonzero((totals >= threshold[:, None]) & (totals > -np.inf))
    rows, columns = np.divmod(flat, totals.shape[1])
    inputs = owner[rows]
    order = np.lexsort((-totals.ravel()[flat], inputs))
    starts = np.searchsorted(inputs, inputs)  # inputs are ascending already: flat runs row by row
    chosen = np.arange(len(flat)) - starts < width
    kept = order[chosen]
    dropped = _dropped(totals, owner, threshold, inputs, chosen)
    return rows[kept], columns[kept], dropped


def _dropped(totals: Floats, owner: Ints, threshold: Floats, inputs: Ints, chosen: object) -> Ints:
    """Inputs that had more extensions than were kept."""
    over = inputs[~np.asarray(chosen)]
    finite = threshold > -np.inf  # a finite bound may have hidden some
    if finite.any():
        hidden = (totals[finite] < threshold[finite, None]) & (totals[finite] > -np.inf)
        over = np.concatenate([over, owner[finite][hidden.any(axis=1)]])
    return np.unique(over)


def _lower_bounds(totals: Floats, owner: Ints, width: int) -> Floats:
    """(rows,) a bound below the `width`-th best total of the row's input, from maxima of blocks of columns.

    Each of an input's blocks holds at least one total as high as its maximum, so the `width`-th highest maximum is
    a bound; with four times as many blocks as wanted it lets few others pass.
    """
    rows, columns = totals.shape
    first = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    counts = np.diff(np.r_[first, rows])
    blocks = min(columns, -(-4 * width // int(counts.min())))
    size = columns // blocks
    maxima = totals[:, : blocks * size].reshape(rows, blocks, size).max(axis=2)
    most = int(counts.max())
    group = np.repeat(np.arange(len(first)), counts)
    if most * blocks < width:
        return np.full(rows, -np.inf, np.float32)
    table = np.full((len(first), most, blocks), -np.inf, np.float32)
    table[group, np.arange(rows) - first[group]] = maxima
    place = most * blocks - width
    bound = np.partition(table.reshape(len(first), -1), place, axis=1)[:, place]
    return np.asarray(bound[group], np.float32)


def merge_equal_futures(totals: Floats, owner: Ints, futures: Ints) -> None:
    """Hypothesis recombination, in place: of the extensions that no future can tell apart only the best stays.

    futures: (rows, n); rows of one input with equal numbers compete column by column. The first row wins a tie.
    """
    if len(owner) < 2:
        return
    keys = np.ascontiguousarray(np.concatenate([owner[:, None], futures], axis=1))
    packed = keys.view(np.dtype((np.void, keys.dtype.itemsize * keys.shape[1]))).ravel()
    _, inverse, counts = np.unique(packed, return_inverse=True, return_counts=True)
    if len(counts) == len(owner):
        return
    for group in np.flatnonzero(counts > 1):
        rows = np.flatnonzero(inverse == group)
        winner = totals[rows].argmax(axis=0)
        losing = np.arange(len(rows))[:, None] != winner[None, :]
        totals[rows] = np.where(losing, -np.inf, totals[rows])
