"""A back-off n-gram model, its query (many words at once), and its discounts (Chen & Goodman 1998, equation 26)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedline.ngram.count import NO_ROW, Ids, Stream, lay_out, pack
from hedline.text.vocab import UNKNOWN

FALLBACK = (0.5, 1.0, 1.5)  # lmplz's --discount_fallback, for orders too small to estimate from


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


def estimate_discount(counts: NDArray[np.int64]) -> Discount:
    """D1, D2 and D3+ from the adjusted counts of one order.

    Tiny or artificial text may lack n-grams of count 1, 2 or 3 or give a discount outside 0 … count;
    then the fixed fallback is used and marked.
    """
    t = np.bincount(np.minimum(counts[counts > 0], 5), minlength=6).astype(float)
    if not t[1:4].all():
        return Discount(*FALLBACK, estimated=False)
    y = t[1] / (t[1] + 2 * t[2])
    once, twice, more = (float(k - (k + 1) * y * t[k + 1] / t[k]) for k in (1, 2, 3))
    if not (0 <= once <= 1 and 0 <= twice <= 2 and 0 <= more <= 3):
        return Discount(*FALLBACK, estimated=False)
    return Discount(once, twice, more)


NEVER = -99.0  # ARPA's logarithm of zero


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
    (see `count`); logs[n], backoffs[n]: (M,) float32. Knows nothing of how it was estimated but the discounts.
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
