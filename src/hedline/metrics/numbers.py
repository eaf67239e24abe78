"""Numbers in a headline that nothing in its input supports.

A number is a run of digits (with separators) or a number word. It is supported when the input holds the same value, in
digits or in words, with or without its scale: "2m", "2 million" and "two million" support each other and "2,000,000".
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import zip_longest

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_WORDS = {word: Decimal(value) for value, word in enumerate(_UNITS.split())}
_WORDS |= {word: Decimal(value) for value, word in zip(range(30, 101, 10), _TENS.split(), strict=True)}
_WORDS |= {word: Decimal(value) for value, word in enumerate(_ORDINALS.split())}
_WORDS |= {"dozen": Decimal(12), "twice": Decimal(2), "thrice": Decimal(3), "half": Decimal("0.5")}
_SCALES = {
    Decimal(1000): ["thousand", "k"],
    Decimal(10**6): ["million", "m", "mn", "mln"],
    Decimal(10**9): ["billion", "b", "bn", "bln"],
    Decimal(10**12): ["trillion", "tn", "trn"],
}
_SCALE_OF = {word: scale for scale, words in _SCALES.items() for word in words}

# Words that mean a number in the input but seldom claim one in a headline: "first", "second", "one", "half".
_WEAK = frozenset({"zero", "zeroth", "one", "first", "second", "half", "hundred", "twice", "dozen"})

_PIECE = re.compile(r"\d+(?:[,.]\d+)*|[^\W\d_]+")


def unsupported_numbers(headline: str, lead: str) -> list[str]:
    """The headline's numbers, as written, whose value the input does not hold."""
    supported = {value for _, values in _numbers(lead, weak=True) for value in values}
    return [text for text, values in _numbers(headline, weak=False) if not supported & values]


def _numbers(text: str, weak: bool) -> list[tuple[str, set[Decimal]]]:
    """Every number as written with the values it may stand for; `weak`: number words in a wide sense too."""
    pieces = _PIECE.findall(text)
    found = []
    for piece, following in zip_longest(pieces, pieces[1:], fillvalue=""):
        value = _value(piece, weak)
        if value is not None:
            scale = _SCALE_OF.get(following.lower())
            found.append((piece, {value} if scale is None else {value, value * scale}))
    return found


def _value(piece: str, weak: bool) -> Decimal | None:
    if piece[0].isdigit():
        return _decimal(piece)
    word = piece.lower()
    return None if word in _WEAK and not weak else _WORDS.get(word)


def _decimal(digits: str) -> Decimal | None:
    """`1,200`, `1.200.000` and `3.50` as numbers: groups of three after a comma, or after two points, are thousands."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif digits.count(".") > 1 or "," in digits:
        digits = re.sub(r"[,.]", "", digits)
    try:
        return Decimal(digits).normalize()
    except ArithmeticError:  # digits of another script that Decimal does not read
        return None
