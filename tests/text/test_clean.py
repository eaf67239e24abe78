"""A raw text made ready: markup, characters and their places, sentences, language."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedline.text.clean import (
    clean,
    clean_with_offsets,
    first_sentence,
    foreign_language,
    split_sentences,
    strip_markup,
    without_preface,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>The <b>court</b> ruled &amp; left <a href='x'>Vexo</a>.</p>", "The court ruled & left Vexo."),
        ("First line<br/>second <i>l</i>ine", "First line second line"),
        ("**Breaking:** the [mayor](https://lund.example/mayor) quits", "Breaking: the mayor quits"),
        ("<script>alert(1 < 2)</script>Storm<!-- no --> hits", "Storm hits"),
        ("It&#39;s 5 &lt; 6", "It's 5 < 6"),
    ],
)  # fmt: skip
def test_markup_goes(text, expected):
    assert " ".join(strip_markup(text).split()) == expected


@pytest.mark.parametrize(
    "text", ["<unk> of <s>", "a < b and c > d", "AT&T; R&D", "2 ** 3 ** 4", "see [1] (page 2)", "x__y__z", "<Peter>"]
)
def test_what_only_looks_like_it_stays(text):
    assert strip_markup(text) == text


@pytest.mark.parametrize("mark", ["<script>", "<!--", "**a ", "__a", "<a ", "[x](", "<", "&a"])
def test_a_mark_that_is_only_opened_stays_however_often(mark):
    assert strip_markup(mark * 2000) == mark * 2000


@given(st.text("<>/abp&;#*_[]()x h:", max_size=60))
def test_any_text_gives_a_text_no_longer(text):
    assert len(strip_markup(text)) <= len(text)


ANY = st.text(st.characters(codec=None), max_size=60)  # lone surrogates and control characters among them
TRICKY = st.text(
    st.sampled_from("aB éİǅﬁ5٣#.,:;-–—'’“\"`()[]$&@%!?/\u00a0\u200b\u00ad\u0301\ud800\x00\tn t s".replace(" ", "  ")),
    max_size=25,
)


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


# Sentences of each text; joined with a space they are the input.
TEXTS = [
    ["It rained.", "Then it stopped."],
    ["Mr. Brown met Dr. Green and Sen. White.", "They talked."],
    ["J. K. Doe and George W. Roe won.", "Nobody else did."],
    ["U.S. President Doe left the U.S. on Jan. 5.", "He returned."],
    ["He moved to the U.S.", "The rest stayed."],
    ["Acme Inc. sued Apex Corp. over 3.5 million euros.", "It lost."],
    ["It opens at 9 a.m. Monday.", "Bring No. 5 and $2.50."],
    ['"I quit."', "She meant it."],
    ['He said: "Go away!"', '"Why?"', "No answer."],
    ["(It was late.)", "[So it was.]", "Done."],
    ["Wait... what?!", "Yes."],
    ["See https://example.org/a.b?c=d. for more."],
    ["Version 2.0 shipped at example.com today.", "Users cheered."],
    ["Smith vs. Jones is the case, e.g. The Harbour case, says St. John."],
    ["They voted yes.", "5 people disagreed."],
    ["The answer is no.", "Nobody asked."],
    ["So did I.", "They knew."],
    ["“Enough.”", "‘Really?’", "Yes."],
    ["Ms. Roe, Ph.D., spoke.", "All listened…", "No one left."],
    ["no capitals here. nothing to split"],
    ["日本語です。"],
]


@pytest.mark.parametrize("sentences", TEXTS, ids=lambda sentences: sentences[0][:20])
def test_splits(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


@given(st.text(st.characters(codec=None)))
def test_no_text_is_lost(text: str) -> None:
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() and sentence for sentence in sentences)


def test_first_sentence() -> None:
    assert first_sentence("One. Two.") == "One."
    assert first_sentence(" \n") == ""
    assert first_sentence("  The bridge\nfell. Nobody was hurt.") == "The bridge\nfell."


FOREIGN = {
    "German": "Der Stadtrat hat am Montag entschieden, dass die alte Brücke im Hafen bis zum Sommer gesperrt wird.",
    "French": "Le conseil a décidé lundi de fermer le vieux pont du port pour des travaux qui dureront un an.",
    "Spanish": "El consejo de la ciudad decidió el lunes cerrar el puente del puerto para las obras de la primavera.",
    "Italian": "Il consiglio della città ha deciso che il ponte del porto è chiuso per i lavori di primavera.",
    "Dutch": "De raad heeft maandag besloten dat de oude brug in de haven voor het werk wordt gesloten.",
    "Swedish": "Rådet beslutade på måndagen att den gamla bron i hamnen ska stängas för att den är farlig.",
}


@pytest.mark.parametrize("language", FOREIGN)
def test_another_language_is_named(language):
    assert foreign_language(FOREIGN[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "The city council voted on Monday to close the old harbour bridge for repairs.",
        "Le Mans and Los Angeles will host the race, the organisers of El Clasico said.",
        "Fix crash on start.",
        "",
    ],
)
def test_english_and_short_texts_are_not(text):
    assert foreign_language(text) == ""


def test_a_day_with_a_point_ends_no_sentence() -> None:
    text = "Der Preis steigt zum 1. Januar auf 12 Euro. Das gilt bis 31. Oktober."
    assert split_sentences(text) == ["Der Preis steigt zum 1. Januar auf 12 Euro.", "Das gilt bis 31. Oktober."]
    assert split_sentences("The score was 3 to 1. The crowd left.") == ["The score was 3 to 1.", "The crowd left."]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Sehr geehrte Damen und Herren, hiermit kündige ich den Vertrag.", "Hiermit kündige ich den Vertrag."),
        ("To whom it may concern, I wish to cancel my order.", "I wish to cancel my order."),
        ("Just checking in: did you see the budget?", "Did you see the budget?"),
        ("The dear departed, they said, left nothing.", "The dear departed, they said, left nothing."),
    ],
)
def test_a_greeting_is_no_part_of_a_message(text: str, rest: str) -> None:
    assert without_preface(text) == rest


def test_german_with_few_small_words_is_known() -> None:
    assert foreign_language("Die neue App erlaubt es, Termine mit mehreren Leuten gleichzeitig zu planen.") == "German"
