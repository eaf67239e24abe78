"""Longest common subsequences, and the counts of `measures.py` for a whole corpus at once.

ROUGE-1.5.5 compares a reference sentence with every sentence of the summary; the union of its matched positions is
counted, clipped by the words' frequencies in both texts, plain (ROUGE-L) or weighted (ROUGE-W). With one sentence on
each side that is the LCS length, which bit operations on Python integers give in one pass.

`Corpus` counts n-grams and LCS of one-line texts with numpy. All texts are laid end to end as word ids, candidates
first, then the references of the first item, of the second… A gram is then an integer, a bag of grams is a run of
sorted keys, and the LCS of all pairs advances word by word.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Doubles, Ints
from hedline.metrics.tokens import STEMMER, Tokenizer

Sentence = Sequence[str]

MAX_KEY = 2**62  # integers that stand for grams in texts stay below it; grams are numbered anew where they would not
MAX_BITS = 63  # words of a reference that fit one machine word's bits
_DIAGONAL, _UP, _LEFT = 0, 1, 2


def position_masks(tokens: Sentence) -> dict[str, int]:
    """token -> integer whose bit i is set when the token stands at position i."""
    masks: dict[str, int] = {}
    for position, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | 1 << position
    return masks


def lcs_length(masks: Mapping[str, int], length: int, tokens: Sentence) -> int:
    """LCS length of `tokens` and the sentence of `length` tokens behind `masks` (Hyyrö 2004, bit-parallel)."""
    full = (1 << length) - 1
    row = full
    for token in tokens:
        mask = masks.get(token)
        if mask is not None:
            matched = row & mask
            row = ((row + matched) | (row - matched)) & full
    return length - row.bit_count()


def union_hits(
    reference: Sequence[Sentence],
    candidate: Sequence[Sentence],
    reference_counts: Mapping[Hashable, int],
    candidate_counts: Mapping[Hashable, int],
) -> int:
    """ROUGE-L hits of several sentences, each word's hits clipped by its count in both texts."""
    left, right = dict(reference_counts), dict(candidate_counts)
    hits = 0
    for sentence in reference:
        for token, matched in zip(sentence, _union_mask(sentence, candidate, 1.0), strict=True):
            if matched and left.get(token, 0) > 0 and right.get(token, 0) > 0:
                hits += 1
                left[token] -= 1
                right[token] -= 1
    return hits


def weighted_union_hits(
    reference: Sequence[Sentence],
    candidate: Sequence[Sentence],
    reference_counts: Mapping[Hashable, int],
    candidate_counts: Mapping[Hashable, int],
    weight: float,
) -> float:
    """ROUGE-W hits: a run of k consecutive matches is worth k ** weight.

    Odd but so in the script: a run is only paid out at a word that survives clipping, so a run whose last word is
    clipped is carried into the next run, or lost at the sentence's end.
    """
    left, right = dict(reference_counts), dict(candidate_counts)
    hits = 0.0
    for sentence in reference:
        mask = [*_union_mask(sentence, candidate, weight), False]
        run = 0
        for position, token in enumerate(sentence):
            if mask[position] and left.get(token, 0) > 0 and right.get(token, 0) > 0:
                run += 1
                if not mask[position + 1]:
                    hits += run**weight
                    run = 0
                left[token] -= 1
                right[token] -= 1
    return hits


def _union_mask(sentence: Sentence, candidate: Sequence[Sentence], weight: float) -> list[bool]:
    """Positions of `sentence` matched in a (weighted) LCS with any of the candidate's sentences."""
    mask = [False] * len(sentence)
    if sentence:
        for other in candidate:
            _mark(mask, _moves(sentence, other, weight), len(other))
    return mask


def _moves(sentence: Sentence, other: Sentence, weight: float) -> list[list[int]]:
    """Back pointers (len(sentence), len(other)) of the weighted LCS; ties go up, as in the script."""
    width = len(other)
    value = [k**weight for k in range(min(len(sentence), width) + 2)]
    scores, runs = [0.0] * (width + 1), [0] * (width + 1)
    moves = []
    for token in sentence:
        new_scores, new_runs, row = [0.0] * (width + 1), [0] * (width + 1), [_UP] * width
        for j in range(1, width + 1):
            if token == other[j - 1]:
                k = runs[j - 1]
                new_scores[j] = scores[j - 1] + value[k + 1] - value[k]
                new_runs[j] = k + 1
                row[j - 1] = _DIAGONAL
            elif scores[j] >= new_scores[j - 1]:
                new_scores[j] = scores[j]
            else:
                new_scores[j] = new_scores[j - 1]
                row[j - 1] = _LEFT
        scores, runs = new_scores, new_runs
        moves.append(row)
    return moves


def _mark(mask: list[bool], moves: list[list[int]], width: int) -> None:
    """Follow the back pointers from the end and set the matched positions."""
    i, j = len(moves), width
    while i and j:
        move = moves[i - 1][j - 1]
        if move == _DIAGONAL:
            i, j = i - 1, j - 1
            mask[i] = True
        elif move == _UP:
            i -= 1
        else:
            j -= 1


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

    def ngram_counts(self, n: int) -> Doubles:
        """(references, 3): clipped hits, candidate n-grams, reference n-grams."""
        grams, texts = self._grams(n)
        totals = np.maximum(self.lengths - n + 1, 0)
        hits = self._clipped(grams, texts)
        return self._columns(hits, totals)

    def lcs_counts(self) -> Doubles:
        """(references, 3): LCS length, candidate words, reference words."""
        return self._columns(self._lcs(), self.lengths)

    def pooled(self, counts: Doubles) -> Doubles:
        """Sums (candidates, 3) over each candidate's references."""
        sums = [np.bincount(self.owner, weights=counts[:, column], minlength=self.candidates) for column in range(3)]
        return np.stack(sums, axis=1)

    def _columns(self, hits: Ints, totals: Ints) -> Doubles:
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
        """LCS lengths of pairs whose texts fit a machine word: as `lcs_length`, one word of all pairs at each step."""
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
