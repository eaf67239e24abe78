"""The features of ABS+ (section 5 of the paper), by name.

Two views of one definition: `feature_values` reads a finished headline word by word, as the paper writes it;
`FeatureTables` holds the same as small arrays over one input's words, which the search adds up without loops.
Words are compared by *keys* (lower-cased surface forms), so a word outside the vocabulary counts like any other.

A feature that depends on the word alone is one line in WORD_FEATURES; one that depends on the finished headline is one
line in FINAL_FEATURES; neither touches the search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Floats, Ints
from hedline.errors import UserError
from hedline.text.tokenize import is_content

PAPER_FEATURES = ("log_prob", "unigram", "bigram", "trigram", "reorder")
ABS_WEIGHTS: dict[str, float] = {"log_prob": 1.0}


# A word's own features: (key, whether it stands in the input) -> value.
WORD_FEATURES: dict[str, Callable[[str, bool], float]] = {
    "unigram": lambda _, known: float(known),
    "length": lambda _key, _known: 1.0,
    "unsupported": lambda key, known: float(not known and is_content(key)),
}


def coverage(alignment: NDArray[np.float32]) -> float:
    """Share of the input that the alignment (N, M) covers: mean over positions of min(1, total attention)."""
    return float(np.minimum(alignment.sum(axis=0), 1.0).mean()) if alignment.size else 0.0


# Features of a finished headline: alignment (N, M) -> value.
FINAL_FEATURES: dict[str, Callable[[NDArray[np.float32]], float]] = {"coverage": coverage}
FEATURES = (*PAPER_FEATURES, "length", "unsupported", "repeat", "coverage")


LARGEST = 1e9  # the sums of features times weights must stay finite in float32


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights as a plain dict; an unknown name, or a weight that is no sensible number, is the user's mistake."""
    for name, value in weights.items():
        if not isinstance(name, str):
            raise UserError(f"a feature is called by its name, not by {type(name).__name__}")
        if name not in FEATURES and name not in WORD_FEATURES and name not in FINAL_FEATURES:
            raise UserError(f"no feature is called {name[:40]!r}; the features are {', '.join(FEATURES)}")
        if not isinstance(value, Real) or isinstance(value, bool) or not -LARGEST <= value <= LARGEST:
            raise UserError(f"the weight of {name} must be a number between -{LARGEST:g} and {LARGEST:g}")
        if name == "log_prob" and value < 0:
            raise UserError("the weight of log_prob must not be negative: the search would look for the worst words")
    return {name: float(value) for name, value in weights.items()}


# The dial's ends, in nats for each word: how much more a word of the input is worth than a new one, and the share of
# words that are usually copied, so that turning the dial changes which words are chosen and not how many.
COPYING, INVENTING = 4.0, 1.5
USUALLY_COPIED = 0.9


def dial(weights: Mapping[str, float], abstractiveness: float | None) -> dict[str, float]:
    """The weights with words of the input favoured (toward -1) or new words (toward 1); 0 and None change nothing."""
    if not abstractiveness:
        return dict(weights)
    favour = -abstractiveness * (INVENTING if abstractiveness > 0 else COPYING)
    turned = {"unigram": favour, "length": -USUALLY_COPIED * favour}
    return {**weights, **{name: weights.get(name, 0.0) + value for name, value in turned.items()}}


@dataclass(frozen=True)
class NGrams:
    """The input's n-grams as sets: what counts as a bigram, a trigram (with its history) and a reordering.

    START stands for the beginning of the headline (None, so that no word equals it).
    """

    words: frozenset[str]
    bigrams: frozenset[tuple[str | None, str]]
    trigrams: frozenset[tuple[str | None, str | None, str]]
    first: Mapping[str, int]
    last: Mapping[str, int]
    namas: bool

    def reorder(self, before: str | None, word: str) -> bool:
        """Whether `before` stands after `word` somewhere in the input (NAMAS: at its first occurrence)."""
        if before is None or before not in self.first or word not in self.first:
            return False
        return (self.first if self.namas else self.last)[before] > self.first[word]


def read_ngrams(source: Sequence[str], variant: str = "paper") -> NGrams:
    """N-grams of the input's keys; `namas` takes (x[j-2], x[j]) and (x[j-3], x[j-2], x[j]) with boundary symbols."""
    first: dict[str, int] = {}
    last = {word: place for place, word in enumerate(source)}
    for place, word in enumerate(source):
        first.setdefault(word, place)
    if variant == "namas":
        wrapped: list[str | None] = [None, None, None, *source]
        bigrams = {(wrapped[j + 1], word) for j, word in enumerate(source)}
        trigrams = {(wrapped[j], wrapped[j + 1], word) for j, word in enumerate(source)}
    else:
        bigrams = set(pairwise(source))
        trigrams = set(zip(source, source[1:], source[2:], strict=False))
    return NGrams(frozenset(source), frozenset(bigrams), frozenset(trigrams), first, last, variant == "namas")


def feature_values(words: Sequence[str], ngrams: NGrams) -> dict[str, float]:
    """Every word-level feature of a finished headline (keys), summed over its words; no log_prob, no final features."""
    history: list[str | None] = [None, None, *words]
    totals = dict.fromkeys((*WORD_FEATURES, "bigram", "trigram", "reorder", "repeat"), 0.0)
    for i, word in enumerate(words):
        two, one = history[i], history[i + 1]
        for name, value in WORD_FEATURES.items():
            totals[name] += value(word, word in ngrams.words)
        totals["bigram"] += (one, word) in ngrams.bigrams
        totals["trigram"] += (two, one, word) in ngrams.trigrams
        totals["reorder"] += ngrams.reorder(one, word)
        totals["repeat"] += is_content(word) and word in words[:i]
    return totals


@dataclass(frozen=True)
class FeatureTables:
    """Weighted features of one input over its U distinct words ("hot" words).

    Hot index U stands for any word that is not in the input, U + 1 for the beginning of the headline.
    second: (U + 2, U + 1) what a hot word gains after another; pair: (U + 2, U + 1) the trigram history that two
    words form (P: none); third: (P + 1, U + 1) what a hot word gains after a history. start: the first history.
    """

    hot: dict[str, int]
    second: Floats
    pair: Ints
    third: Floats
    start: int


def build_tables(ngrams: NGrams, weights: Mapping[str, float]) -> FeatureTables:
    """The tables of one input under the given weights."""
    hot = {word: index for index, word in enumerate(ngrams.first)}
    size = len(hot)
    second = np.zeros((size + 2, size + 1), np.float32)
    histories = {trigram[:2] for trigram in ngrams.trigrams}
    numbers = {history: number for number, history in enumerate(sorted(histories, key=_sortable))}
    pair = np.full((size + 2, size + 1), len(numbers), np.int64)
    third = np.zeros((len(numbers) + 1, size + 1), np.float32)
    for one, word in ngrams.bigrams:
        second[_row(hot, one), hot[word]] += weights.get("bigram", 0.0)
    for (two, one), number in numbers.items():
        if one is not None:
            pair[_row(hot, two), hot[one]] = number
    for two, one, word in ngrams.trigrams:
        third[numbers[two, one], hot[word]] += weights.get("trigram", 0.0)
    if weights.get("reorder", 0.0) and size:
        second[:size, :size] += np.float32(weights["reorder"]) * _reorderings(ngrams)
    return FeatureTables(hot, second, pair, third, numbers.get((None, None), len(numbers)))


def _reorderings(ngrams: NGrams) -> NDArray[np.bool_]:
    """(U, U): whether the row's word may follow the column's in the input, so that "row column" is a reordering."""
    first = np.fromiter(ngrams.first.values(), np.int64)
    last = first if ngrams.namas else np.fromiter((ngrams.last[word] for word in ngrams.first), np.int64)
    return np.asarray(last[:, None] > first[None, :])


def _row(hot: Mapping[str, int], word: str | None) -> int:
    return len(hot) + 1 if word is None else hot[word]


def _sortable(history: tuple[str | None, str | None]) -> tuple[str, ...]:
    return tuple("" if word is None else f"+{word}" for word in history)
