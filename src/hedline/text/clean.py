"""Unicode to the plain characters the tokeniser knows, with a way back to the raw text's positions."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_SINGLE_QUOTES = "‘’‚‛′´ʼʹ＇"
_DOUBLE_QUOTES = "“”„‟″«»〝〞＂"
_HYPHENS = "‐‑‒–−－"
_LONG_DASHES = "—―⸺"
_SPACES = "\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000"
# Byte order, direction and soft-hyphen marks; joiners stay, since emoji and several scripts need them.
_INVISIBLE = "\u00ad\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
_CONTROLS = "\x00-\x1f\x7f-\x9f"
_SURROGATES = "\ud800-\udfff"
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LETTERS = {"\u212a": "K", "\u212b": "Å", **_LIGATURES}
_PLAIN = {"…": "...", **_LETTERS}

_ODD = (
    f"{_SINGLE_QUOTES}{_DOUBLE_QUOTES}{_HYPHENS}{_LONG_DASHES}{_SPACES}{_INVISIBLE}{_CONTROLS}{_SURROGATES}"
    f"{''.join(_PLAIN)}"
)
# A letter followed by marks that may combine with it (invisible characters between them do not count), an odd
# character, or a decimal digit beyond ASCII.
_FIND = re.compile(rf"(?:[{''.join(_LETTERS)}]|[^{_ODD}{_MARKS}\d])(?:[{_INVISIBLE}]*[{_MARKS}])+|[{_ODD}]|[^\D0-9]")
_HIDDEN = re.compile(f"[{_INVISIBLE}]")
_FIND_ASCII = re.compile(r"[\x00-\x1f\x7f]")


class Cleaned(NamedTuple):
    """A cleaned text and where each of its characters came from.

    starts, ends: for each character of `text` the raw positions it stands for, `raw[starts[i]:ends[i]]`; None
    when the positions are the same.
    """

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The raw text's positions for a non-empty span of the cleaned text."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def clean(text: str) -> str:
    """The text with straight quotes, plain hyphens, `--` and `...`, ASCII digits, ordinary spaces.

    Control characters become spaces, invisible marks vanish, letters and their accents are composed, lone
    surrogates become U+FFFD. Cleaning twice changes nothing.

    >>> clean("“It’s over”, she said — at 9\u00a0p.m. …")
    '"It\\'s over", she said -- at 9 p.m. ...'
    """
    return (_FIND_ASCII if text.isascii() else _FIND).sub(_replace, text)


def clean_with_offsets(text: str) -> Cleaned:
    """As `clean`, keeping the way back to raw positions."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    moved, last = False, 0
    for match in (_FIND_ASCII if text.isascii() else _FIND).finditer(text):
        first, after = match.span()
        new = _replace(match)
        parts += (text[last:first], new)
        starts += [*range(last, first), *[first] * len(new)]
        ends += [*range(last + 1, first + 1), *[after] * len(new)]
        moved = moved or len(new) != 1 or after - first != 1
        last = after
    if not moved:
        return Cleaned("".join(parts) + text[last:], None, None)
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    return Cleaned("".join(parts) + text[last:], starts, ends)


def _replace(match: re.Match[str]) -> str:
    """What an odd character (or a letter with its marks) becomes."""
    found = match[0]
    if len(found) > 1:
        return unicodedata.normalize("NFC", _LETTERS.get(found[0], found[0]) + _HIDDEN.sub("", found[1:]))
    if found not in _known:
        _known[found] = _replacement(found)
    return _known[found]


_known: dict[str, str] = dict(_PLAIN)  # at most one entry for each odd character of Unicode


def _replacement(character: str) -> str:
    groups = ((_SINGLE_QUOTES, "'"), (_DOUBLE_QUOTES, '"'), (_HYPHENS, "-"), (_LONG_DASHES, "--"))
    for characters, plain in groups:
        if character in characters:
            return plain
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if re.match(f"[{_SURROGATES}]", character):
        return "\ufffd"
    return "" if _HIDDEN.match(character) else " "
