"""The same counts as `measures.py`, for a whole corpus at once with numpy: n-grams and LCS of one-line texts.

All texts are laid end to end as word ids, candidates first, then the references of the first item, of the second…
A gram is then an integer, a bag of grams is a run of sorted keys, and the LCS of all pairs advances word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hedline.metrics.lcs import lcs_length, position_masks
from hedline.metrics.statistics import Array
from hedline.metrics.stemmer import STEMMER
from hedline.metrics.tokens import Tokenizer

Ints = NDArray[np.int64]

MAX_KEY = 2**62  # integers that stand for grams in texts stay below it; grams are numbered anew where they would not
MAX_BITS = 63  # words of a reference that fit one machine word's bits


def _number_words(words: list[str], stem: bool) -> Ints:
    """Ids (words,) from 0 on; words with the same stem share one."""
    forms = list(dict.fromkeys(words))
    stems = list(map(STEMMER.__getitem__, forms)) if stem else forms
    ids = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
    id_of = dict(zip(forms, map(ids.__getitem__, stems), strict=True))
    return np.fromiter(map(id_of.__getitem__, words), np.int64, len(words))


class Corpus:
    """Candidates and references as one stream of word ids.

    ids: (tokens,); lengths, starts: (texts,); owner: (references,) the candidate each reference belongs to.
    """

    def __init__(self, candidates: Sequence[str], references: Sequence[Sequence[str]], tokenizer: Tokenizer) -> None:
        lines = tokenizer.pieces_of_all([*candidates, *chain.from_iterable(references)])
        self.lengths: Ints = np.fromiter(map(len, lines), np.int64, len(lines))
        self.ids = _number_words(list(chain.from_iterable(lines)), tokenizer.stem)
        self.starts: Ints = np.cumsum(self.lengths) - self.lengths
        self.candidates = len(candidates)
        self.owner: Ints = np.repeat(np.arange(self.candidates), [len(each) for each in references])
        self.text_of: Ints = np.repeat(np.arange(len(lines)), self.lengths)

    def ngram_counts(self, n: int) -> Array:
        """(references, 3): clipped hits, candidate n-grams, reference n-grams."""
        grams, texts = self._grams(n)
        totals = np.maximum(self.lengths - n + 1, 0)
        hits = self._clipped(grams, texts)
        return self._columns(hits, totals)

    def lcs_counts(self) -> Array:
        """(references, 3): LCS length, candidate words, reference words."""
        return self._columns(self._lcs(), self.lengths)

    def pooled(self, counts: Array) -> Array:
        """Sums (candidates, 3) over each candidate's references."""
        sums = [np.bincount(self.owner, weights=counts[:, column], minlength=self.candidates) for column in range(3)]
        return np.stack(sums, axis=1)

    def _columns(self, hits: Ints, totals: Ints) -> Array:
        counts = [hits, totals[self.owner], totals[self.candidates :]]
        return np.stack(counts, axis=1).astype(np.float64)

    def _grams(self, n: int) -> tuple[Ints, Ints]:
        """Codes of all n-grams inside texts, and each one's text."""
        words = int(self.ids.max(initial=0)) + 1
        codes, size = self.ids, words
        for offset in range(1, n):
            codes, size = codes[: len(self.ids) - offset] * words + self.ids[offset:], size * words
            if size * max(words, len(self.lengths)) > MAX_KEY:
                codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
                size = int(codes.max(initial=0)) + 1
        last = self.text_of[n - 1 :]
        inside = self.text_of[: len(last)] == last
        return codes[: len(last)][inside], last[inside]

    def _clipped(self, grams: Ints, texts: Ints) -> Ints:
        """(references,): the sum over grams of the smaller count in the reference and in its candidate."""
        size = int(grams.max(initial=0)) + 1
        keys, counts = np.unique(texts * size + grams, return_counts=True)
        if not len(keys):
            return np.zeros(len(self.owner), dtype=np.int64)
        first = int(np.searchsorted(keys, self.candidates * size))
        reference = keys[first:] // size - self.candidates
        wanted = self.owner[reference] * size + keys[first:] % size
        found = np.searchsorted(keys, wanted)  # a wanted key is smaller than any reference's, so it is in range
        shared = (
            np.where(keys[found] == wanted, np.minimum(counts[found], counts[first:]), 0) if len(wanted) else wanted
        )
        return np.bincount(reference, weights=shared, minlength=len(self.owner)).astype(np.int64)

    def _lcs(self) -> Ints:
        lengths = self.lengths[self.candidates :]
        short = (lengths <= MAX_BITS) & (self.lengths[self.owner] <= MAX_BITS)
        hits = np.zeros(len(lengths), dtype=np.int64)
        hits[short] = self._short_lcs(np.flatnonzero(short))
        for pair in np.flatnonzero(~short).tolist():
            words = self._words(self.candidates + pair)
            hits[pair] = lcs_length(position_masks(words), len(words), self._words(int(self.owner[pair])))
        return hits

    def _words(self, text: int) -> list[str]:
        start = self.starts[text]
        return [str(word) for word in self.ids[start : start + self.lengths[text]]]

    def _short_lcs(self, pairs: Ints) -> Ints:
        """LCS lengths of pairs whose texts fit a machine word: `lcs.lcs_length`, all pairs a step at a time."""
        reference = self._padded(self.candidates + pairs, -1)
        candidate = self._padded(self.owner[pairs], -2)
        bits = np.uint64(1) << np.arange(len(reference), dtype=np.uint64)[:, None]
        full = (np.uint64(1) << self.lengths[self.candidates + pairs].astype(np.uint64)) - np.uint64(1)
        row = full.copy()
        for words in candidate:
            mask = np.where(reference == words, bits, np.uint64(0)).sum(axis=0)
            matched = row & mask
            row = ((row + matched) | (row - matched)) & full
        return self.lengths[self.candidates + pairs] - _bit_count(row)

    def _padded(self, texts: Ints, filler: int) -> Ints:
        """Word ids (longest, texts), short texts filled up."""
        lengths = self.lengths[texts]
        rows = np.arange(int(lengths.max(initial=0)))[:, None]
        inside = rows < lengths
        positions = np.where(inside, self.starts[texts] + rows, 0)
        return np.where(inside, self.ids[positions] if len(self.ids) else 0, filler)


def _bit_count(values: NDArray[np.uint64]) -> Ints:
    """Set bits of each integer (numpy has it from version 2 on)."""
    octets = np.unpackbits(np.ascontiguousarray(values).view(np.uint8).reshape(len(values), 8), axis=1)
    return np.asarray(octets.sum(axis=1, dtype=np.int64))
