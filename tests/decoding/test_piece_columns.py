"""The tables of a subword vocabulary, and the guard that lets only the input's numbers be written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.piece_columns import NumberGuard, PieceTables, joins, open_number, unfinished
from hedline.text.subword import Subwords, byte_letters

NUMBER = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
pieces = st.lists(st.text("12,.a", min_size=1, max_size=3), min_size=1, max_size=5)


def touches_numbers(piece: str) -> bool:
    """Whether a piece has a digit, or could lengthen a number before it."""
    return bool(re.match(r"[0-9.,:/]+", piece)) or any("0" <= letter <= "9" for letter in piece)


@given(source=st.text("12,. a", max_size=12), cut=pieces)
def test_what_the_guard_lets_through_has_only_the_inputs_numbers(source, cut):
    guard, tail, allowed = NumberGuard(source), "", True
    for piece in cut:
        if tail or touches_numbers(piece):
            closes = touches_numbers(piece) or guard.may_close(tail)
            allowed = allowed and closes and guard.allows(tail, piece)
            tail = open_number(tail, piece)
    allowed = allowed and guard.may_close(tail)
    wanted = set(NUMBER.findall("".join(cut))) <= set(NUMBER.findall(source))
    assert allowed == wanted


@pytest.mark.parametrize(
    ("source", "text", "fine"),
    [
        ("It cost 1,200 in 2004.", "1,200", True),
        ("It cost 1,200 in 2004.", "1,20", False),
        ("It cost 1,200 in 2004.", "1", False),
        ("It cost 1,200 in 2004.", "2004,", True),
        ("It cost 1,200 in 2004.", "in 04", False),
        ("At 7:30 pm", "7", False),
        ("no number", "7", False),
    ],
)
def test_examples(source, text, fine):
    guard = NumberGuard(source)
    assert (guard.allows("", text) and guard.may_close(open_number("", text))) is fine


PIECES = [
    b" the", b"the", b" ", b"7", b" 7", b"7:30", b".", b" .5", b"a b", b"\xc3", b"\xa9", b"caf\xc3\xa9", b" \xe2\x82",
    b"\xe2\x82\xac", b"\x7f", b"\n", b"1,", b"a1", "\u0663".encode(), "\u2028".encode(), b"x" * 40,
]  # fmt: skip


def test_every_table_is_what_it_says():
    letters = byte_letters()
    names = ["<pad>", "<unk>", "<s>", "</s>", *("".join(letters[byte] for byte in piece) for piece in PIECES)]
    subwords = Subwords(names, [], 4)
    assert subwords.pieces == [b""] * 4 + PIECES
    tables = PieceTables(subwords)
    for index, piece in enumerate(subwords.pieces):
        bare = piece.removeprefix(b" ")
        assert tables.starts[index] == piece.startswith(b" ")
        assert tables.bytes_[index] == len(bare)
        assert tables.chars[index] == sum(byte & 0xC0 != 0x80 for byte in bare)
        spaces, chars = len(piece) - len(bare), tables.chars[index]
        assert tables.spaced[index].tolist() == [spaces, len(piece), chars + spaces]
        assert tables.opening[index].tolist() == [1, len(bare), chars]
        assert tables.fits[index] == (index >= 4 and joins(b"", piece))
        assert tables.numeric[index] == touches_numbers(piece.decode("ascii", "replace"))
        kinds = (piece.startswith(b" "), touches_numbers(piece.decode("ascii", "replace")), unfinished(piece))
        assert tables.kinds[index] == sum(1 << place for place, found in enumerate(kinds) if found)
        assert (index in tables.continuing) == (bool(piece) and piece[0] & 0xC0 == 0x80)
    assert tables.longest == 40 and tables.index[b" the"] == 4
