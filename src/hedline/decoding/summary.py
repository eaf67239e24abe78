"""A finished headline: its features (section 5 of the paper, by name), and what a caller gets back.

`feature_values` reads a headline word by word, as the paper writes it; `word_columns.FeatureTables` holds the same as
small arrays over one input's words, which the search adds up without loops. Words are compared by *keys* (lower-cased
surface forms), so a word outside the vocabulary counts like any other. A feature that depends on the word alone is one
line in WORD_FEATURES; one that depends on the finished headline is one line in FINAL_FEATURES; neither touches the
search.

The order is the search's own, or by what the other candidates agree with, or by words of the input. A beam's best
headline is the likeliest, not the one expected to score best. If the candidates are what a reader might have written,
each as likely as its key says, the headline with the highest expected overlap (mean of the unigram and the bigram F1)
is the one to print (minimum Bayes risk; Kumar and Byrne, 2004). `spread` takes candidates that differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Doubles, Floats
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


def no_alignment() -> Floats:
    """The alignment of an empty headline."""
    return np.zeros((0, 0), np.float32)


@dataclass(frozen=True)
class Hypothesis:
    """One candidate headline.

    tokens: the printed words (N); score: weights · features; features: value by name; alignment: (N, M) attention of
    each word over the input's words; known: (N,) whether each word stands in the input; key: what it was ranked by
    (the score with the length's reward); short: by how much it misses what was asked (0: not at all);
    units: words or pieces, the end included, that the length penalty counts; doubt: how much the model doubts it, from
    0 to 1, None where it cannot tell.
    """

    text: str
    score: float
    tokens: tuple[str, ...]
    features: Mapping[str, float]
    alignment: Floats
    known: tuple[bool, ...]
    key: float
    short: int = 0
    units: int = 0
    doubt: float | None = None

    def read(self) -> Hypothesis:
        """Itself; see Unread."""
        return self

    def with_text(self, text: str) -> Hypothesis:
        """The same candidate in other capitals: `text` has the same characters, but for their case."""
        if text == self.text:
            return self
        tokens, place = [], 0
        for token in self.tokens:
            start = self.text.find(token, place)
            tokens.append(text[start : start + len(token)] if start >= 0 else token)
            place = start + len(token) if start >= 0 else place
        return replace(self, text=text, tokens=tuple(tokens))

    def taking(self, rows: list[int], text: str) -> Hypothesis:
        """The same candidate with these of its tokens only, printed as `text`."""
        return replace(
            self,
            text=text,
            tokens=tuple(self.tokens[row] for row in rows),
            alignment=np.asarray(self.alignment[rows]),
            known=tuple(self.known[row] for row in rows),
        )

    def adding(self, row: int, tokens: tuple[str, ...], text: str, start: int | None = None) -> Hypothesis:
        """The same candidate with more tokens from a row on, printed as `text` from a character on (None: at the end).

        They are aligned as the word after them, or the last one.
        """
        place = len(self.text) if start is None else start
        near = self.alignment[min(row, len(self.alignment) - 1)]
        rows = np.repeat(near[None], len(tokens), axis=0)
        return replace(
            self,
            text=self.text[:place] + text + self.text[place:],
            tokens=(*self.tokens[:row], *tokens, *self.tokens[row:]),
            alignment=np.concatenate([self.alignment[:row], rows, self.alignment[row:]]),
            known=(*self.known[:row], *(True for _ in tokens), *self.known[row:]),
        )


@dataclass(frozen=True)
class Unread:
    """A candidate headline of which only the text is known; most candidates are judged by it and go."""

    text: str
    short: int
    read: Callable[[], Hypothesis]

    def with_text(self, text: str) -> Unread:
        """The same candidate in other capitals, see Hypothesis."""
        return self if text == self.text else replace(self, text=text, read=lambda: self.read().with_text(text))


Candidate = Hypothesis | Unread


@dataclass(frozen=True)
class Summary:
    """A headline with its evidence.

    tokens, alignment, features as in Hypothesis; source: the input's words (M), the columns of the alignment; copied
    and novel: its words that do and do not stand in the input; nbest: candidates, best first, itself included; notes:
    what a reader should know (input cut, limit not reachable, …); doubt as in Hypothesis.
    """

    text: str
    score: float = 0.0
    tokens: tuple[str, ...] = ()
    alignment: Floats = field(default_factory=no_alignment)
    source: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    novel: tuple[str, ...] = ()
    nbest: tuple[Hypothesis, ...] = ()
    notes: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)
    doubt: float | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Numbers and names of the headline that nothing in the input supports: look at these before you publish."""
        from hedline.metrics.support import unsupported_names, unsupported_numbers

        lead = " ".join(self.source)
        return (*unsupported_numbers(self.text, lead), *unsupported_names(self.text, lead)) if lead else ()

    def to_json(self, id: str, lead: str) -> dict[str, Any]:
        """The record of one JSONL line (shared interface); `unsupported` and `notes` where there are any."""
        unsupported = list(self.unsupported)
        return {
            "id": id,
            "lead": lead,
            "headline": self.text,
            "score": round(self.score, 4),
            "tokens": list(self.tokens),
            "alignment": [[round(float(weight), 4) for weight in row] for row in self.alignment],
            "copied": list(self.copied),
            "novel": list(self.novel),
            "nbest": [_candidate(hypothesis) for hypothesis in self.nbest],
            **({} if self.doubt is None else {"doubt": round(self.doubt, 3)}),
            **({"unsupported": unsupported} if unsupported else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def make_summary(nbest: Sequence[Hypothesis], source: Sequence[str], notes: Sequence[str]) -> Summary:
    """The best candidate as a Summary; no candidate gives an empty one."""
    if not nbest:
        return Summary("", source=tuple(source), notes=tuple(notes))
    best = nbest[0]
    marked = list(zip(best.tokens, best.known, strict=True))
    return Summary(
        text=best.text,
        score=best.score,
        tokens=best.tokens,
        alignment=best.alignment,
        source=tuple(source),
        copied=tuple(token for token, known in marked if known),
        novel=tuple(token for token, known in marked if not known),
        nbest=tuple(nbest),
        notes=tuple(notes),
        features=best.features,
        doubt=best.doubt,
    )


def _candidate(hypothesis: Hypothesis) -> dict[str, Any]:
    features = {name: round(value, 4) for name, value in hypothesis.features.items()}
    return {"headline": hypothesis.text, "score": round(hypothesis.score, 4), "features": features}


def zmert_lines(number: int, nbest: Sequence[Hypothesis], features: Sequence[str] = FEATURES) -> Iterator[str]:
    """The lines of one input (numbered from 0), best first; words separated by spaces, values in `features`' order."""
    for hypothesis in nbest:
        values = " ".join(f"{hypothesis.features.get(name, 0.0):.6f}" for name in features)
        yield f"{number} ||| {' '.join(hypothesis.tokens)} ||| {values}"


CANDIDATES = 8  # how many of the search's best endings vote
# Of the votes: their weights are softmax(key / temperature). Mean of ROUGE-1, -2 and -L (default) at 1, 2 and 3:
# on 1,500 pairs of valid 28.13, 28.23, 28.16, on 800 of wire1987 37.03, 37.09, 37.21.
TEMPERATURE = 2.0
DIGITS = 9  # expected overlaps that agree so far are equal, whatever order a processor added them in
_WORD = re.compile(r"[^\W_]+")


class Looked(Iterable[Candidate]):
    """Candidates that are read when they are first looked at, and can be gone through again."""

    def __init__(self, candidates: Iterator[Candidate]) -> None:
        self._rest, self._seen = candidates, list[Candidate]()

    def __iter__(self) -> Iterator[Candidate]:
        yield from self._seen
        for each in self._rest:
            self._seen.append(each)
            yield each


def by_consensus(candidates: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Candidates (best key first) by expected overlap, highest first; equal ones keep their order."""
    order = consensus_order([each.text for each in candidates], [each.key for each in candidates])
    return [candidates[place] for place in order]


def consensus_order(texts: Sequence[str], keys: Sequence[float], less: Floats | None = None) -> list[int]:
    """Places of the texts by expected overlap, highest first; equal ones keep their order. less: (n,) taken off it."""
    if len(texts) < 2:
        return list(range(len(texts)))
    expected = expected_overlap(texts, keys) - (0.0 if less is None else less)
    return [int(place) for place in np.argsort(-expected.round(DIGITS), kind="stable")]


def by_shared_words(candidates: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Candidates (best key first) by how many of their words stand in the input, most first (Takase and Okazaki, 2019).

    A word counts once; equal candidates keep their order.
    """
    return sorted(candidates, key=lambda each: -_shared(each))


def _shared(candidate: Hypothesis) -> int:
    marked = zip(candidate.tokens, candidate.known, strict=True)
    return len({token.lower() for token, known in marked if known and _WORD.search(token)})


def expected_overlap(texts: Sequence[str], keys: Sequence[float], temperature: float = TEMPERATURE) -> Doubles:
    """(n,) each text's mean overlap with all of them, itself included, weighted by softmax(keys / temperature)."""
    votes = np.exp((np.asarray(keys, np.float64) - max(keys)) / temperature)
    return np.asarray((overlaps(texts) * votes).sum(axis=1) / votes.sum())


def overlaps(texts: Sequence[str]) -> Doubles:
    """(n, n) how much every two texts share: the mean of the unigram and the bigram F1, 0 where both have none.

    Sets of a few short texts are quicker than arrays.
    """
    words = [_WORD.findall(text.lower()) for text in texts]
    sets = [(_numbered(each), _numbered(list(pairwise(each)))) for each in words]
    shared = [[0.0] * len(sets) for _ in sets]
    for row, (one, two) in enumerate(sets):
        for column, (other, another) in enumerate(sets[: row + 1]):
            f1 = 2.0 * len(one & other) / (len(one) + len(other) or 1)
            f2 = 2.0 * len(two & another) / (len(two) + len(another) or 1)
            shared[row][column] = shared[column][row] = (f1 + f2) / 2
    return np.array(shared)


def _numbered(grams: Sequence[Hashable]) -> frozenset[Hashable]:
    """N-grams as a set: the second time one comes, and every further time, it is marked as another."""
    once = frozenset(grams)
    if len(once) == len(grams):
        return once
    return once | {(gram, grams[:place].count(gram)) for place, gram in enumerate(grams) if gram in grams[:place]}


def spread(candidates: Sequence[Hypothesis], count: int, diversity: float) -> list[Hypothesis]:
    """At most `count` candidates, best first, no two with an overlap above 1 - diversity.

    Where that leaves too few, those follow that are least like the ones before them.
    """
    if not candidates:
        return []
    alike = overlaps([each.text for each in candidates])
    chosen = [0]
    for place in range(1, len(candidates)):
        if len(chosen) < count and alike[place, chosen].max() <= 1.0 - diversity:
            chosen.append(place)
    rest = [place for place in range(len(candidates)) if place not in chosen]
    while rest and len(chosen) < count:
        nearest = min(rest, key=lambda place: (round(float(alike[place, chosen].max()), 9), place))
        chosen.append(nearest)
        rest.remove(nearest)
    return [candidates[place] for place in chosen]
