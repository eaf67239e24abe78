"""Spacing from two neighbouring tokens, and exact lengths while a headline grows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.text.detokenize import added_length, detokenize, needs_space, printed
from hedline.text.normalize import news_words
from hedline.text.tokenize import words

ORDINARY = [
    "The mayor didn't say whether she'd resign, but they'll know by 9:30 p.m. on Friday.",
    'He said "no" (twice), then "maybe".',
    "Prices rose 3.5% to $1,200.50; analysts said: wait!",
    "The dogs' owners can't wait... or can they?",
    "I cannot say; we're gonna see, he's got the keys.",
    "AT&T paid US$5m to [unnamed] firms, 'sources' say.",
    'Is it "the end"? (No.) She asked: "Why not?" Then left.',
    "Nine-year-old wins A$3m -- 'a record' -- in '90s quiz",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_comes_back_exactly(text: str) -> None:
    assert detokenize(news_words(text)) == text


CHUNKS = (
    """the Mayor's cat U.S. $5 5% 1,200 don't (so) "quoted" it, end. yes; no: what? they'll AT&T 'n' dogs' cannot"""
)
TOKENS = "the a café “ `` '' ` ' , . : ; % $ us$ 's n't can not gon na -lrb- -rrb- ( ) # #,### -- ... 日本"


@given(st.lists(st.sampled_from(CHUNKS.split()), max_size=15))
def test_text_comes_back_up_to_spacing(parts: list[str]) -> None:
    text = " ".join(parts)
    for tokens in (words(text), news_words(text)):
        assert detokenize(tokens).replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.sampled_from(TOKENS.split()), max_size=12))
def test_lengths_add_up(tokens: list[str]) -> None:
    text = detokenize(tokens)
    costs = [added_length(left, token) for left, token in zip(["", *tokens], tokens, strict=False)]
    assert sum(chars for chars, _ in costs) == len(text)
    assert sum(size for _, size in costs) == len(text.encode())


@given(st.sampled_from(TOKENS.split()), st.sampled_from(TOKENS.split()))
def test_casing_never_changes_spacing(left: str, right: str) -> None:
    spaces = {needs_space(a, b) for a in (left, left.upper(), left.title()) for b in (right, right.upper())}
    assert len(spaces) == 1


def test_printed_forms() -> None:
    assert [printed(token) for token in ["``", "''", "`", "-lrb-", "-RCB-", "word"]] == [
        '"',
        '"',
        "'",
        "(",
        "}",
        "word",
    ]
    assert detokenize([]) == "" and detokenize(["", "a", "", "b"]) == "a b"
