"""Who did what to whom: rules that find a fault in some headline, and none in the lead's own words."""

from __future__ import annotations

import pytest

from hedline.text.lead_words import laid_on, read_words
from hedline.text.relations import RELATIONS, TURNED_RELATIONS

LEADS = [
    "Hackers believed to be working for North Korea stole emails from a Japanese rocket maker.",
    "The mill was sued by the Lund Post over its smoke.",
    "Two hostages were freed after talks led by Qatar.",
    "The coach of Ghana, whose rival won, was dismissed.",
]


@pytest.mark.parametrize("rule", RELATIONS, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("lead", LEADS)
def test_the_leads_own_sentence_breaks_no_rule(rule, lead: str) -> None:
    told = read_words(lead)
    assert list(rule(told, told, laid_on(told, told))) == []


def test_turned_sentences_are_found_by_the_rules_that_turn_meaning() -> None:
    lead, headline = read_words(LEADS[1]), read_words("Mill sues Lund Post")
    places = laid_on(headline, lead)
    assert [fault for rule in TURNED_RELATIONS for fault in rule(headline, lead, places)]
    assert set(TURNED_RELATIONS) <= set(RELATIONS)
