"""Headlines of the lead's own words: they fit every limit, invent nothing, and end where a phrase ends."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.options import DecodeOptions
from hedline.decoding.own_words import ends_in_adjective, longest_word, own_words, without_names, zigzags
from hedline.decoding.summary import Hypothesis
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


def test_an_exact_length_that_the_lead_does_not_have_is_missed_openly() -> None:
    (only,) = own_words("Mayor quits", ["Mayor", "quits"], DecodeOptions(exact_words=5))
    assert only.text == "Mayor quits" and only.short == 3


def test_where_no_beginning_fits_a_name_or_content_word_does() -> None:
    options = DecodeOptions(chars=8)
    assert [each.text for each in longest_word(LEAD, WORDS, options)] == ["Brindle"]
    assert longest_word("It is 5 or 6.", ["It", "is"], options) == []


@given(st.text(st.sampled_from("ab ,.\"'-5é"), max_size=40), st.integers(1, 6))
def test_no_text_breaks_it(lead: str, words: int) -> None:
    for each in own_words(lead, lead.split(), DecodeOptions(words=words)):
        assert 1 <= len(each.text.split()) <= words


CASING = {word.lower(): word for word in ("Frank", "Oslo", "Norway", "Donna", "Acme", "Holm")}


def candidate(text: str, tokens: tuple[str, ...] = ()) -> Hypothesis:
    tokens = tokens or tuple(text.split())
    alignment = np.arange(2 * len(tokens), dtype=np.float32).reshape(-1, 2)
    return Hypothesis(text, -1.0, tokens, {"log_prob": -1.0}, alignment, (True,) * len(tokens), -1.0)


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("Frank Holm is out of the race", "Holm was out of the race.", "Holm is out of the race"),
        ("Minutes of Donna Holm are lost again", "In Lund, Holm lost minutes again.", "Minutes of Holm are lost again"),
        ("NYT court says it has no case", "The court has no case, it said.", "Court says it has no case"),
        ("Norway's top banker quits over debts", "The top banker quit over debts.", "Top banker quits over debts"),
        (
            "Norway: Study lists old mills and mines",
            "A study lists old mills and mines.",
            "Study lists old mills and mines",
        ),
        ("Man held soon after fire in Oslo", "A man was held soon after a fire.", "Man held soon after fire"),
        ("Man is held after the fire in the UK", "A man was held after the fire.", "Man is held after the fire"),
    ],
)
def test_a_name_that_only_says_more_is_left_out(headline: str, lead: str, expected: str) -> None:
    found = without_names(candidate(headline), lead, CASING).read()
    assert (found.text, found.tokens) == (expected, tuple(expected.split()))
    assert len(found.alignment) == len(found.known) == len(found.tokens)


@pytest.mark.parametrize(
    ("headline", "lead"),
    [
        ("Holm is out of the race", "Holm was out of the race."),  # nothing to leave out
        ("Norway plans a tunnel under the fjord", "The plans for a tunnel under the fjord are old."),
        ("Norway is out of the race again", "It was out of the race again."),
        ("An NYT court says it has no case", "The court has no case, it said."),
        ("Lund Bank CEO Holm quits over debts", "Holm of Lund Bank quit over debts."),
        ("They sold the old mill to Acme Telephone", "They sold the old mill to American Telephone."),
        ("Minister said to have lost to Norway", "The minister is said to have lost."),
        ("Frank Holm is out", "Holm was out of the race."),  # a crumb would be left
        ("The old Frank, Holm is out of the race", "The old Holm was out of the race."),
        ("Holm Quixotes court over the race again", "Holm took the court to task over the race again."),
    ],
)
def test_a_name_that_says_who_or_may_be_a_verb_stays_for_the_guard(headline: str, lead: str) -> None:
    whole = candidate(headline)
    assert without_names(whole, lead, CASING) is whole


def test_tokens_that_are_parts_of_words_go_with_their_name() -> None:
    tokens = ("Acme", "'s", "old", "mill", ",", "it", "says", ",", "is", "lost")
    found = without_names(
        candidate("Acme's old mill, it says, is lost", tokens), "The old mill is lost.", CASING
    ).read()
    assert found.text == "Old mill, it says, is lost"
    assert found.tokens == ("Old", *tokens[3:])
    assert found.alignment[0, 0] == 4.0  # the row of "old"


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
