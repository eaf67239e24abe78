"""Repeat blocking: no content word twice and no pair of neighbours twice; function words may recur."""

from __future__ import annotations

import numpy as np

from hedline.decoding.lexicon import Flags
from hedline.decoding.scorer import Floats, Ints

_MIX = np.int64(0x1E3779B97F4A7C15)
_SPREAD = np.int64(0x3F58476D1CE4E5B9)


def forbid_repeats(totals: Floats, history: Ints, content: Flags, penalty: float, trash: int) -> None:
    """Add `penalty` to (or forbid, -inf) the content words each row has used; forbid pairs it has used; in place.

    totals: (rows, W); history: (rows, T) columns so far; content: (rows, W); trash: a column nobody can take.
    """
    if not history.shape[1]:
        return
    rows = np.arange(len(history))[:, None]
    totals[rows, np.where(content[rows, history], history, trash)] += np.float32(penalty)
    if penalty == -np.inf and history.shape[1] > 1:
        again = history[:, :-1] == history[:, -1:]
        totals[rows, np.where(again, history[:, 1:], trash)] = -np.inf


def marks_of(marks: Ints, history: Ints, chosen: Ints, content: Flags) -> Ints:
    """A number for the set of words and pairs a row can no longer use, after it took `chosen`.

    Sums of hashes, so the order of words does not matter: equal sets give equal numbers.
    """
    with np.errstate(over="ignore"):
        new = marks + np.where(content, _hash(chosen + 1), 0)
        if history.shape[1]:
            pairs = _hash(_hash(history[:, -1] + 1) + chosen)
            # A pair with a content word cannot come again anyway: the word itself is used up.
            new = new + np.where(content, 0, pairs)
    return np.asarray(new)


def _hash(values: Ints) -> Ints:
    mixed = values * _MIX
    mixed = (mixed ^ (mixed >> 29)) * _SPREAD
    return np.asarray(mixed ^ (mixed >> 32))
