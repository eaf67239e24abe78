"""What the pieces of a subword vocabulary may do in a headline, as arrays that the search adds to its scores.

`PieceTables` holds facts about each piece of the vocabulary and is made once per model. `SubwordInput` is one input:
its words, its numbers and what may be copied from it. `PieceColumns` joins the two for a batch of inputs: its columns
are the pieces that may be written, and for each state of a text it finds the allowed columns once and keeps them.

Numbers are guarded digit by digit. A number is a run of ASCII digits with single separators inside (`1,200`, `7:30`).
A text that grows piece by piece may end in an *open* number, which more pieces can lengthen. `NumberGuard` keeps an
open number a prefix of a number of the input, and lets it end only where it is one. What a number counts, and its
scale, can be judged only in a whole headline (choice.py).
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from hedline.arrays import Flags, Floats, Ints
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import NGrams, read_ngrams
from hedline.runtime import kernels
from hedline.text.subword import END, Subwords
from hedline.text.tokenize import remembered

SPACE = b" "
STARTS, NUMERIC, UNFINISHED = 1, 2, 4  # what a piece is: it begins a word, matters to numbers, ends inside a character
SEPARATORS = ".,:/"
_NUMBER = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
_OPEN = re.compile(r"([0-9]+(?:[.,:/][0-9]+)*[.,:/]?)\Z")
_AMOUNTS = frozenset("0123456789$£€¥")
_EDGES = "'\"`“”‘’«».,:;!?()[]{}…–—-"


class Parsed(NamedTuple):
    """Numbers of a stretch of text: those that are complete, and the one it ends in ("" if in none)."""

    closed: tuple[str, ...]
    open: str


@remembered(most=1 << 21)
def parse(text: str) -> Parsed:
    """The numbers of a text.

    >>> parse("1,200 of 35."), parse("by 7:30 pm")
    (Parsed(closed=('1,200',), open='35.'), Parsed(closed=('7:30',), open=''))
    """
    found = _OPEN.search(text)
    # A run such as "1.,2" is two numbers: the open part must not begin inside the run before it.
    head = text[: found.start()] if found else text
    return Parsed(tuple(_NUMBER.findall(head)), found.group(1) if found else "")


class NumberGuard:
    """What one input's numbers allow."""

    def __init__(self, text: str) -> None:
        self.numbers = frozenset(_NUMBER.findall(text))
        prefixes = {number[:end] for number in self.numbers for end in range(1, len(number) + 1)}
        self.prefixes = prefixes | {number + separator for number in self.numbers for separator in SEPARATORS}
        # "1," is the beginning of "1,200": prefixes that end in a separator are there already.

    def may_close(self, tail: str) -> bool:
        """Whether the number that a text ends in may end there."""
        return not tail or tail.rstrip(SEPARATORS) in self.numbers

    def allows(self, tail: str, piece: str) -> bool:
        """Whether `piece` may follow a text that ends in the open number `tail` ("" for none)."""
        parsed = parse(tail + piece)
        if parsed.open and parsed.open not in self.prefixes:
            return False
        return all(number in self.numbers for number in parsed.closed)


def open_number(tail: str, piece: str) -> str:
    """The open number after `piece` follows a text that ends in the open number `tail`."""
    return parse(tail + piece).open


class PieceTables:
    """Arrays indexed by piece id.

    bytes_, chars: length without a leading space; starts: begins a word; spaced, opening: (V, 3) words, bytes and chars
    that a piece adds to a text, and that it has as the first one;
    fits: may follow whole characters (valid UTF-8 so far, no white space but a leading space, no control characters);
    numeric: matters to numbers; continuing: ids that begin inside a character; plain: fits, and has no digit; kinds:
    STARTS, NUMERIC and UNFINISHED of each piece added up, as bytes, whose items Python reads fastest.
    """

    def __init__(self, subwords: Subwords) -> None:
        self.pieces, self.specials = subwords.pieces, subwords.specials
        size = len(self.pieces)
        data = np.frombuffer(b"".join(self.pieces), np.uint8)
        length = np.fromiter(map(len, self.pieces), np.int64, size)
        place = np.repeat(np.arange(size), length)  # the piece of each byte
        first = np.cumsum(length) - length
        opening = np.where(length > 0, data[np.minimum(first, len(data) - 1)], 0) if len(data) else np.zeros(size, int)

        def count(wanted: Flags) -> Ints:
            """(V,) for each piece, how many of its bytes are marked in `wanted`."""
            return np.bincount(place[wanted], minlength=size)

        self.starts = opening == SPACE[0]
        self.bytes_ = length - self.starts
        self.chars = count(data & 0xC0 != 0x80) - self.starts
        spaces = self.starts.astype(np.int64)
        self.spaced: Ints = np.stack([spaces, self.bytes_ + spaces, self.chars + spaces], axis=1)
        self.opening: Ints = np.stack([np.ones_like(spaces), self.bytes_, self.chars], axis=1)
        strange = np.flatnonzero(count(data >= 0x80)).tolist()  # a few hundred pieces that are not ASCII
        self.fits: Flags = (length > 0) & (count((data > 0x20) & (data < 0x7F)) == self.bytes_)
        self.fits[strange] = [joins(b"", self.pieces[index]) for index in strange]
        self.fits[: self.specials] = False
        digits = (data >= ord("0")) & (data <= ord("9"))
        self.numeric = (count(digits) > 0) | np.isin(opening, list(SEPARATORS.encode()))
        self._index_numbers()
        self.continuing: Ints = np.flatnonzero((length > 0) & (opening & 0xC0 == 0x80))
        self.longest = int(length.max(initial=1))
        ends_inside = np.zeros(size, np.uint8)
        ends_inside[[index for index in strange if unfinished(self.pieces[index])]] = UNFINISHED
        self.kinds = (self.starts * np.uint8(STARTS) + self.numeric * np.uint8(NUMERIC) + ends_inside).tobytes()

    def text(self, index: int) -> str:
        """A piece as text, with U+FFFD for every byte that is not ASCII."""
        return self.pieces[index].decode("ascii", "replace")

    @cached_property
    def bodies(self) -> list[bytes]:
        """The pieces without their leading spaces."""
        return [piece.removeprefix(SPACE) for piece in self.pieces]

    @cached_property
    def known(self) -> dict[bytes, str]:
        """Words that headlines had, and their keys (`word_key`); those who add to it keep it small."""
        return {}

    @cached_property
    def index(self) -> dict[bytes, int]:
        """Piece to id."""
        return {piece: index for index, piece in enumerate(self.pieces) if index >= self.specials}

    def _index_numbers(self) -> None:
        """Find pieces with digits by the number they leave open, else by the first one they close."""
        self.plain = self.fits.copy()
        self.by_open: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self.by_closed: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        for index in np.flatnonzero(self.fits & self.numeric).tolist():
            closed, opened = parse(self.text(index).removeprefix(" "))
            if opened:
                self.by_open.setdefault(opened, []).append((index, closed))
            elif closed:
                self.by_closed.setdefault(closed[0], []).append((index, closed))
            self.plain[index] = not (opened or closed)

    def with_numbers(self, guard: NumberGuard) -> Flags:
        """(V,) pieces that may follow a text that does not end in a number, given the input's numbers."""
        allowed = self.plain.copy()
        found = [pair for prefix in guard.prefixes for pair in self.by_open.get(prefix, ())]
        found += [pair for number in guard.numbers for pair in self.by_closed.get(number, ())]
        for index, closed in found:
            allowed[index] = all(number in guard.numbers for number in closed)
        return np.asarray(allowed, np.bool_)

    def prefixes(self, rest: bytes) -> list[int]:
        """Ids of the pieces that `rest` begins with."""
        found = (self.index.get(rest[:end]) for end in range(1, min(len(rest), self.longest) + 1))
        return [index for index in found if index is not None]


@lru_cache(maxsize=65536)  # of pieces that the vocabulary holds anyway, after at most three bytes
def joins(pending: bytes, piece: bytes) -> bool:
    """Whether a piece may follow the unfinished character `pending` (b"" for none) in a headline."""
    body = piece.removeprefix(SPACE) if not pending else piece
    if not piece or SPACE in body:
        return False
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(pending + body)
    except UnicodeDecodeError:
        return False
    return all(_printable(letter) for letter in text)


def _printable(letter: str) -> bool:
    """Whether a letter is no white space, control character or digit other than 0-9, which the number guard knows."""
    if letter.isascii():
        return letter.isprintable()
    return (
        not letter.isspace() and not letter.isdecimal() and unicodedata.category(letter) not in {"Cc", "Cs", "Zl", "Zp"}
    )


@remembered(most=1 << 21)
def unfinished(data: bytes) -> bytes:
    """The bytes of an unfinished character at the end of `data`."""
    for back in range(1, min(len(data), 3) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        return data[-back:] if needed > back else b""
    return b"" if len(data) >= 3 or not data or data[-1] & 0xC0 != 0x80 else data


def core(word: str) -> str:
    """A word without the punctuation around it; all of it when it is nothing else."""
    return word.strip(_EDGES) or word


def word_key(word: str) -> str:
    """What words are compared by: letter case and punctuation around them do not count."""
    return core(word).casefold()


def _unquoted(word: str) -> str:
    """The core of a word, a minus before a number kept: without it the headline would say the opposite."""
    bare = core(word)
    before = word[: word.find(bare)]
    negative = before.endswith("-") and not before.endswith("--") and bare[0] in _AMOUNTS
    return f"-{bare}" if negative else bare


@dataclass(frozen=True)
class SubwordInput:
    """One input, ready for the search.

    ids: (M,) what the model reads (control tokens first); text: the cleaned input; words: its white-space words;
    spans: (len(words) + 1) offsets of the words' pieces in ids; candidates: (S,) output ids ascending, None for all.
    """

    ids: Ints
    text: str
    words: tuple[str, ...]
    spans: tuple[int, ...]
    candidates: Ints | None
    variant: str

    @cached_property
    def ngrams(self) -> NGrams:
        """N-grams over the keys of the words."""
        return read_ngrams([word_key(word) for word in self.words], self.variant)

    @cached_property
    def guard(self) -> NumberGuard:
        """The numbers of the whole text."""
        return NumberGuard(self.text)

    @cached_property
    def copyable(self) -> dict[bytes, tuple[int, ...]]:
        """The words that may be taken from the input, as written and without punctuation around, with their places."""
        found: dict[bytes, list[int]] = {}
        for place, word in enumerate(self.words):
            for form in dict.fromkeys((word, _unquoted(word))):
                found.setdefault(form.encode("utf-8", "replace"), []).append(place)
        return {form: tuple(places) for form, places in found.items()}

    def next_place(self, form: bytes, place: int) -> int | None:
        """The first place of a word after `place`."""
        return next((other for other in self.copyable.get(form, ()) if other > place), None)


def spans_of(words: Sequence[str], pieces: Sequence[bytes], first: int) -> tuple[int, ...]:
    """Where each word's pieces begin, from position `first` on; pieces of a word follow each other without spaces."""
    starts = [first + index for index, piece in enumerate(pieces) if index == 0 or piece[:1] == b" "]
    return (*starts[: len(words)], first + len(pieces))


class PieceColumns:
    """Candidates as columns: (B, W) arrays with a shortlist, one row for all inputs without.

    static: 0 where a piece may ever be taken, -inf elsewhere; starts: 1 where it begins a word; end: (B,) column of
    `</s>`; longest: the longest piece.
    """

    def __init__(self, inputs: Sequence[SubwordInput], tables: PieceTables, options: DecodeOptions) -> None:
        self.sources, self.tables, self.options = inputs, tables, options
        self.whole = inputs[0].candidates is None
        self._ids = [_ids(source, tables) for source in (inputs[:1] if self.whole else inputs)]
        self.candidates = None if self.whole else self._ids
        self.width = max(map(len, self._ids))
        self.ids = np.zeros((len(self._ids), self.width), np.int64)
        self.static = np.full((len(inputs), self.width), -np.inf, np.float32)
        self.starts = np.zeros((len(self._ids), self.width), bool)
        for row, ids in enumerate(self._ids):
            self.ids[row, : len(ids)] = ids
            self.starts[row, : len(ids)] = tables.starts[ids]
        for owner in range(len(inputs)):
            self._fill(owner)
        self.end = np.array([np.searchsorted(self._ids[self._row(owner)], END) for owner in range(len(inputs))])
        self.longest = int(tables.bytes_.max(initial=1))
        self._starting: dict[int, Ints] = {}
        self._finishing: dict[tuple[int, bytes], Ints] = {}
        self._numeric: dict[int, tuple[Flags, list[tuple[int, str]]]] = {}
        self._numbering: dict[tuple[int, str], tuple[Ints, Ints]] = {}
        self._copying: dict[tuple[int, int, bytes, bool], Ints] = {}
        self._prefixes: dict[bytes, list[int]] = {}

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

    def worth(
        self, log_probs: Floats, owner: Ints, weight: float, opening: Floats, closing: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """(rows, W): weight · log_probs, plus `opening` (rows,) where a piece begins a word; -inf where none may be.

        And (rows,) what ending is worth, with `closing` (rows,), -inf where that is -inf, and its log-probability.
        """
        if kernels.available():
            out, ends = np.empty(log_probs.shape, np.float32), np.empty((2, len(owner)), np.float32)
            kernels.compiled.worth(
                log_probs, self.static, self.starts, self.end, owner, opening, closing, weight, out, ends, *out.shape,
                len(self.static), len(self.starts),
            )  # fmt: skip
            return out, ends[0], ends[1]
        last = log_probs[np.arange(len(owner)), self.end[owner]]
        with np.errstate(invalid="ignore"):
            totals = self.static[owner] + np.float32(weight) * log_probs
            end = np.where(closing > -np.inf, np.float32(weight) * last + closing, -np.inf)
        for row in np.flatnonzero(opening != 0):
            totals[row, self.starting(int(owner[row]))] += opening[row]
        return totals, end.astype(np.float32), last

    def lengths(self, owner: int) -> tuple[Flags, Ints, Ints]:
        """(S,) whether each column starts a word, and its bytes and characters without the space."""
        ids = self._ids[self._row(owner)]
        return self.tables.starts[ids], self.tables.bytes_[ids], self.tables.chars[ids]

    def starting(self, owner: int) -> Ints:
        """Columns that start a word."""
        row = self._row(owner)
        if row not in self._starting:
            self._starting[row] = np.flatnonzero(self.starts[row])
        return self._starting[row]

    def finishing(self, owner: int, pending: bytes) -> Ints:
        """Columns that go on with an unfinished character."""
        key = (self._row(owner), pending)
        if key not in self._finishing:
            able = [int(index) for index in self.tables.continuing if joins(pending, self.tables.pieces[index])]
            self._finishing[key] = self.places(owner, able)
        return self._finishing[key]

    def numbering(self, owner: int, tail: str) -> tuple[Ints, Ints]:
        """After the open number `tail`: columns that would make a number the input does not have, and columns that
        lengthen or close it rightly although, elsewhere, no number could begin with them.
        """
        key = (owner, tail)
        if key not in self._numbering:
            (numeric, texts), guard = self._numerals(self._row(owner)), self.sources[owner].guard
            right = [column for column, text in texts if guard.allows(tail, text)]
            wrong = numeric.copy() if guard.may_close(tail) else np.ones(len(numeric), bool)
            wrong[right] = False
            self._numbering[key] = (np.flatnonzero(wrong), np.array(right, np.int64))
        return self._numbering[key]

    def _numerals(self, row: int) -> tuple[Flags, list[tuple[int, str]]]:
        """(S,) columns that go on with a word and matter to numbers, and the text of those that may ever be taken."""
        if row not in self._numeric:
            ids, tables = self._ids[row], self.tables
            numeric = np.asarray(tables.numeric[ids] & ~tables.starts[ids])
            able = np.flatnonzero(numeric & tables.fits[ids]).tolist()
            self._numeric[row] = (numeric, [(column, tables.text(ids[column])) for column in able])
        return self._numeric[row]

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
                    able.update(self._prefixes_of(form[len(word) :]))
            closed = source.next_place(word, after) if word else None
            if closed is not None or not written:
                for form in _later(source, closed if ordered and closed is not None else after):
                    able.update(self._prefixes_of(SPACE + form))
            self._copying[key] = self.places(owner, sorted(able))
        return self._copying[key]

    def _prefixes_of(self, rest: bytes) -> list[int]:
        """Ids of the pieces that `rest` begins with, kept for the next time."""
        if rest not in self._prefixes:
            self._prefixes[rest] = self.tables.prefixes(rest)
        return self._prefixes[rest]

    def places(self, owner: int, wanted: Sequence[int]) -> Ints:
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
