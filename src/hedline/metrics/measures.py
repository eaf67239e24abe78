"""The members of the ROUGE family: what each counts in a summary and a reference.

A measure gives (hits, candidate count, reference count) for one reference; `rouge.py` joins references and turns
counts into scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from hedline.errors import UserError
from hedline.metrics.lcs import lcs_length, position_masks, union_hits, weighted_union_hits
from hedline.metrics.ngrams import Bag, ngrams, overlap, skip_bigrams
from hedline.metrics.tokens import Tokenizer

Counts = tuple[float, float, float]


class Reading:
    """A text as the metrics see it: tokens, sentences, and bags of grams computed when first asked for."""

    __slots__ = ("_bags", "_masks", "sentences", "tokens")

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.tokens = tokenizer.joined(text)
        self.sentences = tokenizer.sentences(text) if "\n" in text else [self.tokens]
        self._bags: dict[object, Bag] = {}
        self._masks: dict[str, int] | None = None

    def ngrams(self, n: int) -> Bag:
        """Bag of n-grams."""
        found = self._bags.get(n)
        if found is None:
            found = self._bags[n] = ngrams(self.tokens, n)
        return found

    def skip_bigrams(self, gap: int | None, unigrams: bool) -> Bag:
        """Bag of skip bigrams."""
        key = (gap, unigrams)
        found = self._bags.get(key)
        if found is None:
            found = self._bags[key] = skip_bigrams(self.tokens, gap, unigrams)
        return found

    def masks(self) -> dict[str, int]:
        """Position masks of the tokens, for the bit-parallel LCS."""
        if self._masks is None:
            self._masks = position_masks(self.tokens)
        return self._masks

    def single(self) -> bool:
        """Whether the text is one sentence, so that tokens and sentences are the same words."""
        return len(self.sentences) == 1 and self.sentences[0] is self.tokens


class Measure(Protocol):
    """One metric. exponent: what its ratios are raised to (1 but for ROUGE-W)."""

    @property
    def name(self) -> str:
        """ROUGE-1, ROUGE-L…"""

    @property
    def exponent(self) -> float:
        """Power applied to hits / count."""

    def count(self, candidate: Reading, reference: Reading) -> Counts:
        """Hits, candidate count, reference count."""

    def preference(self, counts: Counts, reference: Reading) -> float:
        """What `-f B` compares, given this reference's counts; the first of the highest is taken."""


def _rounded_recall(hits: float, reference: float) -> float:
    # Odd but so in the script: n-gram recalls are compared after rounding to five decimals, LCS recalls before.
    return float(f"{hits / reference:.5f}") if reference else 0.0


@dataclass(frozen=True)
class NGram:
    """ROUGE-N."""

    n: int
    exponent: float = 1.0

    @property
    def name(self) -> str:
        """ROUGE-n."""
        return f"ROUGE-{self.n}"

    def count(self, candidate: Reading, reference: Reading) -> Counts:
        """Clipped n-gram hits."""
        ours, theirs = candidate.ngrams(self.n), reference.ngrams(self.n)
        return overlap(ours, theirs), ours.total, theirs.total

    def preference(self, counts: Counts, reference: Reading) -> float:
        """Recall, rounded."""
        return _rounded_recall(counts[0], counts[2])


@dataclass(frozen=True)
class SkipBigram:
    """ROUGE-S and ROUGE-SU; gap None is the script's negative `-2`: no limit."""

    gap: int | None
    unigrams: bool
    exponent: float = 1.0

    @property
    def name(self) -> str:
        """ROUGE-S4, ROUGE-SU*…"""
        return f"ROUGE-S{'U' if self.unigrams else ''}{'*' if self.gap is None else self.gap}"

    def count(self, candidate: Reading, reference: Reading) -> Counts:
        """Clipped skip-bigram hits."""
        ours = candidate.skip_bigrams(self.gap, self.unigrams)
        theirs = reference.skip_bigrams(self.gap, self.unigrams)
        return overlap(ours, theirs), ours.total, theirs.total

    def preference(self, counts: Counts, reference: Reading) -> float:
        """Recall, rounded."""
        return _rounded_recall(counts[0], counts[2])


@dataclass(frozen=True)
class LongestSubsequence:
    """ROUGE-L."""

    name: str = "ROUGE-L"
    exponent: float = 1.0

    def count(self, candidate: Reading, reference: Reading) -> Counts:
        """Union-LCS hits; the candidate's count is of its joined text, the reference's of its sentences."""
        total = len(candidate.tokens)
        if candidate.single() and reference.single():
            length = len(reference.tokens)
            return lcs_length(reference.masks(), length, candidate.tokens), total, length
        hits = union_hits(
            reference.sentences, candidate.sentences, reference.ngrams(1).counts, candidate.ngrams(1).counts
        )
        return hits, total, sum(map(len, reference.sentences))

    def preference(self, counts: Counts, reference: Reading) -> float:
        """Recall, not rounded."""
        return counts[0] / counts[2] if counts[2] else 0.0


@dataclass(frozen=True)
class WeightedSubsequence:
    """ROUGE-W. On an empty reference the script stops with a division by zero; here the recall is 0."""

    weight: float = 1.2

    @property
    def name(self) -> str:
        """ROUGE-W-1.2."""
        return f"ROUGE-W-{self.weight:g}"

    @property
    def exponent(self) -> float:
        """Inverse of the weight."""
        return 1 / self.weight

    def count(self, candidate: Reading, reference: Reading) -> Counts:
        """Weighted union-LCS hits.

        Odd but so in the script: the reference's length is weighted twice (each sentence's, then their sum), so
        that a summary equal to its reference has a recall below 1.
        """
        hits = weighted_union_hits(
            reference.sentences,
            candidate.sentences,
            reference.ngrams(1).counts,
            candidate.ngrams(1).counts,
            self.weight,
        )
        return hits, len(candidate.tokens) ** self.weight, self._base(reference) ** self.weight

    def preference(self, counts: Counts, reference: Reading) -> float:
        """Recall with the length weighted once, not rounded; in the script's order of operations, for its ties."""
        base = self._base(reference)
        return (counts[0] / base) ** (1 / self.weight) if base else 0.0

    def _base(self, reference: Reading) -> float:
        base: float = sum(len(sentence) ** self.weight for sentence in reference.sentences)
        return base


_NAME = re.compile(r"(?:ROUGE-?)?(?:(?P<n>[1-9])|(?P<L>L)|W-?(?P<W>[0-9.]*)|S(?P<U>U?)(?P<gap>\*|[0-9]+))", re.I)


def parse_measure(name: str) -> Measure:
    """The measure of a name: 1 … 9, L, W or W1.2, S4, SU4, S*, SU*, with or without "ROUGE-" before it."""
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise UserError(f"unknown metric {name!r}: use 1 to 9, L, W1.2, S4, SU4, S* or SU*")
    if match["n"]:
        return NGram(int(match["n"]))
    if match["L"]:
        return LongestSubsequence()
    if match["gap"]:
        return SkipBigram(None if match["gap"] == "*" else int(match["gap"]), bool(match["U"]))
    return WeightedSubsequence(_weight(match["W"]))


def _weight(text: str) -> float:
    try:
        weight = float(text or "1.2")
    except ValueError:
        weight = 0.0
    if weight <= 0:
        raise UserError(f"the weight of ROUGE-W is a number above 0, not {text!r}")
    return weight
