"""Headlines of the lead's own words: they fit every limit, invent nothing, and end where a phrase ends."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.options import DecodeOptions
from hedline.decoding.own_words import longest_word, own_words

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
