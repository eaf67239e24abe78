"""The phrase table of MOSES+: what each phrase of a lead becomes in headlines, with probabilities both ways.

A phrase is at most four words, so that it fits one 64-bit key of four 16-bit word ids (the first word lowest, 0 where
there is none). A word that became nothing is counted as linked to 0: these are the deletion rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.baselines.fitting import Texts, load_array, save_array
from hedline.baselines.phrases import LONGEST, Links, Spans, extract
from hedline.text.vocab import UNKNOWN

BITS = 16
MOST_WORDS = (1 << BITS) - 8  # of the vocabulary, specials not counted
DISCOUNT = 0.5  # taken from every count: what was seen once is half an accident
LEAST, MOST = 2, 20  # occurrences of a phrase pair that is kept, and pairs kept per source phrase

Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Counts:
    """How often pairs were seen: (n,) keys rising by source, then target, and (n,) counts."""

    source: Keys
    target: Keys
    count: npt.NDArray[np.int64]

    @classmethod
    def of(cls, source: Keys, target: Keys, count: Array | None = None) -> Counts:
        """Add up equal pairs; count: (n,) of each, one where it is not given."""
        order = np.lexsort((target, source))
        source, target = source[order], target[order]
        new = np.ones(len(source), bool)
        new[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
        first = np.flatnonzero(new)
        if count is None:
            return cls(source[first], target[first], np.diff(first, append=len(source)))
        return cls(source[first], target[first], np.add.reduceat(count[order], first) if len(first) else count)

    @classmethod
    def sum(cls, parts: Sequence[Counts]) -> Counts:
        """Add up counts of several parts of a corpus."""
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in ("source", "target", "count")]
        return cls.of(*columns)


def phrase_keys(flat: Array, starts: Array, lengths: Array) -> Keys:
    """(n,) keys of the phrases `flat[start:start + length]`."""
    keys = np.zeros(len(starts), np.uint64)
    for place in range(LONGEST):
        inside = np.flatnonzero(lengths > place)
        keys[inside] |= flat[starts[inside] + place].astype(np.uint64) << np.uint64(BITS * place)
    return keys


def phrase_words(keys: Keys) -> npt.NDArray[np.int64]:
    """(n, LONGEST) the word ids of phrase keys, 0 behind the last word."""
    shifts = np.arange(LONGEST, dtype=np.uint64) * np.uint64(BITS)
    return ((np.asarray(keys)[:, None] >> shifts) & np.uint64((1 << BITS) - 1)).astype(np.int64)


def count_phrases(leads: Texts, headlines: Texts, links: Links) -> tuple[Counts, Counts]:
    """Count the phrase pairs of aligned sentences, and their linked words (0: linked to nothing)."""
    spans: Spans = extract(leads, headlines, links, loose=False)
    source = phrase_keys(leads.flat, spans.source, spans.source_length)
    target = phrase_keys(headlines.flat, spans.target, spans.target_length)
    phrases = Counts.of(source, target)
    kept = _copies_are_clear(phrases.source, phrases.target)
    return Counts(*(column[kept] for column in vars(phrases).values())), _count_words(leads, headlines, links)


def _copies_are_clear(source: Keys, target: Keys) -> npt.NDArray[np.bool_]:
    """(n,) whether an unknown word in the target is clearly the one in the source."""
    here, there = ((phrase_words(keys) == UNKNOWN).sum(axis=1) for keys in (source, target))
    return np.asarray((there == 0) | ((there == 1) & (here == 1)))


def _count_words(leads: Texts, headlines: Texts, links: Links) -> Counts:
    source_places = leads.offsets[links[:, 0]] + links[:, 1]
    target_places = headlines.offsets[links[:, 0]] + links[:, 2]
    alone = np.delete(leads.flat, source_places), np.delete(headlines.flat, target_places)
    source = np.concatenate([leads.flat[source_places], alone[0], np.zeros(len(alone[1]), np.int64)])
    target = np.concatenate([headlines.flat[target_places], np.zeros(len(alone[0]), np.int64), alone[1]])
    return Counts.of(source.astype(np.uint64), target.astype(np.uint64))


@dataclass(frozen=True)
class PhraseTable:
    """Translations of source phrases: those of source i are rows starts[i] to starts[i + 1].

    features: (rows, 4) natural logarithms of p(target | source), p(source | target) and the two lexical weights;
    deletion: (words,) log p(nothing | word).
    """

    sources: Keys  # (phrases,) rising
    starts: Array  # (phrases + 1,)
    targets: Keys  # (rows,)
    features: Array
    deletion: Array

    def find(self, keys: Keys) -> tuple[Array, Array]:
        """Return (n,) the first row and the number of rows of each source phrase; none for an unknown one."""
        if not len(self.sources):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        places = np.minimum(np.searchsorted(self.sources, keys), len(self.sources) - 1)
        known = self.sources[places] == keys
        return self.starts[places], np.where(known, self.starts[places + 1] - self.starts[places], 0)

    def save(self, folder: Path) -> None:
        """Write one array per field."""
        for name, array in vars(self).items():
            save_array(folder / f"phrase_{name}.npy", array)

    @classmethod
    def load(cls, folder: Path) -> PhraseTable:
        """Map what `save` wrote."""
        return cls(*(load_array(folder / f"phrase_{name}.npy") for name in cls.__dataclass_fields__))


def build_table(phrases: Counts, words: Counts, vocabulary: int, least: int = LEAST, most: int = MOST) -> PhraseTable:
    """Turn counts into probabilities; pairs seen less than `least` times count in the totals but are not kept."""
    forward = (phrases.count - DISCOUNT) / _totals(phrases.source, phrases.count)
    backward = (phrases.count - DISCOUNT) / _totals(phrases.target, phrases.count)
    kept = np.flatnonzero(phrases.count >= least)
    kept = kept[np.lexsort((-forward[kept], phrases.source[kept]))]
    source = phrases.source[kept]
    begins = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]])) if len(kept) else np.empty(0, int)
    rank = np.arange(len(kept)) - np.repeat(begins, np.diff(begins, append=len(kept)))
    kept = kept[rank < most]
    source, target = phrases.source[kept], phrases.target[kept]
    sources, starts = np.unique(source, return_index=True)
    lexical = lexical_weights(source, target, words)
    features = np.log(np.column_stack([forward[kept], backward[kept], *lexical])).astype(np.float32)
    return PhraseTable(sources, np.append(starts, len(kept)), target, features, _deletion(words, vocabulary))


def _totals(keys: Keys, counts: Array) -> npt.NDArray[np.float64]:
    """(n,) the sum of the counts of all rows with the same key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(keys) else np.empty(0, int)
    sums = np.add.reduceat(counts[order], begins) if len(keys) else counts
    totals = np.empty(len(keys))
    totals[order] = np.repeat(sums, np.diff(begins, append=len(keys)))
    return totals


def lexical_weights(source: Keys, target: Keys, words: Counts) -> tuple[Array, Array]:
    """(n,) p(target | source) and p(source | target) as IBM model 1 sees them, nothing being a word of each side."""
    left, right = phrase_words(source), phrase_words(target)
    forward = _Lexicon(words.source, words.target, words.count)
    order = np.lexsort((words.source, words.target))
    backward = _Lexicon(words.target[order], words.source[order], words.count[order])
    return forward.weights(left, right), backward.weights(right, left)


class _Lexicon:
    """p(made | given) of single words; word 0 is nothing."""

    def __init__(self, given: Keys, made: Keys, count: Array) -> None:
        """given, made: (n,) words, rising by given, then made."""
        self._pairs = given << np.uint64(BITS) | made
        self._values = np.append(count / _totals(given, count), 0.0)

    def probability(self, given: Array, made: Array) -> Array:
        """(n,) p(made | given), 0 for pairs never seen."""
        keys = given.astype(np.uint64) << np.uint64(BITS) | made.astype(np.uint64)
        places = np.searchsorted(self._pairs, keys)
        known = np.append(self._pairs, np.uint64(0))[places] == keys
        return np.asarray(np.where(known, self._values[places], 0.0))

    def weights(self, given: Array, made: Array) -> Array:
        """(n,) the product over made words (n, LONGEST) of their mean over given words (n, LONGEST) and nothing."""
        product = np.ones(len(given))
        nothing = np.zeros(len(given), np.int64)
        size = 1 + (given > 0).sum(axis=1)
        for word in made.T:
            total = self.probability(nothing, word)
            for other in given.T:
                total = total + np.where(other > 0, self.probability(other, word), 0.0)
            product *= np.where(word > 0, np.maximum(total / size, 1e-7), 1.0)
        return product


def _deletion(words: Counts, vocabulary: int) -> npt.NDArray[np.float32]:
    """(vocabulary,) log p(nothing | word), drawn towards the mean where a word is rare."""
    of_lead = words.source > 0
    source, count = words.source[of_lead].astype(np.int64), words.count[of_lead]
    seen = np.bincount(source, weights=count, minlength=vocabulary)
    gone = np.bincount(source, weights=count * (words.target[of_lead] == 0), minlength=vocabulary)
    mean = gone.sum() / max(seen.sum(), 1.0)
    return np.asarray(np.log((gone + 5 * mean) / (seen + 5)), np.float32)
