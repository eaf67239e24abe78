"""Tokens against NLTK's, the models' words, and the Source that keeps the way back."""

from __future__ import annotations

import json
import lzma
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from hedline.text.clean import clean
from hedline.text.tokenize import (
    CACHE_SIZE,
    ChunkCache,
    news_words,
    normalize,
    normalize_word,
    read_source,
    tokenize,
    words,
)

NLTK = TreebankWordTokenizer()

SENTENCES = [
    "",
    "   ",
    "Stop",
    "Stop.",
    "The mayor didn't say whether she'd resign, but they'll know by 9:30 p.m. on Friday.",
    'He said "no" (twice), then "maybe."',
    '"Never," she said. "Ever."',
    "Prices rose 3.5% to $1,200.50; analysts @ the bank & others said: 'wait'.",
    "The dogs' owners aren't sure -- or so it's said... are they?!",
    "I cannot, gonna, gotta, wanna go; gimme more'n that, d'ye hear? 'Tis true, 'twas so.",
    "Rock 'n' roll in the '90s wasn't the players' fault.",
    "Visit https://example.org/a?b=c#d, or write to me@example.org.",
    "A [bracketed] {set} of <tags>, and a list: one, two,three,4,000 and 5:45.",
    "The U.S. and the U.K. met Mr. J. K. Doe at 10 a.m.",
    'The end.")',
    "The end.'",
    "The end..",
    "The end....",
    "A --- dash and a-b-c -- done",
    "``Quoted'' the old way, don't you think?",
    "'Single' quotes and 'more of them'.",
    "We'd've said they're who'll he'S WE'LL CAN'T N'T n't it's' done",
    'Say (“hi”) or ("hi") or [""] "" x""y',
    "Tabs\tand\nlines don't matter, much.",
    "Émile naïvely paid €5—or £6—for “curly” quotes, he’s told.",
    "数字 と 日本語、です。 🎉🎉 party!",
    "He's the team's best-paid player's agent's 'friend's' friend.",
    "Cannot-do attitude; WANNA, wanna. wanna",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_same_tokens_as_nltk(sentence: str) -> None:
    assert words(sentence) == NLTK.tokenize(sentence)


# Where we differ from NLTK on purpose: (text, ours, why).
DELIBERATE = [
    ("Go,,now", ["Go", ",", ",", "now"], "commas in a row are each a token; NLTK's pattern eats every other one"),
    ('a\n"b"', ["a", "``", "b", "''"], "any white space opens a quotation, not only a space"),
    ("''Old'' quotes", ["``", "Old", "''", "quotes"], "'' opens a quotation at the beginning of a text too"),
    ("the dogs'\nden", ["the", "dogs", "'", "den"], "a line's end separates like a space"),
]


@pytest.mark.parametrize(("text", "ours", "why"), DELIBERATE)
def test_deliberate_differences(text: str, ours: list[str], why: str) -> None:
    assert words(text) == ours, why
    assert NLTK.tokenize(text) != ours, "NLTK now agrees: take this case off the list"


@pytest.mark.slow
@pytest.mark.shared
def test_agreement_on_open_news(open_news: Path) -> None:
    with lzma.open(open_news / "train-00.jsonl.xz", "rt", encoding="utf-8") as lines:
        leads = [json.loads(line)["lead"] for line in islice(lines, 10_000)]
    same = sum(words(lead) == NLTK.tokenize(lead) for lead in leads)
    assert same / len(leads) >= 0.999


@given(st.text(st.characters(codec=None)))
def test_tokens_point_at_their_own_characters(text: str) -> None:
    end = 0
    for token in tokenize(text):
        assert token.start >= end and not text[end : token.start].strip()
        raw = text[token.start : token.end]
        assert raw == token.text or (raw in {'"', "''"} and token.text in {"``", "''"})
        end = token.end
    assert not text[end:].strip()


@given(st.text("ab'\"`.,:;-#(n t s5!\n", max_size=30))
@settings(max_examples=500)
def test_words_are_tokenize_without_positions(text: str) -> None:
    assert words(text) == [token.text for token in tokenize(text)]
    assert words(text) == words(text)  # the second time from the cache


def test_long_inputs() -> None:
    text = "It's 5,000 o'clock, (so) they say: \"x\". " * 10_000
    assert len(tokenize(text)) == len(words(text)) == 10_000 * 15
    assert words("x" * 1_000_000) == ["x" * 1_000_000]
    assert len(words("." * 30_000)) == 10_000


def test_cache_is_bounded() -> None:
    cache = ChunkCache(len)
    for number in range(CACHE_SIZE + 10):
        assert cache[str(number)] == len(str(number))
    assert len(cache) <= CACHE_SIZE
    assert cache["x" * 1000] == 1000 and "x" * 1000 not in cache


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
