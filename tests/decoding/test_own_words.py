"""Headlines of the lead's own words: they fit every limit, invent nothing, and end where a phrase ends."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.choice import invented_frame, is_message
from hedline.decoding.options import DecodeOptions
from hedline.decoding.own_words import (
    ends_elsewhere,
    ends_in_adjective,
    ends_in_new_word,
    is_whole,
    longest_word,
    own_words,
    takes_place,
    zigzags,
)
from hedline.text.meaning import read_words

LEAD = 'The harbour board of Brindle Cove said on Monday that "the old pier is safe", although rust was found below it.'
WORDS = [word.strip('",.') for word in LEAD.split()]


@pytest.mark.parametrize(
    "limits", [{"words": 5}, {"bytes": 40}, {"chars": 25}, {"words": 12, "bytes": 30}, {"exact_words": 7}, {}]
)
def test_every_beginning_fits_and_says_what_the_lead_says(limits: dict) -> None:
    options = DecodeOptions(**limits)
    found = list(own_words(LEAD, WORDS, options))
    assert found
    for each in found:
        assert len(each.text.split()) <= (options.words or options.exact_words or 99)
        assert len(each.text.encode()) <= (options.bytes or 999) and len(each.text) <= (options.chars or 999)
        bare, whole = (re.sub(r'[",]', "", text.lower()) for text in (each.text, LEAD))
        assert whole.startswith(bare)
        assert each.alignment.shape == (len(each.tokens), len(WORDS))
        assert (each.alignment.argmax(axis=1) == range(len(each.tokens))).all()


def test_the_best_one_ends_with_a_phrase_and_has_no_lone_quotation_mark() -> None:
    best = next(own_words(LEAD, WORDS, DecodeOptions(words=14)))
    assert best.text.split()[-1].lower() not in {"of", "on", "that", "the"}
    assert all(each.text.count('"') % 2 == 0 for each in own_words(LEAD, WORDS, DecodeOptions()))


def test_whole_beginnings_end_with_a_clause() -> None:
    lead = "Rescuers searched the slope for Rep. Lena Holm on Monday, police said in a note to the family of the skier."
    whole = {each.text for each in own_words(lead, lead.split(), DecodeOptions(), whole=True)}
    assert whole == {"Rescuers searched the slope for Rep. Lena Holm on Monday", lead[:-1]}
    assert len(list(own_words(lead, lead.split(), DecodeOptions()))) > 2


@pytest.mark.parametrize("opening", ["Following", "Despite", "With"])
def test_a_headline_does_not_stop_before_its_main_clause(opening: str) -> None:
    lead = f"{opening} a long quarrel that was settled in court last spring, the brothers opened a bakery."
    assert "bakery" in next(own_words(lead, lead.split(), DecodeOptions())).text


@pytest.mark.parametrize(
    "lead",
    [
        "Unless a baker is found by the spring, and two have already said no, the mill in Lund will close.",
        "Of the nine ferries ordered by the islands in June, the mill in Lund will close only two.",
    ],
)
def test_a_setting_goes_on_to_what_is_said(lead: str) -> None:
    said = [each.text for each in own_words(lead, lead.split(), DecodeOptions(), whole=True)]
    assert said and "will close" in said[0]


def test_a_headline_does_not_stop_in_an_aside() -> None:
    lead = (
        'Veteran actor Lena Holm, best known for the long-running series "Harbour Lights" on the radio, has died at 91.'
    )
    assert "died" in next(own_words(lead, lead.split(), DecodeOptions())).text
    lead = "In Lund, the old mill of the family burned down, and nobody was hurt in the fire that night."
    assert (
        next(own_words(lead, lead.split(), DecodeOptions())).text == "In Lund, the old mill of the family burned down"
    )


def test_an_exact_length_that_the_lead_does_not_have_is_missed_openly() -> None:
    (only,) = own_words("Mayor quits", ["Mayor", "quits"], DecodeOptions(exact_words=5))
    assert only.text == "Mayor quits" and only.short == 3


def test_where_no_beginning_fits_a_name_or_content_word_does() -> None:
    options = DecodeOptions(chars=8)
    assert [each.text for each in longest_word(LEAD, WORDS, options)] == ["Brindle"]
    assert longest_word("It is 5 or 6.", ["It", "is"], options) == []
    lead = "On Wednesday the board of Lund closed the pier."
    assert [each.text for each in longest_word(lead, lead.split(), DecodeOptions(chars=9))] == ["Lund"]
    assert [each.text for each in longest_word(LEAD, WORDS, DecodeOptions(exact_words=2))] == ["Brindle Cove"]


def test_a_headline_of_few_letters_has_whole_words_in_any_form() -> None:
    assert is_whole("Rust found", LEAD) and is_whole("Board says", LEAD.replace("said", "says"))
    assert is_whole("Cove finds", LEAD.replace("was found", "was finding"))
    assert not is_whole("Brindle'", LEAD) and not is_whole("Brin", LEAD) and not is_whole("of the", LEAD)


@pytest.mark.parametrize(
    "lead",
    [
        "The export button does nothing in Safari when the cart holds ten articles.",
        "Printer in Porto jams on every duplex job, single-sided printing works fine.",
        "After upgrading Kettle from 2 to 3 the nightly job fails with an unknown code.",
        "To whom it may concern, I wish to cancel my subscription at the end of May.",
        "We are looking for an experienced plumber who will mend the baths of Lund.",
        "Just a heads-up that the certificates of Lund expire on Friday and everybody has to install new ones.",
        "Drop Kettle 3.8 support, since it reached the end of its life in Lund.",
    ],
)
def test_tickets_and_letters_are_messages_that_nobody_asks_about(lead: str) -> None:
    assert is_message(lead)
    assert invented_frame("How to use the export button", lead)
    assert invented_frame("Does nothing in Safari?", lead) == ["?"]
    assert invented_frame("All the carts you can hold", lead) == ["you"]


def test_news_of_failures_is_no_message() -> None:
    assert not is_message("Thousands in Lund could not log in after the update to the bank's app, the bank said.")
    assert not is_message("The talks between Lund and Porto failed after a week, and no new date was set.")


@given(st.text(st.sampled_from("ab ,.\"'-5é"), max_size=40), st.integers(1, 6))
def test_no_text_breaks_it(lead: str, words: int) -> None:
    for each in own_words(lead, lead.split(), DecodeOptions(words=words)):
        assert 1 <= len(each.text.split()) <= words


def test_a_headline_that_goes_on_and_back_zigzags() -> None:
    lead = "A jury found Carol Holm not guilty of taking bribes from a firm that renovated schools."
    assert zigzags("Jury finds Carol renovated not guilty of taking bribes", lead)
    assert not zigzags("Carol Holm not guilty of taking bribes, jury finds", lead)


def test_a_headline_does_not_end_before_the_noun_of_a_phrase() -> None:
    lead = read_words(
        "A man was hit in front of horrified onlookers, accused of emotional abuse and left in hospital care."
    )
    for wrong in ("Man hit in front of horrified", "Man accused of emotional"):
        assert ends_in_adjective(read_words(wrong), lead)
    for right in ("Man hit in front of horrified onlookers", "Man accused of emotional abuse", "Man left in hospital"):
        assert not ends_in_adjective(read_words(right), lead)


def test_a_headline_does_not_end_in_a_day_without_its_month() -> None:
    lead = "Der Preis fällt am Mittwoch, und er steigt zum 1. Januar auf 12 Euro, sagte der Rat."
    assert not any(
        each.text.endswith(" 1") for each in list(own_words(lead, lead.split(), DecodeOptions(words=10)))[:3]
    )


def test_as_ends_a_clause_only_before_a_subject() -> None:
    lead = "Our client in Lyon reports that all of the invoices open as blank pages on most tablets since Monday"
    best = next(own_words(lead, lead.split(), DecodeOptions()))
    assert not best.text.endswith("open")
    lead = "The mayor of Lund closed the old harbour bridge on Monday as the river rose by two metres overnight"
    assert next(own_words(lead, lead.split(), DecodeOptions())).text.endswith("on Monday")
    lead = "Not a single train left the central station in Brussels on Friday as rail workers began a long strike"
    assert next(own_words(lead, lead.split(), DecodeOptions())).text.endswith("on Friday")


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("Lund votes to close bridge collapse", "Lund voted on Monday to close the bridge.", True),
        ("Lund votes to close bridge", "Lund voted on Monday to close the bridge.", False),
        ("Lund votes on closure", "Lund voted on Monday to close the bridge.", False),  # nearly a word of the lead
        ("Lund to close bridge, mayor says", "The mayor of Lund will close the bridge, he announced.", False),
        ("How Lund closed a bridge forever", "Lund voted on Monday to close the bridge.", False),
        # Of a long lead much is said in other words.
        ("Lund shuts bridge", "Lund voted on Monday to close the span over the old canal for six weeks in May.", False),
        ("Mayor of Lund quits", "The mayor of Lund resigned on Monday.", False),  # its verb
        ("This lamp is on", "Read with this lamp by your side.", True),
        ("This lamp is on", "This lamp is on.", False),
    ],
)  # fmt: skip
def test_a_headline_of_a_short_lead_ends_with_its_words(headline: str, lead: str, expected: bool) -> None:
    assert ends_in_new_word(read_words(headline), read_words(lead)) is expected


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        (
            "Maker recalls vans over sensor fault in crash",
            "The maker recalls vans because a sensor fault could stop the belts from locking in a crash.",
            True,
        ),
        (
            "Holm warns pupils after child with flu",
            "Holm warned pupils after a child who sang was diagnosed with flu.",
            True,
        ),
        # Only the verb beside the noun is left out.
        ("Holm charged with crimes in Lund", "Holm was charged with crimes committed in Lund.", False),
        ("Lena Holm named as mayor", "Lena Holm was named to serve as mayor.", False),
        ("Boat sinks in the harbour", "A boat that carried sand sank in the harbour.", False),
    ],
)  # fmt: skip
def test_the_last_phrase_stays_with_its_verb(headline: str, lead: str, expected: bool) -> None:
    assert ends_elsewhere(read_words(headline), read_words(lead)) is expected


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("Fire forces people from homes in Lund", "A fire forced people from homes in the hills above Lund.", True),
        ("Crews bring fire to the Lund", "Crews brought a fire near the old Lund under control.", True),
        ("Fire in hills above Lund", "A fire burned in the hills above Lund.", False),
        ("Shots in Lund", "Shots were heard in and outside Lund.", False),
        ("Fire in Lund", "A fire near Lund reached Lund.", False),  # which of them is open
    ],
)
def test_near_a_place_is_not_in_it(headline: str, lead: str, expected: bool) -> None:
    assert takes_place(read_words(headline), read_words(lead)) is expected
