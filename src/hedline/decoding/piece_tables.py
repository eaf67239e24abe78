"""What the search needs to know about each piece of a subword vocabulary, computed once."""

from __future__ import annotations

import codecs
import unicodedata
from functools import lru_cache

import numpy as np

from hedline.decoding.lexicon import Flags
from hedline.decoding.numbers import NumberGuard, parse, touches_numbers
from hedline.decoding.scorer import Ints
from hedline.text.subword import Subwords

SPACE = b" "


class PieceTables:
    """Arrays indexed by piece id.

    bytes_, chars: length without a leading space; starts: begins a word; fits: may follow whole characters (valid
    UTF-8 so far, no white space but a leading space, no control characters); numeric: matters to numbers;
    continuing: ids that begin inside a character; plain: fits, and has no digit.
    """

    def __init__(self, subwords: Subwords) -> None:
        self.pieces = subwords.pieces
        size = len(self.pieces)
        self.specials = subwords.specials
        self.starts = np.array([piece[:1] == SPACE for piece in self.pieces])
        bare = [piece.removeprefix(SPACE) for piece in self.pieces]
        self.bytes_ = np.array([len(piece) for piece in bare], np.int64)
        self.chars = np.array([sum(byte & 0xC0 != 0x80 for byte in piece) for piece in bare], np.int64)
        self.fits = np.array([index >= self.specials and joins(b"", piece) for index, piece in enumerate(self.pieces)])
        self.texts = [piece.decode("ascii", "replace") for piece in self.pieces]
        self.numeric = np.array([touches_numbers(text) for text in self.texts]) if size else np.zeros(0, bool)
        self._index_numbers()
        inside = [index for index, piece in enumerate(self.pieces) if piece and piece[0] & 0xC0 == 0x80]
        self.continuing: Ints = np.array(inside, np.int64)
        self.index = {piece: index for index, piece in enumerate(self.pieces) if index >= self.specials}
        self.longest = max(map(len, self.pieces), default=1)
        self.tails = {index: tail for index in range(size) if (tail := unfinished(self.pieces[index]))}

    def _index_numbers(self) -> None:
        """Find pieces with digits by the number they leave open, else by the first one they close."""
        self.plain = self.fits.copy()
        self.by_open: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self.by_closed: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        for index in np.flatnonzero(self.fits & self.numeric).tolist():
            closed, opened = parse(self.texts[index].removeprefix(" "))
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
        return allowed

    def prefixes(self, rest: bytes) -> list[int]:
        """Ids of the pieces that `rest` begins with."""
        found = (self.index.get(rest[:end]) for end in range(1, min(len(rest), self.longest) + 1))
        return [index for index in found if index is not None]


@lru_cache(maxsize=65536)
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
    """No white space, no control character, no digit but 0-9 (which the number guard knows)."""
    if letter.isascii():
        return letter.isprintable()
    return (
        not letter.isspace() and not letter.isdecimal() and unicodedata.category(letter) not in {"Cc", "Cs", "Zl", "Zp"}
    )


@lru_cache(maxsize=65536)
def unfinished(data: bytes) -> bytes:
    """The bytes of an unfinished character at the end of `data`."""
    for back in range(1, min(len(data), 3) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        return data[-back:] if needed > back else b""
    return b"" if len(data) >= 3 or not data or data[-1] & 0xC0 != 0x80 else data
