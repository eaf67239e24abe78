"""Which texts are no news: what people write to each other, note, offer and give notice of; nothing that news says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedline
from hedline.decoding.choice import is_message
from hedline.decoding.messages import NO_NEWS, is_no_news, message_title
from hedline.decoding.options import DecodeOptions


@pytest.mark.parametrize(
    "text",
    [
        "The oven arrived with a broken door. I want my money back.",
        "Settings page: the save button is missing for guests.",
        "Customers cannot upload more than one picture of a boat.",
        "This canvas bag has two pockets and comes with a strap.",
        "Melt the butter and stir in the flour.",
        "Background: Few sailors sleep well. Methods: We asked forty of them.",
        "fix(parser): keep the last line of a file without a newline",
        "At today's meeting the board chose a new cook.",
        "The tenant shall keep the stairs clean at all times.",
        "We ate here twice. The soup was cold and the waiter rude.",
        "Part-time gardener wanted for a small park in Lund.",
        "A slow start, but the end is impossible to put down. Lovers of boats will not regret it.",
        "These baked chickpeas are a cheap snack. Toss them in oil.",  # several sentences that name nothing
        "Residents are informed that Oak Lane will be closed in May.",
        "This notice explains how the club uses the keys of its members.",
        "This thesis examines how ferries and trains wait for each other.",
    ],
)
def test_texts_of_other_kinds_are_no_news(text: str) -> None:
    assert is_no_news(text)


@pytest.mark.parametrize(
    "lead",
    [
        "The mayor of Lund resigned on Monday. Her deputy takes over.",
        "Police said the app of the bank was down for hours. Customers could not log in.",
        "Lund opened a new bridge after ten years of work, and thousands came to see it.",
        "“I never saw my money again,” a customer of the bank in Lund told reporters. The bank denies it.",
        "Users of the ferry app have complained for years, a survey says. The operator wants to mend it.",
        "Customers have been asked to return kettles that can catch fire, the maker of Lund announced.",
        "Remove the tax on boats, Lena Holm told ministers, or lose the harbour.",
        "A great week for our team … The post Lund wins again appeared first on Lund Herald.",
    ],
)
def test_news_is_left_to_the_model(lead: str) -> None:
    assert not is_no_news(lead)
    assert message_title(lead, lead.split(), DecodeOptions()) == []


def test_more_texts_than_the_guards_are_sure_of() -> None:
    review = "We ate here twice. The soup was cold and the waiter rude."
    assert is_no_news(review) and not is_message(review)


def test_steps_are_told_to_nobody_by_name() -> None:
    assert is_no_news("Open the lid and pour the water in.")
    assert not is_no_news("Open the gates, Mayor Lena Holm demanded.")


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
    "Naps are a riddle. In a trial with 1,100 sailors, we found that naps made all of them quicker.": (
        "Naps made all of them quicker"
    ),
    "I am writing to request a key of the boathouse. My number is 12.": "Request a key of the boathouse",
    "Team, we have a new kettle in the hall. Please switch it off.": "We have a new kettle in the hall",
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
