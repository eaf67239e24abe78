"""Subordinate clauses and shares of a group: each wrong headline is told from a true one that is close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn
from hedline.text.meaning import lost_polarity
from hedline.text.statements import wrong_relations

WITNESS = "A witness refused to name the officer who she says ordered her to lie, saying that she feared for her life."
PIANIST = "Pianist Ilse Brandt, who died on Sunday at the age of 97, gave her last concert in May."
BEAR = "Wildlife officers shot the wrong bear; the animal that attacked a hiker has not been caught."
DRIVER = "A driver was attacked by a man whom he had asked to pay."
POET = "The poet, whose son was arrested in May, has fled to Peru."
LOAN = "The city will lend the airline 40 million euros provided its owner puts in the same amount."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (WITNESS, "Witness refuses to name officer who ordered her to lie", "Witness refuses to name officer"),
        (WITNESS, "Witness refuses to name officer who feared for life", "Witness says she feared for her life"),
        (PIANIST, "The age of 97 gave her last concert", "Ilse Brandt gave her last concert"),
        (BEAR, "Officers shot wrong bear that attacked a hiker", "Officers shot the wrong bear"),
        (DRIVER, "Driver attacked by man who asked to pay", "Driver attacked by man"),
        (POET, "Poet flees after arrest", "Poet whose son was arrested flees"),
        (LOAN, "40 million euros provided owner puts in same amount", "City to lend 40 million euros"),
    ],
)
def test_a_clause_belongs_to_its_noun(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


def test_the_object_of_an_aside_is_no_subject() -> None:
    lead = "The lakes that supply the capital will be empty by August."
    assert wrong_relations("The capital will be empty by August", lead)
    assert wrong_relations("Lakes will be empty by August", lead) == []


SAILORS = "Only two of the nine sailors rescued by a trawler off Iceland spoke English, the coast guard said."
COINS = "A farmer has returned all the coins stolen in the June burglary except the oldest, the museum said."
NURSES = "About half of the 300 nurses sent to Lund in March will stay there until June, the hospital said."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (
            SAILORS,
            "Only two of nine sailors rescued by trawler",
            "Only two of nine sailors rescued by trawler spoke English",
        ),
        (NURSES, "About half of 300 nurses sent to Lund", "About half of 300 nurses sent to Lund will stay"),
        (NURSES, "About half of 300 nurses sent to Lund, hospital says", "Half of 300 nurses sent to Lund to stay"),
        (COINS, "All coins stolen in burglary except oldest, museum says", "All coins stolen except oldest returned"),
        (COINS, "All coins stolen in burglary except oldest", "Farmer returned all coins stolen except oldest"),
        (
            "Six of the seven boats seized near the border since April have been sold, officials said.",
            "Six of seven boats seized near border",
            "Six of seven boats seized near border sold",
        ),
    ],
)
def test_a_share_keeps_the_verb_that_says_something_of_it(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("Half of the clerks walked out of the plant on Monday, a union said.", "Half of clerks walked out of plant"),
        ("Three of the four doors opened after a minute, the engineer said.", "Three of four doors opened"),
        (NURSES, "Half of nurses sent to Lund told to stay until June"),
        ("Boats seized near the border have been sold.", "Boats seized near border"),
    ],
)
def test_a_past_tense_is_no_participle_and_other_nouns_are_no_share(lead: str, headline: str) -> None:
    assert torn(headline, lead) == []


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (
            "Snow fell throughout the northern valleys on Monday save for the village of Brekke, forecasters said.",
            "Snow fell throughout northern valleys",
            "Snow fell in northern valleys save for Brekke",
        ),
        (
            "Every bridge over the river save the oldest was closed on Friday.",
            "Every bridge over river closed",
            "Every bridge over river save oldest closed",
        ),
    ],
)
def test_save_for_is_an_exception(lead: str, wrong: str, right: str) -> None:
    assert lost_polarity(lead, wrong)
    assert lost_polarity(lead, right) == ()
    assert lost_polarity(lead, f"{wrong} save")


def test_to_save_for_something_is_none() -> None:
    lead = "Workers across the country will save for their old age under a new law."
    assert lost_polarity(lead, "Workers across country save for old age") == ()
    assert lost_polarity(lead, "Workers to put money aside across country") == ()
