"""Pieces as units: a word is complete when the next piece starts one, and only then counts, fires features, repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hedline.decoding.features import FINAL_FEATURES, WORD_FEATURES, feature_values, is_content
from hedline.decoding.length import fill_shortage, step_limit
from hedline.decoding.lexicon import Gains, Path
from hedline.decoding.numbers import open_number
from hedline.decoding.options import NO_LIMIT, DecodeOptions
from hedline.decoding.piece_columns import PieceColumns
from hedline.decoding.piece_tables import SPACE, PieceTables, unfinished
from hedline.decoding.scorer import Floats, Ints, Step
from hedline.decoding.subword_input import SubwordInput, word_key
from hedline.decoding.summary import Hypothesis
from hedline.text.surface import begins_with_capital, capitalized

FORBIDDEN = -np.inf


class Detail(NamedTuple):
    """What no array holds of a hypothesis.

    word: bytes of the word being written; keys: of the complete words; place: of the last copied word (compressive);
    tail: the open number the text ends in; pending: bytes of an unfinished character; closing: what completing the
    word here is worth, -inf where it may not be complete.
    """

    word: bytes
    keys: tuple[str, ...]
    place: int
    tail: str
    pending: bytes
    closing: float


class Rows(NamedTuple):
    """State of the hypotheses: owner, words, bytes, chars used (rows, 3), columns so far (rows, T), details."""

    owner: Ints
    used: Ints
    history: Ints
    details: tuple[Detail, ...]


class SubwordLexicon:
    """`decoding.lexicon.Lexicon` for models over byte-level pieces."""

    def __init__(
        self, inputs: Sequence[SubwordInput], tables: PieceTables, options: DecodeOptions, weights: Mapping[str, float]
    ) -> None:
        self.sources, self.tables, self.options, self.weights = inputs, tables, options, weights
        self.columns = PieceColumns(inputs, tables, options)
        self.inputs: Sequence[Ints] = [source.ids for source in inputs]
        self.candidates: Sequence[Ints] | None = self.columns.candidates
        self.width = self.columns.width
        self.max_steps = step_limit(options, units_a_word=4)
        self.limits = np.array([options.word_limit, options.byte_limit, options.char_limit])
        self.weight = np.float32(weights.get("log_prob", 0.0))
        self.fires = any(value for name, value in weights.items() if name != "log_prob" and name not in FINAL_FEATURES)
        self._worth: dict[tuple[int, tuple[str, ...], str], float] = {}

    def start(self) -> Rows:
        """One empty headline for each input."""
        count = len(self.inputs)
        details = (Detail(b"", (), -1, "", b"", FORBIDDEN),) * count
        return Rows(np.arange(count), np.zeros((count, 3), np.int64), np.zeros((count, 0), np.int64), details)

    def gains(self, state: Rows, step: Step) -> Gains:
        """Weights · features of every piece for every row, forbidden ones at -inf."""
        columns, owner = self.columns, state.owner
        with np.errstate(invalid="ignore"):
            totals = columns.static[owner] + (step.log_probs if self.weight == 1.0 else self.weight * step.log_probs)
        closing = np.array([detail.closing for detail in state.details], np.float32)
        written = state.used[:, 0] > 0
        self._close_words(totals, state, np.where(written, closing, 0.0))
        for row, detail in enumerate(state.details):
            if detail.pending:  # pieces that begin inside a character are forbidden everywhere else
                inside = columns.finishing(int(owner[row]), detail.pending)
                totals[row, inside] = self.weight * step.log_probs[row, inside]
                _keep_only(totals[row], inside)
            if detail.tail:  # so are pieces that no number begins with
                wrong, right = columns.numbering(int(owner[row]), detail.tail)
                totals[row, wrong] = FORBIDDEN
                totals[row, right] = self.weight * step.log_probs[row, right]
            if self.options.mode != "abstractive":
                able = columns.copying(int(owner[row]), detail.place, detail.word, bool(written[row]))
                _keep_only(totals[row], able)
        self._forbid_overlong(totals, state)
        end_log_probs = step.log_probs[np.arange(len(owner)), columns.end[owner]]
        with np.errstate(invalid="ignore"):
            end = np.where(written & (closing > FORBIDDEN), self.weight * end_log_probs + closing, FORBIDDEN)
        short = fill_shortage(self.options, state.used)

        def log_probs(chosen_rows: Ints, chosen: Ints) -> Floats:
            return np.asarray(step.log_probs[chosen_rows, chosen])

        return Gains(totals, log_probs, end.astype(np.float32), end_log_probs, short)

    def _close_words(self, totals: Floats, state: Rows, closing: Floats) -> None:
        """Add what completing the current word is worth to every piece that starts another."""
        for row in np.flatnonzero(closing != 0):
            totals[row, self.columns.starting(int(state.owner[row]))] += closing[row]

    def _forbid_overlong(self, totals: Floats, state: Rows) -> None:
        """Forbid, in place, what would break a limit of the final text."""
        columns = self.columns
        room = self.limits - state.used
        first = state.used[:, 0] == 0
        longest = columns.longest + 1
        for row in np.flatnonzero((room[:, 0] < 1) | (room[:, 1] < longest) | (room[:, 2] < longest)):
            owner = int(state.owner[row])
            starts, sizes, chars = columns.lengths(owner)
            space = 0 if first[row] else starts.astype(np.int64)
            over = (sizes + space > room[row, 1]) | (chars + space > room[row, 2])
            if room[row, 0] < 1:
                over |= starts
            totals[row, : len(over)][over] = FORBIDDEN

    def advance(self, state: Rows, rows: Ints, chosen: Ints) -> Rows:
        """States after the chosen pieces."""
        owner = state.owner[rows]
        ids = self.columns.ids_of(owner, chosen)
        tables = self.tables
        first = state.used[rows, 0] == 0
        starts = tables.starts[ids]
        space = (starts & ~first).astype(np.int64)
        added = np.stack([starts | first, tables.bytes_[ids] + space, tables.chars[ids] + space], axis=1)
        details = tuple(
            self._follow(int(who), state.details[row], tables.pieces[index], index)
            for who, row, index in zip(owner.tolist(), rows.tolist(), ids.tolist(), strict=True)
        )
        history = np.concatenate([state.history[rows], chosen[:, None]], axis=1)
        return Rows(owner, state.used[rows] + added.astype(np.int64), history, details)

    def _follow(self, owner: int, detail: Detail, piece: bytes, index: int) -> Detail:
        """The detail after one more piece."""
        word, keys, place, tail, pending, _ = detail
        if piece[:1] == SPACE:
            if word:
                keys = (*keys, word_key(word.decode("utf-8", "replace")))
                place = self._place_after(owner, word, place)
            word, piece, tail = b"", piece[1:], ""
        word += piece
        if pending or index in self.tables.tails:
            pending = unfinished(pending + piece)
        if self.options.guard_numbers and (tail or self.tables.numeric[index]):
            tail = open_number(tail, piece.decode("ascii", "replace"))
        closing = FORBIDDEN if pending or not word else self._closing(owner, word, keys, place, tail)
        return Detail(word, keys, place, tail, pending, closing)

    def _place_after(self, owner: int, word: bytes, place: int) -> int:
        if self.options.mode != "compressive":
            return -1
        found = self.sources[owner].next_place(word, place)
        return len(self.sources[owner].words) if found is None else found

    def _closing(self, owner: int, word: bytes, keys: tuple[str, ...], place: int, tail: str) -> float:
        """What completing `word` after `keys` is worth; -inf where it is no whole, new, allowed word."""
        options, source = self.options, self.sources[owner]
        if options.guard_numbers and not source.guard.may_close(tail):
            return FORBIDDEN
        if options.mode != "abstractive":
            after = place if options.mode == "compressive" else -1
            if source.next_place(word, after) is None:
                return FORBIDDEN
        key = word_key(word.decode("utf-8", "replace"))
        if options.block_repeats and repeats(keys, key):
            return FORBIDDEN
        return self._word_worth(owner, keys, key) if self.fires else 0.0

    def _word_worth(self, owner: int, keys: tuple[str, ...], key: str) -> float:
        """Weights · features of one more word."""
        place = (owner, keys, key)
        if place not in self._worth:
            ngrams, weights = self.sources[owner].ngrams, self.weights
            two, one = (None, None, *keys)[-2:]
            worth = sum(
                weights.get(name, 0.0) * value(key, key in ngrams.words) for name, value in WORD_FEATURES.items()
            )
            worth += weights.get("bigram", 0.0) * ((one, key) in ngrams.bigrams)
            worth += weights.get("trigram", 0.0) * ((two, one, key) in ngrams.trigrams)
            worth += weights.get("reorder", 0.0) * ngrams.reorder(one, key)
            worth += weights.get("repeat", 0.0) * (is_content(key) and key in keys)
            self._worth[place] = worth
        return self._worth[place]

    def ids(self, state: Rows) -> Ints:
        """Output ids of the last pieces."""
        return self.columns.ids_of(state.owner, state.history[:, -1])

    def futures(self, state: Rows, context: int) -> Ints:
        """The last pieces and everything else by a number for each distinct detail."""
        numbers: dict[Detail, int] = {}
        own = np.array([numbers.setdefault(detail, len(numbers)) for detail in state.details])
        limited = state.used[:, self.limits < NO_LIMIT]
        return np.concatenate([state.history[:, -max(context - 1, 1) :], limited, own[:, None]], axis=1)

    def read(self, owner: int, path: Path) -> Hypothesis:
        """The finished path as text with features; alignment summed and averaged from pieces to words."""
        source = self.sources[owner]
        ids = self.columns.ids_of(np.full(len(path.columns), owner), path.columns)
        pieces = [self.tables.pieces[index] for index in ids.tolist()]
        text = b"".join(pieces).decode("utf-8", "replace").strip(" ")
        tokens = tuple(text.split(" ")) if text else ()
        if self.options.capitalize and self.options.mode != "abstractive" and begins_with_capital(source.text):
            # A copied word has the case of its place; an abstractive model writes the case it was taught.
            tokens = (*capitalized(tokens[:1]), *tokens[1:])
            text = " ".join(tokens)
        keys = [word_key(token) for token in tokens]
        alignment = word_alignment(path.attention, pieces, source.spans, len(tokens))
        features = {"log_prob": path.log_prob, **feature_values(keys, source.ngrams)}
        features |= {name: value(alignment) for name, value in FINAL_FEATURES.items()}
        extra = sum(self.weights.get(name, 0.0) * features[name] for name in FINAL_FEATURES)
        known = tuple(key in source.ngrams.words for key in keys)
        return Hypothesis(text, path.score + extra, tokens, features, alignment, known, path.key + extra, path.short)


def repeats(keys: Sequence[str], key: str) -> bool:
    """Whether `key` after `keys` is a content word used before, or makes a pair of words used before."""
    if key in keys and is_content(key):
        return True
    return any(pair == (keys[-1], key) for pair in pairwise(keys)) if keys else False


def word_alignment(attention: Floats, pieces: Sequence[bytes], spans: Sequence[int], words: int) -> Floats:
    """(T, M) attention of pieces on pieces to (words, input words): summed over the input's, averaged over a word's."""
    edges = np.minimum(np.array(spans[:-1], np.int64), attention.shape[1] - 1)
    total = np.add.reduceat(attention[:, : spans[-1]], edges, axis=1) if len(edges) else attention[:, :0]
    firsts = [index for index, piece in enumerate(pieces) if index == 0 or piece[:1] == SPACE][:words]
    rows = np.add.reduceat(total, firsts, axis=0) if firsts else total[:0]
    counts = np.diff([*firsts, len(pieces)])
    rows = rows / np.maximum(counts, 1)[:, None]
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9), np.float32)


def _keep_only(totals: Floats, columns: Ints) -> None:
    """Forbid every column but these, in place."""
    kept = totals[columns]
    totals[:] = FORBIDDEN
    totals[columns] = kept
