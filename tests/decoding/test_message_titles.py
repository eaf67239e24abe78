"""Titles of texts that are no news: of their own words, one whole thought, within every limit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedline
from hedline.decoding.message_titles import NO_NEWS, message_title
from hedline.decoding.options import DecodeOptions

TITLES = {
    # The main clause comes first, what only says when follows.
    "When I open the archive from the menu, the viewer closes and I have to log in again.": (
        "Viewer closes when I open the archive from the menu"
    ),
    # What went wrong, not how it began.
    "I ordered two lamps in May. One of them never arrived. Please send it again.": "One of them never arrived",
    # What a paper is about, without "we".
    "Ferries are slow. In this paper we present a timetable for ferries that wait for trains.": (
        "A timetable for ferries that wait for trains"
    ),
    "Background: Naps are common. Methods: We asked 40 sailors. Results: Naps did not make sailors slower.": (
        "Naps did not make sailors slower"
    ),
    # What was decided.
    "The choir met in the hall. It was decided that rehearsals begin at eight.": "Rehearsals begin at eight",
    # What a change does; why it was made is left out.
    "Fix a leak in the parser that kept every closed file in memory, which slowed down builds on machines with"
    " little of it.": "Fix a leak in the parser that kept every closed file in memory",
    "Could you please send the keys of the boathouse to Lund? We need them on Friday.": (
        "Send the keys of the boathouse to Lund"
    ),
    "We are looking for an experienced baker to join our team in Lund. You start at four.": (
        "Experienced baker to join our team in Lund"
    ),
    "Notice is hereby given that the ferry to Lund will not run between 6 a.m. and 9 a.m.": (
        "Ferry to Lund will not run between 6 a.m. and 9 a.m."
    ),
}  # fmt: skip


@pytest.mark.parametrize("lead", TITLES)
def test_a_title_is_one_whole_thought_of_the_text(lead: str) -> None:
    (title,) = message_title(lead, lead.split(), DecodeOptions())
    assert title.text == TITLES[lead]
    known = {re.sub(r"\W", "", word.lower()) for word in lead.split()}
    assert {re.sub(r"\W", "", word.lower()) for word in title.tokens} <= known


def test_a_cut_keeps_what_the_sentence_turns_on() -> None:
    lead = (
        "We would like to inform you that the deposit of every member of the rowing club in Lund is paid back in "
        "June unless the boathouse has to be mended."
    )
    (title,) = message_title(lead, lead.split(), DecodeOptions())
    assert "unless" in title.text


def test_limits_hold_and_compression_keeps_the_order() -> None:
    lead = next(iter(TITLES))
    (title,) = message_title(lead, lead.split(), DecodeOptions(words=6))
    assert len(title.text.split()) <= 6
    (title,) = message_title(lead, lead.split(), DecodeOptions(mode="compressive"))
    assert title.text.startswith("When I open")
    assert message_title(lead, lead.split(), DecodeOptions(exact_words=7)) == []


@given(st.text(st.sampled_from("Iwe pls,.\"'-(5é?:"), max_size=60), st.integers(1, 9))
def test_no_text_breaks_it(lead: str, words: int) -> None:
    for each in message_title(lead, lead.split(), DecodeOptions(words=words), letter=True):
        assert 2 < len(each.text.split()) <= words


def test_the_shipped_models_say_that_it_is_no_news() -> None:
    lead = next(iter(TITLES))
    summarizer = hedline.load("default")
    (found,) = summarizer.summarize([lead], nbest=3)
    assert found.text == TITLES[lead] and found.notes == (NO_NEWS,)
    assert len(found.nbest) == 3 and len({each.text for each in found.nbest}) == 3
    (plain,) = summarizer.summarize([lead], guard_meaning=False)
    assert NO_NEWS not in plain.notes


def test_a_greeting_makes_a_letter() -> None:
    (found,) = hedline.load("default").summarize(
        ["Hello everyone, the ferry to Lund leaves an hour later from May on."]
    )
    assert found.text == "Ferry to Lund leaves an hour later from May on" and found.notes == (NO_NEWS,)
