"""Shares of a group: a headline that stops before their verb is told from one that has it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn
from hedline.text.meaning import lost_polarity

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
    assert torn(wrong, lead, careful=False)
    assert torn(right, lead, careful=False) == []


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
    assert torn(headline, lead, careful=False) == []


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
