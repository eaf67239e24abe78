"""From words back to print: spaces, casing and digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedline.text.casing import Truecaser
from hedline.text.clean import is_tokenized
from hedline.text.surface import Surfacer, added_length, capitalized, detokenize, needs_space, printed, shapes, surface
from hedline.text.tokenize import news_words, normalize, read_source, words
from hedline.text.vocab import SPECIALS

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


LOWER = {word: word for word in ["police", "the", "rain", "sales", "leaves"]}
CASER = Truecaser({"nato": "NATO", "bergen": "Bergen", "iphone": "iPhone", **LOWER})


def headline(words: str, text: str, alignment: object = None) -> str:
    return Surfacer(read_source(text), CASER).headline(words.split(), alignment)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("mayor castellanos quits", "On Monday Mayor Castellanos said she quits.", "Mayor Castellanos quits"),
        ("nato ships leave", "Two ships left.", "NATO ships leave"),
        ("fog : police close bridge", "Police had to close a bridge in fog.", "Fog: police close bridge"),
        ("fog hits zabrov", "Zabrov was hit by fog.", "Fog hits Zabrov"),
        ("new uefa rule", "UEFA has a new rule.", "New UEFA rule"),
        ("#,### flee # fires", "Some 1,200 people fled 3 fires.", "1,200 flee 3 fires"),
        ("`` no deal '' , says firm", "The firm said no deal.", '"No deal", says firm'),
        ("-lrb- again -rrb- rain", "Rain again.", "(Again) rain"),
        ("iphone sales fall", "Sales of the iPhone fall.", "iPhone sales fall"),
        ("bank may close in may", "The bank may close in May.", "Bank may close in may"),
        ("nato leaves bergen", "NATO LEAVES BERGEN, SAYS ZABROV.", "NATO leaves Bergen"),
        ("zabrov leaves bergen", "zabrov leaves bergen , police say .", "Zabrov leaves Bergen"),
        ("covid-## cases up", "In May COVID-19 cases were up.", "COVID-19 cases up"),
        ("ca n't pay us$ #m", "They can't pay US$5m.", "Can't pay US$5m"),
        ("", "Anything.", ""),
    ],
)
def test_headlines(words: str, text: str, expected: str) -> None:
    assert headline(words, text) == expected


def test_alignment_chooses_among_numbers_and_casings() -> None:
    text = "Of 12 boats 15 sank and 18 fled in May, as they may."
    source = read_source(text)
    row = {word: np.eye(len(source))[i] for i, word in enumerate(token.text for token in source.tokens)}
    assert headline("## boats", text, [row["18"], row["boats"]]) == "18 boats"
    assert headline("fled in may", text, [row["fled"], row["in"], row["May"]]) == "Fled in May"
    assert headline("fled in may", text, np.array([row["fled"], row["in"], row["may"]])) == "Fled in may"
    # A number is not used again while another of its shape is free, and the strongest alignment goes first.
    weak = 0.4 * row["15"] + 0.6 * row["12"]
    assert (
        headline("## boats , ## fled", text, [weak, row["boats"], row[","], row["12"], row["fled"]])
        == "15 boats, 12 fled"
    )
    assert headline("## ## ## ##", text) == "12 15 18 12"


def test_alignment_may_be_shorter_than_the_input() -> None:
    assert headline("## fled", "Of 12 boats 15 sank.", [[0.0, 0.1], [1.0]]) == "12 fled"


def test_unknown_and_unsupported_words_are_never_printed() -> None:
    text = "Castellanos won 15 seats."
    surfacer = Surfacer(read_source(text), CASER)
    for word in [*SPECIALS, "###", "#.#"]:
        assert not surfacer.printable(word)
        assert surfacer.forms([word]) == [""]
        assert surfacer.forms([word], [[0.9, 0.1]]) == ["Castellanos"]
    assert surfacer.printable("##") and surfacer.printable("seats")
    assert surfacer.headline(["<unk>", "wins"]) == "Wins"


def test_shapes() -> None:
    assert shapes(read_source("On 5 May 12 of 15 boats sank, 1,200 fled: #MeToo.")) == {
        "#": [1],
        "##": [3, 5],
        "#,###": [9],
        "#metoo": [12],
    }


def test_single_words() -> None:
    source = read_source("A NATO ship (the 5th) sank.")
    assert [surface(word, source) for word in ["nato", "#th", "-lrb-", "ship"]] == ["NATO", "5th", "(", "ship"]
    assert surface("<unk>", source) == ""
    assert surface("<unk>", source, weights=[0, 0, 1]) == "ship"


@given(
    st.text(st.sampled_from("aBé İßﬁǅ5٣.,'\"()-#$\n"), max_size=40),
    st.lists(
        st.sampled_from(["a", "b", "é", "i̇", "ß", "ab", "#", "##", "(", "''", "``", "nato", "ßa", "'s"]), max_size=8
    ),
)
@settings(max_examples=300)
def test_printing_keeps_every_length(text: str, extra: list[str]) -> None:
    surfacer = Surfacer(read_source(text), CASER)
    words = [word for word in normalize(text) + extra if surfacer.printable(word)]
    expected = detokenize(words)
    printed = surfacer.headline(words)
    assert len(printed) == len(expected) and len(printed.encode()) == len(expected.encode())
    costs = [added_length(left, word) for left, word in zip(["", *words], words, strict=False)]
    assert sum(size for _, size in costs) == len(printed.encode())


@given(st.text(st.characters(codec=None)), st.lists(st.text(st.characters(codec=None), min_size=1), max_size=5))
def test_nothing_crashes(text: str, words: list[str]) -> None:
    surfacer = Surfacer(read_source(text), CASER)
    assert isinstance(surfacer.headline(words, [[0.5]] * len(words)), str)
    assert surfacer.headline(normalize(text)).encode("utf-8").decode("utf-8").count("\n") == 0


def test_capitals() -> None:
    assert capitalized(["``", "élan", "vital"]) == ["``", "Élan", "vital"]
    assert capitalized(["ßa"]) == ["ßa"] and capitalized(["www.example.org"]) == ["www.example.org"]
    assert capitalized([]) == [] and capitalized(["--"]) == ["--"]
    assert capitalized(["5", "dead"]) == ["5", "dead"]
    assert capitalized(["why", "?", "``", "no", "''", "reason"]) == ["Why", "?", "``", "No", "''", "reason"]
    assert capitalized(["-lrb-", "so", "-rrb-"]) == ["-lrb-", "So", "-rrb-"]


def test_a_month_the_input_does_not_name_is_the_everyday_word() -> None:
    source = read_source("Thousands of protesters marched through Lund on Sunday.")
    truecaser = Truecaser({"march": "March", "may": "May", "lund": "Lund"})
    assert (
        Surfacer(source, truecaser).headline(["thousands", "march", "through", "lund"])
        == "Thousands march through Lund"
    )


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("the firm 's owner -lrb- who ca n't pay -rrb- left .", "the firm's owner (who can't pay) left."),
        ("`` no , thanks , '' he said", '"no, thanks," he said'),
        ("Nothing to mend: it's fine.", "Nothing to mend: it's fine."),
        ("It cost $ 5 , she said", "It cost $5, she said"),
    ],
)
def test_tokenised_text_is_put_together_and_other_text_is_not_touched(tokens, text):
    assert is_tokenized(tokens) == (tokens != text)
    assert not is_tokenized(tokens) or detokenize(tokens.split()) == text
