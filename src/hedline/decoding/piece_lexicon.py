"""Pieces as units: a word is complete when the next piece starts another one.

Only a complete word counts towards limits of words, fires features and can be a repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hedline.arrays import Floats, Ints
from hedline.decoding import Gains, Route
from hedline.decoding.choice import UNFINISHED as WANTING
from hedline.decoding.options import NO_LIMIT, DecodeOptions, fill_shortage, step_limit
from hedline.decoding.piece_columns import (
    NUMERIC,
    SPACE,
    STARTS,
    UNFINISHED,
    PieceColumns,
    PieceTables,
    SubwordInput,
    open_number,
    unfinished,
    word_key,
)
from hedline.decoding.summary import FINAL_FEATURES, WORD_FEATURES, Hypothesis, feature_values
from hedline.runtime import Step, kernels
from hedline.text.clean import fit_for_a_line
from hedline.text.surface import begins_with_capital, capitalized
from hedline.text.tokenize import is_content

FORBIDDEN = -np.inf
MARKS = (b":", b",", b";", b"-")
MOST_KNOWN, LONGEST_KNOWN = 1 << 15, 64  # words whose keys are kept from text to text, and bytes of a word


class Detail(NamedTuple):
    """The part of a hypothesis that is not kept in arrays.

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


class Word(NamedTuple):
    """A word of one input's headlines: its key, and what its own features are worth."""

    key: str
    worth: float


class Rows(NamedTuple):
    """State of the hypotheses: owner, words, bytes, chars used (rows, 3), columns so far (rows, T), details.

    ids: (rows,) the last pieces; closing: (rows,) that of the details.
    """

    owner: Ints
    used: Ints
    history: Ints
    details: tuple[Detail, ...]
    ids: Ints
    closing: Floats


class SubwordLexicon:
    """`decoding.Lexicon` for models over byte-level pieces."""

    def __init__(self, inputs: Sequence[SubwordInput], tables: PieceTables, options: DecodeOptions) -> None:
        weights = options.settled_weights
        self.sources, self.tables, self.options, self.weights = inputs, tables, options, weights
        self.columns = PieceColumns(inputs, tables, options)
        self.inputs: Sequence[Ints] = [source.ids for source in inputs]
        self.candidates: Sequence[Ints] | None = self.columns.candidates
        self.width = self.columns.width
        self.max_steps = step_limit(options, units_a_word=4)
        self.limits = np.array([options.word_limit, options.byte_limit, options.char_limit])
        self._most_words, self._least_room = int(self.limits[0]), int(self.limits[1:].min())
        self.weight = np.float32(weights.get("log_prob", 0.0))
        self.fires = any(value for name, value in weights.items() if name != "log_prob" and name not in FINAL_FEATURES)
        self._words: list[dict[bytes, Word]] = [{} for _ in inputs]
        self._own = [(weights[name], value) for name, value in WORD_FEATURES.items() if weights.get(name)]
        self._copied, self._compressive = options.mode != "abstractive", options.mode == "compressive"
        self._plain = kernels.available() and not (self.fires or self._copied)  # a word is worth nothing by itself
        self._exact = (options.exact_words or 0) if options.guard_meaning and not self._copied else 0
        self._loose: dict[tuple[int, bool], Ints] = {}
        self._pairs = tuple(weights.get(name, 0.0) for name in ("bigram", "trigram", "reorder", "repeat"))

    def start(self) -> Rows:
        """One empty headline for each input."""
        count = len(self.inputs)
        details = (Detail(b"", (), -1, "", b"", FORBIDDEN),) * count
        used, none, closing = np.zeros((count, 3), np.int64), np.zeros((count, 0), np.int64), _closings(details)
        return Rows(np.arange(count), used, none, details, np.zeros(count, np.int64), closing)

    def gains(self, state: Rows, step: Step) -> Gains:
        """Weights · features of every piece for every row, forbidden ones at -inf."""
        columns, owner, written = self.columns, state.owner, state.history.shape[1] > 0
        totals, end, end_log_probs = columns.worth(
            step.log_probs, owner, float(self.weight), self._opening(state), state.closing
        )
        for row, detail in enumerate(state.details):
            if detail.pending:  # pieces that begin inside a character are forbidden everywhere else
                inside = columns.finishing(int(owner[row]), detail.pending)
                totals[row, inside] = self.weight * step.log_probs[row, inside]
                _keep_only(totals[row], inside)
            if detail.tail:  # so are pieces that no number begins with
                wrong, right = columns.numbering(int(owner[row]), detail.tail)
                totals[row, wrong] = FORBIDDEN
                totals[row, right] = self.weight * step.log_probs[row, right]
            if self._copied:
                able = columns.copying(int(owner[row]), detail.place, detail.word, written)
                _keep_only(totals[row], able)
        self._forbid_overlong(totals, state)
        if self._exact and written:
            self._forbid_loose_ends(totals, state)
        short = fill_shortage(self.options, state.used)

        def log_probs(chosen_rows: Ints, chosen: Ints) -> Floats:
            return np.asarray(step.log_probs[chosen_rows, chosen])

        return Gains(totals, log_probs, end, end_log_probs, short)

    def _opening(self, state: Rows) -> Floats:
        """(rows,) what a piece gains that begins a word: the worth of the word before; -inf where that is too many."""
        taken = state.history.shape[1]
        opening = state.closing if taken else np.zeros_like(state.closing)
        if taken < self._most_words:
            return opening
        return np.where(state.used[:, 0] < self._most_words, opening, np.float32(FORBIDDEN))

    def _forbid_overlong(self, totals: Floats, state: Rows) -> None:
        """Forbid, in place, pieces that would break a limit of the final text in bytes or characters."""
        columns, taken = self.columns, state.history.shape[1]
        longest = columns.longest + 1
        if (taken + 1) * longest <= self._least_room:
            return  # however long the pieces were
        room = self.limits - state.used
        for row in np.flatnonzero((room[:, 1] < longest) | (room[:, 2] < longest)):
            starts, sizes, chars = columns.lengths(int(state.owner[row]))
            space = starts.astype(np.int64) if taken else 0
            over = (sizes + space > room[row, 1]) | (chars + space > room[row, 2])
            totals[row, : len(over)][over] = FORBIDDEN

    def _forbid_loose_ends(self, totals: Floats, state: Rows) -> None:
        """Forbid, in place, a last word that wants another one, and a mark after it, which the guard would refuse."""
        for before, count in ((True, self._exact - 1), (False, self._exact)):
            for row in np.flatnonzero(state.used[:, 0] == count):
                owner = int(state.owner[row])
                if (owner, before) not in self._loose:
                    pieces = [SPACE + word.encode() for word in WANTING] if before else MARKS
                    pieces = [*pieces, *(piece.title() for piece in pieces)]
                    found = [self.tables.index[piece] for piece in pieces if piece in self.tables.index]
                    self._loose[owner, before] = self.columns.places(owner, sorted(set(found)))
                totals[row, self._loose[owner, before]] = FORBIDDEN

    def advance(self, state: Rows, rows: Ints, chosen: Ints) -> Rows:
        """States after the chosen pieces."""
        owner = state.owner[rows]
        ids = self.columns.ids_of(owner, chosen)
        used = state.used[rows] + (self.tables.spaced if state.history.shape[1] else self.tables.opening)[ids]
        details = self._followed(state.details, rows, owner, ids)
        history = np.concatenate([state.history[rows], chosen[:, None]], axis=1)
        return Rows(owner, used, history, details, ids, _closings(details))

    def _followed(self, details: tuple[Detail, ...], rows: Ints, owner: Ints, ids: Ints) -> tuple[Detail, ...]:
        """The details of rows after one more piece each; nearly all are what the compiled loop makes of them."""
        if not self._plain or not len(rows):
            chosen = map(details.__getitem__, rows.tolist())
            return tuple(map(self._follow, owner.tolist(), chosen, ids.tolist()))
        tables = self.tables
        found: list[Detail | None] = kernels.compiled.follow(
            Detail, details, rows, ids, tables.kinds, tables.bodies, tables.known, -1, 0.0, len(rows)
        )
        for place in [place for place, detail in enumerate(found) if detail is None]:
            found[place] = self._follow(int(owner[place]), details[rows[place]], int(ids[place]))
        return tuple(found)  # type: ignore[arg-type]

    def _follow(self, owner: int, detail: Detail, index: int) -> Detail:
        """The detail after one more piece; runs for hypotheses of every step, so it asks for little."""
        word, keys, place, tail, pending, _ = detail
        piece, kind = self.tables.pieces[index], self.tables.kinds[index]
        if kind & STARTS:
            if word:
                keys = (*keys, (self._words[owner].get(word) or self._word(owner, word)).key)
                place = self._place_after(owner, word, place) if self._compressive else -1
            word = piece = piece[1:]
            tail = ""
        else:
            word += piece
        if pending or kind & UNFINISHED:
            pending = unfinished(pending + piece)
        if (tail or kind & NUMERIC) and self.options.guard_numbers:
            tail = open_number(tail, piece.decode("ascii", "replace"))
        closing = FORBIDDEN if pending or not word else self._closing(owner, word, keys, place, tail)
        return Detail(word, keys, place, tail, pending, closing)

    def _place_after(self, owner: int, word: bytes, place: int) -> int:
        found = self.sources[owner].next_place(word, place)
        return len(self.sources[owner].words) if found is None else found

    def _closing(self, owner: int, word: bytes, keys: tuple[str, ...], place: int, tail: str) -> float:
        """What completing `word` after `keys` is worth; -inf where it is no whole, new, allowed word."""
        if tail and not self.sources[owner].guard.may_close(tail):  # there are tails where numbers are guarded
            return FORBIDDEN
        if self._copied and self.sources[owner].next_place(word, place if self._compressive else -1) is None:
            return FORBIDDEN
        whole = self._words[owner].get(word) or self._word(owner, word)
        if whole.key in keys and self.options.block_repeats and repeats(keys, whole.key):
            return FORBIDDEN
        return self._worth(owner, keys, whole) if self.fires else 0.0

    def _word(self, owner: int, word: bytes) -> Word:
        """A word as this input's features see it, kept for the next time."""
        key = word_key(word.decode("utf-8", "replace"))
        worth = 0.0
        for weight, value in self._own:
            worth += weight * value(key, key in self.sources[owner].ngrams.words)
        found = self._words[owner][word] = Word(key, worth)
        if self._plain and len(word) <= LONGEST_KNOWN:
            if len(self.tables.known) >= MOST_KNOWN:
                self.tables.known.clear()
            self.tables.known[word] = key
        return found

    def _worth(self, owner: int, keys: tuple[str, ...], word: Word) -> float:
        """Weights · features of one more word."""
        bigram, trigram, reorder, repeat = self._pairs
        ngrams, worth, key = self.sources[owner].ngrams, word.worth, word.key
        one = keys[-1] if keys else None
        if bigram and (one, key) in ngrams.bigrams:
            worth += bigram
        if trigram and (keys[-2] if len(keys) > 1 else None, one, key) in ngrams.trigrams:
            worth += trigram
        if reorder and ngrams.reorder(one, key):
            worth += reorder
        if repeat and key in keys and is_content(key):
            worth += repeat
        return worth

    def ids(self, state: Rows) -> Ints:
        """Output ids of the last pieces."""
        return state.ids

    def futures(self, state: Rows, context: int) -> Ints:
        """The last pieces and everything else by a number for each distinct detail."""
        numbers: dict[Detail, int] = {}
        own = np.array([numbers.setdefault(detail, len(numbers)) for detail in state.details])
        limited = state.used[:, self.limits < NO_LIMIT]
        return np.concatenate([state.history[:, -max(context - 1, 1) :], limited, own[:, None]], axis=1)

    def path_ids(self, owner: int, columns: Ints) -> Ints:
        """(T,) the ids of a finished path's pieces."""
        return self.columns.ids_of(np.full(len(columns), owner), columns)

    def _pieces(self, owner: int, columns: Ints) -> list[bytes]:
        return [self.tables.pieces[index] for index in self.path_ids(owner, columns).tolist()]

    def text(self, owner: int, columns: Ints) -> str:
        """The text of a finished path's columns."""
        text = fit_for_a_line(b"".join(self._pieces(owner, columns)).decode("utf-8", "replace")).strip(" ")
        if text and self.options.capitalize and self._copied and begins_with_capital(self.sources[owner].text):
            # A copied word has the case of its place; an abstractive model writes the case it was taught.
            tokens = text.split(" ")
            text = " ".join((*capitalized(tokens[:1]), *tokens[1:]))
        return text

    def read(self, owner: int, path: Route) -> Hypothesis:
        """The finished path as text with features; alignment summed and averaged from pieces to words."""
        source, pieces = self.sources[owner], self._pieces(owner, path.columns)
        text = self.text(owner, path.columns)
        tokens = tuple(text.split(" ")) if text else ()
        keys = [word_key(token) for token in tokens]
        alignment = word_alignment(path.attention, pieces, source.spans, len(tokens))
        features = {"log_prob": path.log_prob, **feature_values(keys, source.ngrams)}
        features |= {name: value(alignment) for name, value in FINAL_FEATURES.items()}
        extra = sum(self.weights.get(name, 0.0) * features[name] for name in FINAL_FEATURES)
        known = tuple(key in source.ngrams.words for key in keys)
        ranks = (path.key + extra, path.short, len(path.columns) + 1)
        return Hypothesis(text, path.score + extra, tokens, features, alignment, known, *ranks)


def repeats(keys: Sequence[str], key: str) -> bool:
    """Whether `key` after `keys` is a content word used before, or makes a pair of words used before."""
    return key in keys and (is_content(key) or (keys[-1], key) in pairwise(keys))


def word_alignment(attention: Floats, pieces: Sequence[bytes], spans: Sequence[int], words: int) -> Floats:
    """(T, M) attention of pieces on pieces to (words, input words): summed over the input's, averaged over a word's."""
    edges = np.minimum(np.array(spans[:-1], np.int64), attention.shape[1] - 1)
    total = np.add.reduceat(attention[:, : spans[-1]], edges, axis=1) if len(edges) else attention[:, :0]
    firsts = [index for index, piece in enumerate(pieces) if index == 0 or piece[:1] == SPACE][:words]
    rows = np.add.reduceat(total, firsts, axis=0) if firsts else total[:0]
    counts = np.diff([*firsts, len(pieces)])
    rows = rows / np.maximum(counts, 1)[:, None]
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9), np.float32)


def _closings(details: Sequence[Detail]) -> Floats:
    """(rows,) what completing each row's word is worth."""
    return np.array([detail.closing for detail in details], np.float32)


def _keep_only(totals: Floats, columns: Ints) -> None:
    """Forbid every column but these, in place."""
    kept = totals[columns]
    totals[:] = FORBIDDEN
    totals[columns] = kept
