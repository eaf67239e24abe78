"""Words as units: the shortlist or the vocabulary, and the input's own words, known or not.

Layout of the columns of one input: the scorer's candidates, then *extra* columns for input words that are no
single candidate (outside the vocabulary; one of several numbers of the same `##` shape), then one column that is
always forbidden, where padded indices point.

Repeat blocking forbids a content word, or a pair of neighbours, that a hypothesis has used; function words may recur.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedline.arrays import Flags, Floats, Ints
from hedline.decoding import Gains, Route
from hedline.decoding.options import NO_LIMIT, DecodeOptions, fill_shortage, step_limit
from hedline.decoding.summary import FINAL_FEATURES, Hypothesis, feature_values
from hedline.decoding.word_columns import WordInput, WordTables, stack_columns
from hedline.runtime import Step
from hedline.text.surface import BEGIN, BEGINS, CLOSING, SPACE, capitalized, detokenize

# Odd numbers that spread the bits of a product.
_MIX = np.int64(0x1E3779B97F4A7C15)
_SPREAD = np.int64(0x3F58476D1CE4E5B9)
FLOOR = 1e-10  # attention below this counts as this, so that a copied word is never impossible


class Rows(NamedTuple):
    """State of the hypotheses: owner, hot word and trigram history of the last word, place of the last word in the
    input (compressive), left spacing class, words, bytes, chars used (rows, 3), columns so far (rows, T), marks.
    """

    owner: Ints
    hot: Ints
    pair: Ints
    place: Ints
    left: Ints
    used: Ints
    history: Ints
    marks: Ints


class WordLexicon:
    """`decoding.Lexicon` for models over words."""

    def __init__(self, inputs: Sequence[WordInput], tables: WordTables, options: DecodeOptions) -> None:
        weights = options.settled_weights
        self.sources, self.tables, self.options, self.weights = inputs, tables, options, weights
        self.columns = stack_columns(inputs, tables, options, weights)
        self.inputs: Sequence[Ints] = [source.ids for source in inputs]
        whole = all(len(source.candidates) == len(tables.vocabulary) for source in inputs)
        self.candidates: Sequence[Ints] | None = None if whole else [source.candidates for source in inputs]
        self.width = self.columns.static.shape[1]
        self.trash = self.width - 1
        self.max_steps = step_limit(options, units_a_word=2)
        self.limits = np.array([options.word_limit, options.byte_limit, options.char_limit])
        self.counts_lengths = bool((self.limits[1:] < NO_LIMIT).any())
        self.scores_end = options.exact_words is None
        self.joins = any(weights.get(name) for name in ("bigram", "trigram", "reorder"))
        self.remembers = options.block_repeats or bool(weights.get("repeat"))

    def start(self) -> Rows:
        """One empty headline for each input."""
        count = len(self.inputs)
        none = np.zeros(count, np.int64)
        start = np.full(count, self.columns.second.shape[1] - 1)
        empty = np.zeros((count, 0), np.int64)
        used = np.zeros((count, 3), np.int64)
        return Rows(np.arange(count), start, self.columns.start, none - 1, none + BEGIN, used, empty, none)

    def gains(self, state: Rows, step: Step) -> Gains:
        """Weights · features of every column for every row, forbidden ones at -inf."""
        columns, owner = self.columns, state.owner
        weight = np.float32(self.weights.get("log_prob", 0.0))
        scored = step.log_probs.shape[1]
        extras = self._extras(owner, step)
        totals = columns.static[owner]
        if weight:  # not 0 · -inf on padded columns
            totals[:, :scored] += step.log_probs if weight == 1.0 else weight * step.log_probs
            totals[:, self.trash - extras.shape[1] : self.trash] += weight * extras
        rows = np.arange(len(owner))[:, None]
        hot = columns.hot[owner]
        if self.joins:
            totals[rows, hot] += columns.second[owner, state.hot] + columns.third[owner, state.pair]
        if self.remembers:
            penalty = -np.inf if self.options.block_repeats else self.weights["repeat"]
            forbid_repeats(totals, state.history, columns.content[owner], penalty, self.trash)
        if self.options.mode == "compressive":
            gone = columns.last_place[owner] <= state.place[:, None]
            totals[rows, np.where(gone, hot, self.trash)] = -np.inf
        if self.options.mode != "abstractive":
            self._forbid_joining(totals, state)
        self._forbid_overlong(totals, state)
        end_log_probs = step.log_probs[rows[:, 0], columns.end[owner]]

        def log_probs(chosen_rows: Ints, chosen: Ints) -> Floats:
            own = step.log_probs[chosen_rows, np.minimum(chosen, scored - 1)]
            copied = chosen >= scored
            if copied.any():
                first = self.trash - extras.shape[1]
                own[copied] = extras[chosen_rows[copied], chosen[copied] - first]
            return np.asarray(own)

        return Gains(totals, log_probs, *self._endings(state, end_log_probs, weight))

    def _extras(self, owner: Ints, step: Step) -> Floats:
        """(rows, O): log-probabilities of the extra columns, from their base's and the attention on their places."""
        columns = self.columns
        if not columns.base.shape[1]:
            return np.zeros((len(owner), 0), np.float32)
        attention = step.attention[:, None, : columns.places.shape[2]]
        mass = np.maximum((attention * columns.places[owner]).sum(axis=2), FLOOR)
        whole = np.maximum((attention * columns.rivals[owner]).sum(axis=2), mass)
        share = np.log(np.where(columns.shared[owner], mass / whole, np.minimum(mass, 1.0)))
        base = np.minimum(columns.base[owner], step.log_probs.shape[1] - 1)
        return np.asarray(step.log_probs[np.arange(len(owner))[:, None], base] + share, np.float32)

    def _forbid_joining(self, totals: Floats, state: Rows) -> None:
        """Forbid, in place, a clitic or a mark of the input after any other word than its own, and at the beginning."""
        columns, owner = self.columns, state.owner
        hot = columns.hot[owner]
        right = columns.right[owner[:, None], hot]
        joined = (SPACE[state.left[:, None], right] == 0) & ~columns.adjacent[owner, state.hot]
        joined = np.where((state.left == BEGIN)[:, None], right == CLOSING, joined)
        totals[np.arange(len(owner))[:, None], np.where(joined, hot, self.trash)] = -np.inf

    def _forbid_overlong(self, totals: Floats, state: Rows) -> None:
        """Forbid, in place, what would break a limit of the final text."""
        columns = self.columns
        room = self.limits - state.used
        tight = room[:, 0] < 1
        if self.counts_lengths:
            tight |= (room[:, 1:] < columns.longest[state.owner]).any(axis=1)
        rows = np.flatnonzero(tight)
        if not len(rows):
            return
        owner, left = state.owner[rows], state.left[rows]
        right = columns.right[owner]
        over = BEGINS[left[:, None], right] > room[rows, :1]
        if self.counts_lengths:
            space = SPACE[left[:, None], right]
            over |= columns.bytes_[owner] + space > room[rows, 1:2]
            over |= columns.chars[owner] + space > room[rows, 2:]
        totals[rows] = np.where(over, -np.inf, totals[rows])

    def _endings(self, state: Rows, log_probs: Floats, weight: np.float32) -> tuple[Floats, Floats, Ints]:
        """Worth, log-probability and shortage of ending now; never with nothing written."""
        written = state.used[:, 0] > 0
        if not self.scores_end:
            log_probs = np.zeros_like(log_probs)
        worth = np.where(written, weight * log_probs, -np.inf)
        return worth, log_probs, fill_shortage(self.options, state.used)

    def advance(self, state: Rows, rows: Ints, chosen: Ints) -> Rows:
        """States after the chosen columns."""
        columns, owner = self.columns, state.owner[rows]
        left, right = state.left[rows], columns.right[owner, chosen]
        space = SPACE[left, right]
        added = [BEGINS[left, right], columns.bytes_[owner, chosen] + space, columns.chars[owner, chosen] + space]
        hot = columns.hot_of[owner, chosen]
        place = state.place[rows]
        if self.options.mode == "compressive":
            place = columns.next_place[owner, place + 1, hot]
        marks, history = state.marks[rows], state.history[rows]
        if self.remembers:
            marks = marks_of(marks, history, chosen, columns.content[owner, chosen])
        history = np.concatenate([history, chosen[:, None]], axis=1)
        pair = columns.pair[owner, state.hot[rows], hot]
        used = state.used[rows] + np.stack(added, axis=1)
        return Rows(owner, hot, pair, place, columns.left[owner, chosen].astype(np.int64), used, history, marks)

    def ids(self, state: Rows) -> Ints:
        """Output ids of the last words; a copied word is `<unk>` (or its shape) to the model."""
        return self.columns.ids[state.owner, state.history[:, -1]]

    def futures(self, state: Rows, context: int) -> Ints:
        """The last words, what is left of the limits, the place, the words used up."""
        seen = state.history[:, -max(context - 1, 1) :]
        limited = state.used[:, self.limits < NO_LIMIT]
        parts = [seen, limited, state.place[:, None], state.marks[:, None]]
        return np.concatenate(parts, axis=1)

    def _tokens(self, owner: int, columns: Ints) -> Sequence[str]:
        source = self.sources[owner]
        tokens = [self.columns.surface(owner, int(column), self.tables, source) for column in columns]
        return capitalized(tokens) if self.options.capitalize else tokens

    def text(self, owner: int, columns: Ints) -> str:
        """The text of a finished path's columns."""
        return detokenize(self._tokens(owner, columns))

    def read(self, owner: int, path: Route) -> Hypothesis:
        """The finished path as text with features."""
        source, columns = self.sources[owner], self.columns
        tokens = self._tokens(owner, path.columns)
        keys = [columns.key(owner, int(column), self.tables, source) for column in path.columns]
        alignment = path.attention[:, : len(source.ids)]
        features = {"log_prob": path.log_prob, **feature_values(keys, source.ngrams)}
        features |= {name: value(alignment) for name, value in FINAL_FEATURES.items()}
        known = tuple(key in source.ngrams.words for key in keys)
        extra = sum(self.weights.get(name, 0.0) * features[name] for name in FINAL_FEATURES)
        text = detokenize(tokens)
        ranks = (path.key + extra, path.short, len(path.columns) + 1)
        return Hypothesis(text, path.score + extra, tuple(tokens), features, alignment, known, *ranks)


def forbid_repeats(totals: Floats, history: Ints, content: Flags, penalty: float, trash: int) -> None:
    """Add `penalty` to (or forbid, -inf) the content words each row has used; forbid pairs it has used; in place.

    totals: (rows, W); history: (rows, T) columns so far; content: (rows, W); trash: a column nobody can take.
    """
    if not history.shape[1]:
        return
    rows = np.arange(len(history))[:, None]
    totals[rows, np.where(content[rows, history], history, trash)] += np.float32(penalty)
    if penalty == -np.inf and history.shape[1] > 1:
        again = history[:, :-1] == history[:, -1:]
        totals[rows, np.where(again, history[:, 1:], trash)] = -np.inf


def marks_of(marks: Ints, history: Ints, chosen: Ints, content: Flags) -> Ints:
    """A number for the set of words and pairs a row can no longer use, after it took `chosen`.

    Sums of hashes, so the order of words does not matter: equal sets give equal numbers.
    """
    if not history.shape[1]:
        return np.asarray(marks + np.where(content, _hash(chosen + 1), 0))
    own, last = _hash(np.stack([chosen, history[:, -1]]) + 1)
    # A pair with a content word cannot come again anyway: the word itself is used up.
    return np.asarray(marks + np.where(content, own, _hash(last + chosen)))


def _hash(values: Ints) -> Ints:
    mixed = values * _MIX
    mixed = (mixed ^ (mixed >> 29)) * _SPREAD
    return np.asarray(mixed ^ (mixed >> 32))
