"""A back-off n-gram model and its query, many words at once.

An n-gram is packed into one 64-bit key from what is already known about its first n-1 words:
`key = (row of the (n-1)-gram before) * vocabulary + last word`. The sorted keys of a level are its n-grams in
lexicographic order whatever the order and the vocabulary, with no hashing and no strings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedline.text.vocab import END, START, UNKNOWN

NEVER = -99.0  # ARPA's logarithm of zero
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


def pack(rows_before: Ids, words: Ids, vocabulary: int) -> NDArray[np.int64]:
    """Keys of n-grams from the rows of their first n-1 words and their last words."""
    return rows_before.astype(np.int64) * vocabulary + words


@dataclass(frozen=True)
class Discount:
    """What is taken from n-grams seen once, twice and more often; `estimated` is False for the fallback."""

    once: float
    twice: float
    more: float
    estimated: bool = True

    def table(self) -> NDArray[np.float64]:
        """(4,) the discount by count, counts above 3 as 3."""
        return np.array([0.0, self.once, self.twice, self.more])


@dataclass(frozen=True)
class Perplexity:
    """Perplexity over predicted words, `</s>` included.

    closed: every target counts, `<unk>` as an ordinary word; known: targets that are `<unk>` are left out.
    """

    closed: float
    known: float
    targets: int
    unknown: int


@dataclass
class NgramModel:
    """Base-10 log probabilities and back-off weights by level.

    words: the vocabulary, `<pad> <unk> <s> </s>` first; keys[n]: (M,) sorted int64 keys of the (n+1)-grams
    (see the module); logs[n], backoffs[n]: (M,) float32. Knows nothing of how it was estimated but the discounts.
    """

    words: tuple[str, ...]
    keys: list[NDArray[np.int64]]
    logs: list[NDArray[np.float32]]
    backoffs: list[NDArray[np.float32]]
    discounts: tuple[Discount, ...] = field(default=())

    @property
    def order(self) -> int:
        """The longest n-gram."""
        return len(self.keys)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Word to id."""
        return {word: number for number, word in enumerate(self.words)}

    def encode(self, sentences: Iterable[Sequence[str]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Words to flat ids and offsets; words outside the vocabulary become `<unk>`."""
        flat: list[int] = []
        offsets = [0]
        for sentence in sentences:
            flat.extend(self.ids.get(word, UNKNOWN) for word in sentence)
            offsets.append(len(flat))
        return np.array(flat, dtype=np.int32), np.array(offsets, dtype=np.int64)

    def rows(self, stream: Stream) -> list[NDArray[np.int32]]:
        """For each level (T,) the row of the n-gram that ends at each place, -1 where there is none."""
        rows = [stream.ids]
        for n in range(1, self.order):
            before = np.full(len(stream.ids), NO_ROW, dtype=np.int32)
            before[1:] = rows[-1][:-1]
            possible = np.flatnonzero((before != NO_ROW) & (stream.places >= n))
            keys = pack(before[possible], stream.ids[possible], len(self.words))
            found = np.full(len(stream.ids), NO_ROW, dtype=np.int32)
            found[possible] = find(self.keys[n], keys)
            rows.append(found)
        return rows

    def log_probabilities(self, stream: Stream) -> NDArray[np.float64]:
        """(T,) base-10 log probability of each word after its history; 0 at `<s>`, which is given."""
        rows = self.rows(stream)
        scores = self.logs[0][stream.ids].astype(np.float64)
        for n in range(1, self.order):
            if not len(self.keys[n]):  # every sentence was shorter than this
                break
            context = np.full(len(stream.ids), NO_ROW, dtype=np.int32)
            context[1:] = rows[n - 1][:-1]
            context[stream.places < n] = NO_ROW
            backed_off = scores + np.where(context == NO_ROW, 0.0, self.backoffs[n - 1][context])
            scores = np.where(rows[n] == NO_ROW, backed_off, self.logs[n][rows[n]])
        return np.where(stream.targets, scores, 0.0)

    def score(self, sentence: Sequence[str]) -> NDArray[np.float64]:
        """(m + 1,) base-10 log probabilities of a sentence's words and its `</s>`."""
        return self.log_probabilities(lay_out(*self.encode([sentence])))[1:]

    def perplexity(self, flat: Ids, offsets: Ids) -> Perplexity:
        """Perplexity of sentences given as ids of this model's words."""
        stream = lay_out(flat, offsets)
        scores = self.log_probabilities(stream)
        unknown = stream.ids == UNKNOWN
        known = stream.targets & ~unknown
        return Perplexity(
            closed=_perplexity(scores[stream.targets]),
            known=_perplexity(scores[known]),
            targets=int(stream.targets.sum()),
            unknown=int(unknown.sum()),
        )


def find(sorted_keys: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """Rows of `keys` in `sorted_keys`, -1 where absent."""
    if not len(sorted_keys):
        return np.full(len(keys), NO_ROW, dtype=np.int32)
    rows = np.searchsorted(sorted_keys, keys)
    rows[rows == len(sorted_keys)] = 0
    return np.where(sorted_keys[rows] == keys, rows, NO_ROW).astype(np.int32)


def _perplexity(logs: NDArray[np.float64]) -> float:
    return float(10 ** -logs.mean()) if len(logs) else float("nan")
