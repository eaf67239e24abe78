"""Counting n-grams by sorting, and the adjusted counts of Kneser-Ney.

An n-gram is packed into one 64-bit key from what is already known about its first n-1 words:
`key = (row of the (n-1)-gram before) * vocabulary + last word`. One sort per level therefore gives distinct
n-grams in lexicographic order whatever the order and the vocabulary, with no hashing and no strings.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedline.progress import Progress
from hedline.text.vocab import END, START

NO_ROW = -1  # "this n-gram does not exist"

Ids = NDArray[np.integer]


@dataclass(frozen=True)
class Stream:
    """Sentences laid end to end as `<s> w1 … wm </s>`.

    ids: (T,) int32 word ids; places: (T,) int32, how many words stand before each in its sentence (`<s>`: 0).
    """

    ids: NDArray[np.int32]
    places: NDArray[np.int32]

    @property
    def targets(self) -> NDArray[np.bool_]:
        """(T,) where a word is predicted: everywhere but at `<s>`."""
        return self.places > 0


@dataclass
class Level:
    """All distinct n-grams of one order, sorted by key.

    keys: (M,) int64, see the module; suffixes: (M,) int32 rows of the last n-1 words one level below;
    counts: (M,) int64 occurrences, later adjusted; initial: (M,) bool, whether the n-gram begins with `<s>`.
    """

    keys: NDArray[np.int64]
    suffixes: NDArray[np.int32]
    counts: NDArray[np.int64]
    initial: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.keys)


def lay_out(flat: Ids, offsets: Ids) -> Stream:
    """The stream of sentences stored flat: sentence i is `flat[offsets[i]:offsets[i + 1]]`."""
    bounds = np.asarray(offsets, dtype=np.int64)
    lengths = bounds[1:] - bounds[:-1]
    starts = np.concatenate([[0], np.cumsum(lengths + 2)])
    ids = np.empty(starts[-1], dtype=np.int32)
    words = np.ones(len(ids), dtype=bool)
    words[starts[:-1]] = words[starts[1:] - 1] = False
    ids[starts[:-1]], ids[starts[1:] - 1] = START, END
    ids[words] = flat[bounds[0] : bounds[-1]]
    places = np.arange(len(ids), dtype=np.int32)
    places -= np.repeat(starts[:-1].astype(np.int32), lengths + 2)
    return Stream(ids, places)


def count_ngrams(stream: Stream, order: int, vocabulary: int, progress: Progress | None = None) -> list[Level]:
    """Levels 1 to `order`; level 1 has a row for every word of the vocabulary, seen or not.

    progress: advanced by one an order.
    """
    unigrams = np.bincount(stream.ids, minlength=vocabulary).astype(np.int64)
    everything = np.arange(vocabulary, dtype=np.int64)
    levels = [Level(everything, np.zeros(vocabulary, np.int32), unigrams, everything == START)]
    rows = stream.ids
    for n in range(2, order + 1):
        level, rows = _next_level(stream, rows, n, vocabulary)
        levels.append(level)
        if progress:
            progress.advance(note=f"{len(level):,} {n}-grams")
    return levels


def pack(rows_before: Ids, words: Ids, vocabulary: int) -> NDArray[np.int64]:
    """Keys of n-grams from the rows of their first n-1 words and their last words."""
    return rows_before.astype(np.int64) * vocabulary + words


def _next_level(stream: Stream, rows: NDArray[np.int32], n: int, vocabulary: int) -> tuple[Level, NDArray[np.int32]]:
    """Level n, and (T,) the row of the n-gram that ends at each place; `rows` is the same for n-1."""
    ends = np.flatnonzero(stream.places >= n - 1)
    keys = pack(rows[ends - 1], stream.ids[ends], vocabulary)
    by_key = np.argsort(keys, kind="stable")
    keys = keys[by_key]
    new = np.empty(len(keys), dtype=bool)
    new[:1], new[1:] = True, keys[1:] != keys[:-1]
    first = np.flatnonzero(new)
    next_rows = np.full(len(rows), NO_ROW, dtype=np.int32)
    next_rows[ends[by_key]] = np.cumsum(new, dtype=np.int32) - 1
    example = ends[by_key[first]]
    counts = np.diff(np.append(first, len(keys)))
    return Level(keys[first], rows[example], counts, stream.places[example] == n - 1), next_rows


def adjust_counts(levels: list[Level]) -> None:
    """Below the highest order, count the distinct words to the left instead of occurrences (in place).

    N-grams that begin with `<s>` have nothing to their left and keep their occurrences; `<s>` itself is never
    predicted, so its own count is 0 (as in kenlm's lmplz).
    """
    for lower, higher in pairwise(levels):
        kinds = np.bincount(higher.suffixes, minlength=len(lower))
        lower.counts = np.where(lower.initial, lower.counts, kinds)
    levels[0].counts[START] = 0
