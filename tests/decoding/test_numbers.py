"""The number guard."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.numbers import NumberGuard, open_number, touches_numbers

NUMBER = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
pieces = st.lists(st.text("12,.a", min_size=1, max_size=3), min_size=1, max_size=5)


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
