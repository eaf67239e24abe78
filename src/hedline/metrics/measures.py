"""The members of the ROUGE family, and BLEU: what each counts in a summary and a reference, and scores of counts.

A measure gives (hits, candidate count, reference count) for one reference; `rouge.py` joins references. The last axis
of a statistics array holds these three; the last axis of a scores array holds (recall, precision, F), in 0..1, rounded
as ROUGE-1.5.5 rounds. BLEU-4 is what the release of the paper tuned on (Z-MERT, closest reference length); it is here
only for comparing tuning objectives, headlines are reported in ROUGE.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from hedline.arrays import Doubles
from hedline.errors import UserError
from hedline.metrics.bulk import lcs_length, position_masks, union_hits, weighted_union_hits
from hedline.metrics.tokens import Tokenizer

HITS, CANDIDATE, REFERENCE = 0, 1, 2
RECALL, PRECISION, F_SCORE = 0, 1, 2
SCORE_NAMES = ("R", "P", "F")


def round5(values: Doubles) -> Doubles:
    """Round to five decimals exactly as C's printf("%.5f") does: by the decimal expansion of the double.

    numpy rounds the product with 1e5, which errs next to a tie; those few values go through printf itself.
    """
    scaled = values * 1e5
    rounded = np.rint(scaled) / 1e5
    near_tie = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6
    if near_tie.any():
        rounded[near_tie] = [float(f"{value:.5f}") for value in values[near_tie]]
    return rounded


def ratio(hits: Doubles, counts: Doubles) -> Doubles:
    """hits / counts, 0 where the count is 0."""
    return np.divide(hits, counts, out=np.zeros_like(hits), where=counts != 0)


def f_score(recall: Doubles, precision: Doubles, alpha: float = 0.5) -> Doubles:
    """Weighted harmonic mean, alpha the weight of precision (`-p`); 0 where its denominator is 0."""
    denominator = (1 - alpha) * precision + alpha * recall
    return ratio(precision * recall, denominator)


def scores_from(statistics: Doubles, exponents: Doubles | None = None, alpha: float = 0.5) -> Doubles:
    """Recall, precision and F of statistics (…, metrics, 3), same shape.

    exponents: (metrics,), 1 but for ROUGE-W, whose ratios are raised to 1/weight. R and P are rounded before F is
    computed from them, and F is rounded: single summaries equal the script's output digit for digit.
    """
    statistics = np.asarray(statistics, dtype=np.float64)
    recall = ratio(statistics[..., HITS], statistics[..., REFERENCE])
    precision = ratio(statistics[..., HITS], statistics[..., CANDIDATE])
    if exponents is not None and (exponents != 1).any():
        recall, precision = recall**exponents, precision**exponents
    recall, precision = round5(recall), round5(precision)
    return np.stack([recall, precision, round5(f_score(recall, precision, alpha))], axis=-1)


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


ORDER = 4
WIDTH = 2 * ORDER + 2  # matches and totals of each order, candidate length, closest reference length


def bleu_statistics(candidate: Sequence[str], references: Sequence[Sequence[str]]) -> Doubles:
    """(10,): matches 1…4, candidate n-grams 1…4, candidate length, closest reference length. They add up over texts."""
    matches, totals = [], []
    for n in range(1, ORDER + 1):
        ours = ngrams(candidate, n)
        theirs = [ngrams(reference, n).counts for reference in references]
        matches.append(
            sum(min(count, max(each.get(gram, 0) for each in theirs)) for gram, count in ours.counts.items())
        )
        totals.append(ours.total)
    length = len(candidate)
    closest = min((len(reference) for reference in references), key=lambda other: (abs(other - length), other))
    return np.array([*matches, *totals, length, closest], dtype=np.float64)


def bleu(statistics: Doubles) -> Doubles:
    """BLEU in 0..1 of statistics (…, 10), already summed over a corpus; 0 when an order has no match."""
    statistics = np.asarray(statistics, dtype=np.float64)
    matches, totals = statistics[..., :ORDER], statistics[..., ORDER : 2 * ORDER]
    length, closest = statistics[..., 2 * ORDER], statistics[..., 2 * ORDER + 1]
    some = matches.min(axis=-1) > 0
    precision = np.where(some[..., None], matches, 1.0) / np.maximum(totals, 1.0)
    brevity = np.minimum(0.0, 1.0 - closest / np.maximum(length, 1e-9))
    return np.asarray(np.where(some, np.exp(brevity + np.log(precision).mean(axis=-1)), 0.0))
