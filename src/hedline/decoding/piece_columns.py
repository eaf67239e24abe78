"""The columns of a batch of subword inputs, and the sets of pieces that a text's state allows, found once each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedline.decoding.lexicon import Flags
from hedline.decoding.options import DecodeOptions
from hedline.decoding.piece_tables import SPACE, PieceTables, joins
from hedline.decoding.scorer import Ints
from hedline.decoding.subword_input import SubwordInput
from hedline.text.subword import END


class PieceColumns:
    """Candidates as columns: (B, W) arrays with a shortlist, one row for all inputs without.

    static: 0 where a piece may ever be taken, -inf elsewhere; end: (B,) column of `</s>`; longest: the longest piece.
    """

    def __init__(self, inputs: Sequence[SubwordInput], tables: PieceTables, options: DecodeOptions) -> None:
        self.sources, self.tables, self.options = inputs, tables, options
        self.whole = inputs[0].candidates is None
        self._ids = [_ids(source, tables) for source in (inputs[:1] if self.whole else inputs)]
        self.candidates = None if self.whole else self._ids
        self.width = max(map(len, self._ids))
        self.ids = np.zeros((len(self._ids), self.width), np.int64)
        self.static = np.full((len(inputs), self.width), -np.inf, np.float32)
        for row, ids in enumerate(self._ids):
            self.ids[row, : len(ids)] = ids
        for owner in range(len(inputs)):
            self._fill(owner)
        self.end = np.array([np.searchsorted(self._ids[self._row(owner)], END) for owner in range(len(inputs))])
        self.longest = int(tables.bytes_.max(initial=1))
        self._starting: dict[int, Ints] = {}
        self._finishing: dict[tuple[int, bytes], Ints] = {}
        self._numbering: dict[tuple[int, str], tuple[Ints, Ints]] = {}
        self._copying: dict[tuple[int, int, bytes, bool], Ints] = {}

    def _row(self, owner: int) -> int:
        return 0 if self.whole else owner

    def _fill(self, owner: int) -> None:
        ids = self._ids[self._row(owner)]
        guarded = self.options.guard_numbers
        allowed = (self.tables.with_numbers(self.sources[owner].guard) if guarded else self.tables.fits)[ids]
        self.static[owner, : len(ids)] = np.where(allowed, 0.0, -np.inf)

    def ids_of(self, owner: Ints, columns: Ints) -> Ints:
        """Output ids of columns."""
        return self.ids[np.zeros_like(owner) if self.whole else owner, columns]

    def lengths(self, owner: int) -> tuple[Flags, Ints, Ints]:
        """(S,) whether each column starts a word, and its bytes and characters without the space."""
        ids = self._ids[self._row(owner)]
        return self.tables.starts[ids], self.tables.bytes_[ids], self.tables.chars[ids]

    def starting(self, owner: int) -> Ints:
        """Columns that start a word."""
        row = self._row(owner)
        if row not in self._starting:
            self._starting[row] = np.flatnonzero(self.tables.starts[self._ids[row]])
        return self._starting[row]

    def finishing(self, owner: int, pending: bytes) -> Ints:
        """Columns that go on with an unfinished character."""
        key = (self._row(owner), pending)
        if key not in self._finishing:
            able = [int(index) for index in self.tables.continuing if joins(pending, self.tables.pieces[index])]
            self._finishing[key] = self._columns(owner, able)
        return self._finishing[key]

    def numbering(self, owner: int, tail: str) -> tuple[Ints, Ints]:
        """After the open number `tail`: columns that would make a number the input does not have, and columns that
        lengthen or close it rightly although, elsewhere, no number could begin with them.
        """
        key = (owner, tail)
        if key not in self._numbering:
            ids, tables, guard = self._ids[self._row(owner)], self.tables, self.sources[owner].guard
            numeric = tables.numeric[ids] & ~tables.starts[ids]
            wrong = np.zeros(len(ids), bool) if guard.may_close(tail) else ~numeric
            right = np.zeros(len(ids), bool)
            for column in np.flatnonzero(numeric).tolist():
                right[column] = tables.fits[ids[column]] and guard.allows(tail, tables.texts[ids[column]])
            wrong |= numeric & ~right
            self._numbering[key] = (np.flatnonzero(wrong), np.flatnonzero(right))
        return self._numbering[key]

    def copying(self, owner: int, place: int, word: bytes, written: bool) -> Ints:
        """Columns that keep the current word, and the next ones, words of the input (in order, if compressive)."""
        key = (owner, place, word, written)
        if key not in self._copying:
            source = self.sources[owner]
            ordered = self.options.mode == "compressive"
            after = place if ordered else -1
            able: set[int] = set()
            for form in _later(source, after):
                if form.startswith(word) and len(form) > len(word):
                    able.update(self.tables.prefixes(form[len(word) :]))
            closed = source.next_place(word, after) if word else None
            if closed is not None or not written:
                for form in _later(source, closed if ordered and closed is not None else after):
                    able.update(self.tables.prefixes(SPACE + form))
            self._copying[key] = self._columns(owner, sorted(able))
        return self._copying[key]

    def _columns(self, owner: int, wanted: Sequence[int]) -> Ints:
        """Columns of the output ids that are candidates."""
        ids = self._ids[self._row(owner)]
        if not len(wanted):
            return np.zeros(0, np.int64)
        places = np.searchsorted(ids, wanted)
        places = np.minimum(places, len(ids) - 1)
        return np.asarray(places[ids[places] == np.asarray(wanted)])


def _later(source: SubwordInput, after: int) -> list[bytes]:
    """The words of the input that stand somewhere after a place."""
    return [form for form, places in source.copyable.items() if places[-1] > after]


def _ids(source: SubwordInput, tables: PieceTables) -> Ints:
    return np.arange(len(tables.pieces)) if source.candidates is None else source.candidates
