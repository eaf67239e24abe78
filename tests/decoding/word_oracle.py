"""Brute force: every headline a word model could write within the limits, scored straight from the definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from decoding_fakes import TableScorer

from hedline.decoding.options import DecodeOptions, step_limit
from hedline.decoding.summary import feature_values, read_ngrams
from hedline.text.casing import Truecaser
from hedline.text.surface import Surfacer, capitalized, detokenize, needs_space
from hedline.text.tokenize import Source, is_content
from hedline.text.vocab import Vocabulary


@dataclass(frozen=True)
class Item:
    """A word that may be written: its key, printed form, the output id it is to the model, its input positions."""

    key: str
    surface: str
    id: int
    places: tuple[int, ...]
    rivals: tuple[int, ...] | None


def items_of(source: Source, vocabulary: Vocabulary, options: DecodeOptions) -> list[Item]:
    """Every word of the vocabulary and of the input, once."""
    surfacer = Surfacer(source, Truecaser())
    places: dict[str, list[int]] = {}
    for place, (word, token) in enumerate(zip(source.words, source.tokens, strict=True)):
        places.setdefault(token.text.lower() if "#" in word else word, []).append(place)
    items = []
    for key, where in places.items():
        word = source.words[where[0]]
        surface = source.tokens[where[0]].text if "#" in word else surfacer.forms([word])[0]
        if word not in vocabulary:
            if options.copy_unknown:
                items.append(Item(key, surface, 1, tuple(where), None))
            continue
        rivals = tuple(i for i, other in enumerate(source.words) if other == word)
        items.append(Item(key, surface, vocabulary.id(word), tuple(where), rivals))
    if options.mode == "abstractive":
        known = {source.words[where[0]] for where in places.values()}
        new = [word for word in vocabulary.words[4:] if word not in known and "#" not in word]
        items += [Item(word, word, vocabulary.id(word), (), ()) for word in new]
    return items


@dataclass
class Oracle:
    scorer: TableScorer
    source: Source
    vocabulary: Vocabulary
    options: DecodeOptions
    weights: dict[str, float]
    penalty: float

    def all(self) -> list[tuple[str, float, float]]:
        """(text, score, key) of every complete headline, best first."""
        self.scorer.start([np.array(self.vocabulary.encode(self.source.words))], None)
        self.ngrams = read_ngrams(self.keys(), self.options.variant)
        self.items = items_of(self.source, self.vocabulary, self.options)
        found = {}
        for sequence, log_prob, attention in self.sequences((), 0.0, ()):
            text, score, key = self.score(sequence, log_prob, attention)
            if text not in found or found[text][2] < key:
                found[text] = (text, score, key)
        return sorted(found.values(), key=lambda each: -each[2])

    def keys(self) -> list[str]:
        pairs = zip(self.source.words, self.source.tokens, strict=True)
        return [token.text.lower() if "#" in word else word for word, token in pairs]

    def sequences(self, sequence: tuple[Item, ...], log_prob: float, rows: tuple) -> Iterator[tuple]:
        """Every legal sequence below this one that may end, with its log-probability."""
        history = (2, *(item.id for item in sequence))
        log_probs, attention = self.scorer.scores(0, history)
        if sequence and self.may_end(sequence):
            end = 0.0 if self.options.exact_words else float(log_probs[3])
            yield sequence, log_prob + end, rows
        if len(sequence) == step_limit(self.options, units_a_word=2):
            return
        for item in self.items:
            longer = (*sequence, item)
            if self.legal(longer):
                gain = float(log_probs[item.id]) + self.copying(item, attention)
                yield from self.sequences(longer, log_prob + gain, (*rows, attention))

    def copying(self, item: Item, attention: np.ndarray) -> float:
        if item.rivals is None:
            return math.log(max(sum(attention[list(item.places)]), 1e-10))
        if len(item.rivals) > len(item.places):
            mass = max(sum(attention[list(item.places)]), 1e-10)
            return math.log(mass / max(sum(attention[list(item.rivals)]), mass))
        return 0.0

    def may_end(self, sequence: tuple[Item, ...]) -> bool:
        wanted = self.options.exact_words
        return wanted is None or len(self.text(sequence).split(" ")) == wanted

    def joins_as_in_the_input(self, sequence: tuple[Item, ...]) -> bool:
        """Whether words are written together only where they stand side by side in the input."""
        beside = set(pairwise(self.keys()))
        own = (needs_space(a.surface, b.surface) or (a.key, b.key) in beside for a, b in pairwise(sequence))
        return needs_space("x", sequence[0].surface) and all(own)

    def legal(self, sequence: tuple[Item, ...]) -> bool:
        options = self.options
        begun = 1 + sum(needs_space(a.surface, b.surface) for a, b in pairwise(sequence))
        if begun > options.word_limit:
            return False
        if options.bytes or options.chars:
            text = self.text(sequence)
            if len(text.encode()) > options.byte_limit or len(text) > options.char_limit:
                return False
        if options.mode != "abstractive" and not self.joins_as_in_the_input(sequence):
            return False
        if options.block_repeats:
            keys = [item.key for item in sequence]
            content = [key for key in keys if is_content(key)]
            pairs = list(pairwise(keys))
            if len(set(content)) < len(content) or len(set(pairs)) < len(pairs):
                return False
        return options.mode != "compressive" or self.in_order([item.key for item in sequence])

    def in_order(self, keys: list[str]) -> bool:
        rest = iter(self.keys())
        return all(key in rest for key in keys)

    def text(self, sequence: tuple[Item, ...]) -> str:
        return detokenize(capitalized([item.surface for item in sequence]))

    def score(self, sequence: tuple[Item, ...], log_prob: float, rows: tuple) -> tuple[str, float, float]:
        values = {"log_prob": log_prob, **feature_values([item.key for item in sequence], self.ngrams)}
        score = sum(self.weights.get(name, 0.0) * value for name, value in values.items())
        return self.text(sequence), score, score + 10 * self.penalty * math.log((5 + len(sequence) + 1) / 6)
