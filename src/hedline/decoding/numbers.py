"""The number guard for pieces: every number of a headline is a number of the input, digit by digit.

A number is a run of ASCII digits with single separators inside (`1,200`, `7:30`). A text that grows piece by piece may
end in an *open* number, which more pieces can lengthen; the guard keeps it a prefix of a number of the input, and
lets it end only where it is one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_NUMBER = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
_OPEN = re.compile(r"([0-9]+(?:[.,:/][0-9]+)*[.,:/]?)\Z")
_LEAD = re.compile(r"[0-9.,:/]*")
SEPARATORS = ".,:/"


class Parsed(NamedTuple):
    """Numbers of a stretch of text: those that are complete, and the one it ends in ("" if in none)."""

    closed: tuple[str, ...]
    open: str


@lru_cache(maxsize=65536)
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


def touches_numbers(piece: str) -> bool:
    """Whether a piece has a digit, or could lengthen a number before it."""
    return bool(_LEAD.match(piece).group()) or any("0" <= letter <= "9" for letter in piece)  # type: ignore[union-attr]
