"""Cleaning, the model's words, and the Source that keeps the way back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedline.text.clean import clean, clean_with_offsets
from hedline.text.normalize import news_words, normalize, normalize_word
from hedline.text.source import read_source

ANY = st.text(st.characters(codec=None), max_size=60)  # lone surrogates and control characters among them
TRICKY = st.text(
    st.sampled_from("aB éİǅﬁ5٣#.,:;-–—'’“\"`()[]$&@%!?/\u00a0\u200b\u00ad\u0301\ud800\x00\tn t s".replace(" ", "  ")),
    max_size=25,
)

CASES = [
    ("U.S. troops left at 9:30 p.m. on Jan. 5.", "u.s. troops left at #:## p.m. on jan. # ."),
    ("He flew home to the U.S.", "he flew home to the u.s."),
    ("“It’s over,” she said — for good…", "`` it 's over , '' she said -- for good ..."),
    ("She won. He lost. They didn't care.", "she won . he lost . they did n't care ."),
    ("It said 'no deal' to '90s stars, 'em too", "it said ` no deal ' to '##s stars , 'em too"),
    ("AT&T paid US$5m and A$3.5m (£2m)", "at&t paid us$ #m and a$ #.#m -lrb- £#m -rrb-"),
    ("#MeToo @home me@example.org", "#metoo @home me@example.org"),
    (
        "See https://example.org/a,b?c=1. Then www.example.org!",
        "see https://example.org/a,b?c=# . then www.example.org !",
    ),
    ("prices fell #.# percent to #,### , he said", "prices fell #.# percent to #,### , he said"),
    ("`` go , '' he said , -lrb- ap -rrb- do n't", "`` go , '' he said , -lrb- ap -rrb- do n't"),
    ("[sic] {a} (b)", "-lsb- sic -rsb- -lcb- a -rcb- -lrb- b -rrb-"),
    ("٣ and ４２", "# and ##"),
    ("cafe\u0301 so\u00adft zero\u200bwidth", "café soft zero width"),
    ("", ""),
    (" \n\t ", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_words_of_a_text(text: str, expected: str) -> None:
    assert " ".join(normalize(text)) == expected


@given(ANY)
@example("İstanbul ﬁ Σ")
def test_normalize_word_is_idempotent(token: str) -> None:
    assert normalize_word(normalize_word(token)) == normalize_word(token)


@given(st.one_of(ANY, TRICKY))
@settings(max_examples=400)
@example('a. "B')
@example("x''y 'z")
@example("I\u00ad\u0300 ﬁ\u0300")
@example("u.s.' Then")
def test_normalize_is_idempotent(text: str) -> None:
    once = normalize(text)
    assert normalize(" ".join(once)) == once


@given(st.one_of(ANY, TRICKY))
@settings(max_examples=400)
def test_clean_is_idempotent_and_encodable(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert all(character.isprintable() or not character.isascii() for character in cleaned)


@given(st.one_of(ANY, TRICKY))
@settings(max_examples=400)
def test_cleaned_positions_lead_back(text: str) -> None:
    cleaned = clean_with_offsets(text)
    assert cleaned.text == clean(text)
    for i, character in enumerate(cleaned.text):
        start, end = cleaned.raw_span(i, i + 1)
        assert character in clean(text[start:end])
    if cleaned.text:
        assert cleaned.raw_span(0, len(cleaned.text))[1] <= len(text)


@given(st.one_of(ANY, TRICKY))
@settings(max_examples=400)
def test_source_holds_the_models_words_and_their_places(text: str) -> None:
    source = read_source(text)
    assert source.raw == text and len(source) == len(source.tokens) == len(source.words)
    assert source.words == normalize(text)
    assert [token.text for token in source.tokens] == news_words(text)
    last = 0
    for token in source.tokens:
        assert last <= token.start < token.end <= len(text)
        own = clean(text[token.start : token.end])
        assert token.text in own or token.text in {"``", "''", "`"}
        last = token.start


def test_very_long_and_odd_inputs() -> None:
    assert len(read_source("word " * 10_000)) == 10_000
    assert read_source("🎉 👩‍🚀 日本語 \ud83d \x00").words == ["🎉", "👩‍🚀", "日本語", "\ufffd"]
    assert read_source("").words == []


def test_token_places_after_characters_that_change_length() -> None:
    raw = "Wait… “no”—ﬁne\u200b then"
    source = read_source(raw)
    assert [raw[t.start : t.end] for t in source.tokens] == ["Wait", "…", "“", "no", "”", "—", "ﬁne", "then"]
