"""Bags of n-grams and skip bigrams, and their clipped overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple


class Bag(NamedTuple):
    """A multiset: gram -> count, and the sum of the counts."""

    counts: Mapping[Hashable, int]
    total: int


def bag(grams: Sequence[Hashable]) -> Bag:
    """Count grams; a plain dict when nothing repeats, which headlines seldom do and which is much faster."""
    distinct = dict.fromkeys(grams, 1)
    return Bag(distinct if len(distinct) == len(grams) else Counter(grams), len(grams))


def ngrams(tokens: Sequence[str], n: int) -> Bag:
    """All runs of n tokens."""
    if n == 1:
        return bag(tokens)
    return bag(list(zip(*(tokens[start:] for start in range(n)), strict=False)))


def skip_bigrams(tokens: Sequence[str], gap: int | None, unigrams: bool) -> Bag:
    """Ordered pairs with at most `gap` tokens between them (None: any number), with unigrams for ROUGE-SU.

    Odd but so in the script: the loop over first words stops before the last token, so SU never counts the last
    unigram, and a one-word text has no grams at all.
    """
    grams: list[Hashable] = []
    for position in range(len(tokens) - 1):
        first = tokens[position]
        if unigrams:
            grams.append(first)
        end = None if gap is None else position + gap + 2
        grams.extend((first, second) for second in tokens[position + 1 : end])
    return bag(grams)


def overlap(left: Bag, right: Bag) -> int:
    """Clipped hits: the sum over grams of the smaller count."""
    common = left.counts.keys() & right.counts.keys()
    if len(left.counts) == left.total or len(right.counts) == right.total:
        return len(common)  # no repeats on one side: every common gram counts once
    return sum(min(left.counts[gram], right.counts[gram]) for gram in common)
