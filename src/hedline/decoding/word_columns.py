"""The columns of a batch of inputs for word models: each input's words, stacked into padded arrays before the search.

`WordTables` holds facts about the words of the output vocabulary, each computed when the word is first met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Flags, Floats, Ints
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import WORD_FEATURES, NGrams, read_ngrams
from hedline.text.surface import left_class, printed, right_class
from hedline.text.tokenize import is_content, remembered
from hedline.text.vocab import END, UNKNOWN, Vocabulary


class WordTables:
    """Printed form, length, spacing and content of output words, filled in as ids are first met.

    surface: the printed form of a word that does not come from the input (truecasing); arrays are indexed by output
    id: bytes_, chars, left, right, content, and values[name] for each feature of a word outside the input.
    """

    def __init__(self, vocabulary: Vocabulary, surface: Callable[[str], str]) -> None:
        size = len(vocabulary)
        self.vocabulary, self.surface = vocabulary, surface
        self.surfaces: list[str] = [""] * size
        self.known = np.zeros(size, bool)
        self.bytes_, self.chars = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self.left, self.right = np.zeros(size, np.int8), np.zeros(size, np.int8)
        self.content, self.printable = np.zeros(size, bool), np.zeros(size, bool)
        self.values: dict[str, NDArray[np.float32]] = {name: np.zeros(size, np.float32) for name in WORD_FEATURES}

    def meet(self, ids: Ints) -> None:
        """Make sure that the arrays are filled for `ids`."""
        for index in ids[~self.known[ids]].tolist():
            word = self.vocabulary.words[index]
            surface = self.surface(word)
            self.surfaces[index] = surface
            shown = printed(surface)
            self.bytes_[index], self.chars[index] = len(shown.encode("utf-8", "replace")), len(shown)
            self.left[index], self.right[index] = left_class(surface), right_class(surface)
            self.content[index] = is_content(word)
            # Specials are never printed; digits (#) only as the input's own, which the lexicon adds.
            self.printable[index] = index > 3 and "#" not in word and bool(shown) and not shown.isspace()
            for name, value in WORD_FEATURES.items():
                self.values[name][index] = value(word, False)
        self.known[ids] = True


Small = NDArray[np.int32]


@dataclass(frozen=True)
class WordInput:
    """One input, ready for the search.

    ids: (M,) input ids; keys: (M,) what words are compared by (numbers with their digits); words: (M,) the model's
    words; surfaces: printed form by key; candidates: (S,) output ids, ascending, with `<unk>`, `</s>` and every known
    word of the input among them.
    """

    ids: Ints
    keys: tuple[str, ...]
    words: tuple[str, ...]
    surfaces: Mapping[str, str]
    candidates: Ints
    ngrams: NGrams

    @cached_property
    def hot_keys(self) -> tuple[str, ...]:
        """The distinct keys, in order of first occurrence."""
        return tuple(self.ngrams.first)


@dataclass(frozen=True)
class Extra:
    """An input word that is no single candidate: scored as `base` (an output id) times the attention on its places.

    shared: the attention is taken relative to all input words of the same base (numbers of one shape).
    """

    key: str
    base: int
    places: tuple[int, ...]
    rivals: tuple[int, ...]
    shared: bool


@dataclass(frozen=True)
class Columns:
    """Arrays over the columns of each input (B, W), its hot words (U), trigram histories (P) and extra columns (O).

    static: what a column gains for being itself, -inf where forbidden; ids: what is fed to the model; hot: (B, U)
    columns of the input's words; hot_of: (B, W) back again (U: none); second, pair, third, start: as FeatureTables,
    padded; end: (B,) column of `</s>`; base, places, rivals, shared: the extra columns; last_place: (B, U);
    next_place: (B, M + 1, U + 1) first place of a hot word at or after a place; longest: (B, 2) bytes and chars;
    adjacent: (B, U + 2, U) whether one hot word stands directly before another in the input (not filled in abstractive
    mode, where nobody asks).
    """

    static: Floats
    ids: Ints
    bytes_: Small
    chars: Small
    left: NDArray[np.int8]
    right: NDArray[np.int8]
    content: Flags
    hot: Ints
    hot_of: Ints
    second: Floats
    pair: Ints
    third: Floats
    start: Ints
    end: Ints
    base: Ints
    places: Floats
    rivals: Floats
    shared: Flags
    last_place: Ints
    next_place: Ints
    longest: Ints
    adjacent: Flags

    def key(self, owner: int, column: int, tables: WordTables, source: WordInput) -> str:
        """What the column's word is compared by."""
        hot = int(self.hot_of[owner, column])
        if hot < len(source.ngrams.first):
            return source.hot_keys[hot]
        return tables.vocabulary.words[int(self.ids[owner, column])]

    def surface(self, owner: int, column: int, tables: WordTables, source: WordInput) -> str:
        """The column's printed form."""
        if int(self.hot_of[owner, column]) < len(source.ngrams.first):
            return source.surfaces[self.key(owner, column, tables, source)]
        return tables.surfaces[int(self.ids[owner, column])]


def make_word_input(
    input_ids: Sequence[int],
    words: Sequence[str],
    keys: Sequence[str],
    surfaces: Mapping[str, str],
    shortlist: Ints | None,
    tables: WordTables,
    variant: str,
) -> WordInput:
    """Collect what the search needs of one input; `shortlist` (ascending) None means the whole output vocabulary."""
    if shortlist is None:
        candidates = np.arange(len(tables.vocabulary))
    else:
        needed = np.array([UNKNOWN, END, *(tables.vocabulary.id(word) for word in words)], np.int64)
        places = np.minimum(np.searchsorted(shortlist, needed), len(shortlist) - 1)
        missing = needed[shortlist[places] != needed] if len(shortlist) else needed
        candidates = np.union1d(shortlist, missing) if len(missing) else shortlist
    ids = np.asarray(input_ids, np.int64)
    return WordInput(ids, tuple(keys), tuple(words), surfaces, candidates, read_ngrams(keys, variant))


def find_extras(source: WordInput, tables: WordTables) -> list[Extra]:
    """Words outside the vocabulary, and numbers that share a shape with another number."""
    places: dict[str, list[int]] = {}
    by_word: dict[str, list[int]] = {}
    for place, (key, word) in enumerate(zip(source.keys, source.words, strict=True)):
        places.setdefault(key, []).append(place)
        by_word.setdefault(word, []).append(place)
    extras = []
    for key, where in places.items():
        word = source.words[where[0]]
        index = tables.vocabulary.id(word)
        rivals = by_word[word]
        if index <= END:
            extras.append(Extra(key, UNKNOWN, tuple(where), (), False))
        elif len(rivals) > len(where):
            extras.append(Extra(key, index, tuple(where), tuple(rivals), True))
    return extras


def stack_columns(
    inputs: Sequence[WordInput], tables: WordTables, options: DecodeOptions, weights: Mapping[str, float]
) -> Columns:
    """All inputs' columns as padded arrays."""
    extras = [find_extras(source, tables) for source in inputs]
    features = [build_tables(source.ngrams, weights) for source in inputs]
    builder = _Builder(inputs, extras, features, tables)
    for row, source in enumerate(inputs):
        builder.fill_words(row, source, options, weights)
        builder.fill_input_words(row, source, extras[row], options, weights)
        builder.fill_features(row, features[row])
        if options.mode != "abstractive":
            builder.fill_adjacent(row, source)
    return builder.columns(options)


@remembered(most=1 << 22)
def shape_of(surface: str) -> tuple[int, int, int, int]:
    """Bytes, characters, left and right spacing class of a printed word."""
    shown = printed(surface)
    return len(shown.encode("utf-8", "replace")), len(shown), left_class(surface), right_class(surface)


class _Builder:
    """Allocates the padded arrays and fills them input by input."""

    def __init__(
        self,
        inputs: Sequence[WordInput],
        extras: Sequence[Sequence[Extra]],
        features: Sequence[FeatureTables],
        tables: WordTables,
    ) -> None:
        B, S = len(inputs), max(len(source.candidates) for source in inputs)
        self.O = max(map(len, extras))
        self.M = max(len(source.ids) for source in inputs)
        self.U = max(len(table.hot) for table in features)
        P = max(len(table.third) for table in features)
        W = self.W = S + self.O + 1
        self.inputs, self.tables = inputs, tables
        self.static = np.full((B, W), -np.inf, np.float32)
        self.ids = np.zeros((B, W), np.int64)
        self.bytes_, self.chars = np.zeros((B, W), np.int32), np.zeros((B, W), np.int32)
        self.left, self.right = np.zeros((B, W), np.int8), np.zeros((B, W), np.int8)
        self.content = np.zeros((B, W), bool)
        self.hot = np.full((B, self.U), W - 1)
        self.hot_of = np.full((B, W), self.U)
        self.second = np.zeros((B, self.U + 2, self.U), np.float32)
        self.pair = np.full((B, self.U + 2, self.U + 1), P - 1)
        self.third = np.zeros((B, P, self.U), np.float32)
        self.start, self.end = np.full(B, P - 1), np.zeros(B, np.int64)
        self.base = np.full((B, self.O), W - 1)
        self.places = np.zeros((B, self.O, self.M), np.float32)
        self.rivals = np.zeros((B, self.O, self.M), np.float32)
        self.shared = np.zeros((B, self.O), bool)
        self.last_place = np.full((B, self.U), -1)
        self.adjacent = np.zeros((B, self.U + 2, self.U), bool)

    def fill_words(self, row: int, source: WordInput, options: DecodeOptions, weights: Mapping[str, float]) -> None:
        """The candidates as words that do not come from the input."""
        ids, tables = source.candidates, self.tables
        tables.meet(ids)
        size = len(ids)
        self.ids[row, :size] = ids
        self.bytes_[row, :size], self.chars[row, :size] = tables.bytes_[ids], tables.chars[ids]
        self.left[row, :size], self.right[row, :size] = tables.left[ids], tables.right[ids]
        self.content[row, :size] = tables.content[ids]
        self.end[row] = np.searchsorted(ids, END)
        if options.mode == "abstractive":
            own = np.zeros(size, np.float32)
            for name, values in tables.values.items():
                if weights.get(name):
                    own += np.float32(weights[name]) * values[ids]
            self.static[row, :size] = np.where(tables.printable[ids], own, -np.inf)

    def fill_input_words(
        self, row: int, source: WordInput, extras: Sequence[Extra], options: DecodeOptions, weights: Mapping[str, float]
    ) -> None:
        """The input's own words: printed as in the input, with their features; hidden bases give way to extras."""
        column_of = self._fill_extras(row, source, extras)
        valued = [(weights[name], value) for name, value in WORD_FEATURES.items() if weights.get(name)]
        copied = {extra.key for extra in extras if not extra.shared}
        for hot, key in enumerate(source.ngrams.first):
            word = source.words[source.ngrams.first[key]]
            column = column_of.get(key)
            if column is None:
                column = int(np.searchsorted(source.candidates, self.tables.vocabulary.id(word)))
            shape = shape_of(source.surfaces[key])
            self.bytes_[row, column], self.chars[row, column], self.left[row, column], self.right[row, column] = shape
            self.content[row, column] = is_content(key)
            self.hot[row, hot], self.hot_of[row, column] = column, hot
            self.last_place[row, hot] = source.ngrams.last[key]
            if options.copy_unknown or key not in copied:
                self.static[row, column] = sum(weight * value(key, True) for weight, value in valued)
        for extra in extras:
            if extra.shared:
                self.static[row, np.searchsorted(source.candidates, extra.base)] = -np.inf

    def _fill_extras(self, row: int, source: WordInput, extras: Sequence[Extra]) -> dict[str, int]:
        column_of = {}
        for number, extra in enumerate(extras):
            column = self.W - 1 - self.O + number
            column_of[extra.key] = column
            self.ids[row, column] = extra.base
            self.base[row, number] = np.searchsorted(source.candidates, extra.base)
            self.places[row, number, list(extra.places)] = 1.0
            self.rivals[row, number, list(extra.rivals)] = 1.0
            self.shared[row, number] = extra.shared
        return column_of

    def fill_features(self, row: int, table: FeatureTables) -> None:
        """The feature tables, their "none" and "begin" rows moved to the common places."""
        size, histories = len(table.hot), len(table.third) - 1
        self.second[row, :size, :size] = table.second[:size, :size]
        self.second[row, self.U + 1, :size] = table.second[size + 1, :size]
        self.third[row, :histories, :size] = table.third[:histories, :size]
        none = self.third.shape[1] - 1
        for target, origin in ((slice(0, size), slice(0, size)), (self.U + 1, size + 1)):
            pair = table.pair[origin, :size]
            self.pair[row, target, :size] = np.where(pair == histories, none, pair)
        self.start[row] = none if table.start == histories else table.start

    def fill_adjacent(self, row: int, source: WordInput) -> None:
        """Which of the input's words follow each other."""
        hot_at = {key: hot for hot, key in enumerate(source.ngrams.first)}
        for left, right in pairwise(source.keys):
            self.adjacent[row, hot_at[left], hot_at[right]] = True

    def columns(self, options: DecodeOptions) -> Columns:
        """Everything filled, and what follows from it."""
        allowed = self.static > -np.inf
        longest = np.stack([np.where(allowed, sizes, 0).max(axis=1) + 1 for sizes in (self.bytes_, self.chars)], axis=1)
        following = (
            self._next_places() if options.mode == "compressive" else np.zeros((len(self.inputs), 0, 0), np.int64)
        )
        names = set(Columns.__dataclass_fields__) - {"longest", "next_place"}
        made: dict[str, Any] = {name: getattr(self, name) for name in names}
        return Columns(**made, longest=longest, next_place=following)

    def _next_places(self) -> Ints:
        """(B, M + 1, U + 1): the first place at or after m where a hot word stands, M where there is none."""
        following = np.full((len(self.inputs), self.M + 1, self.U + 1), self.M, np.int64)
        for row, source in enumerate(self.inputs):
            hot_at = {key: hot for hot, key in enumerate(source.ngrams.first)}
            for place in range(len(source.keys) - 1, -1, -1):
                following[row, place] = following[row, place + 1]
                following[row, place, hot_at[source.keys[place]]] = place
        return following


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
