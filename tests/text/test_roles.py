"""Who does what to whom: each wrong headline beside a true one close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn
from hedline.text.meaning import laid_on, read_words
from hedline.text.roles import _whom

RIDER = "The rider struck by a van that was being followed by customs officers in Hull has lost a leg."
MILL = "The spinning mill will be bought up by its younger rival Tarn for 3 million crowns."
BACK = "The full-back was left out of the team for Sunday's tie against Lens."
TAX = "The premier ruled out raising the beer tax before the next election."
NURSE = "The nurse whom the ward had dismissed for a joke won 9,000 euros in court."
MATCH = "Lind knocked out the second seed Berg in the third round of the Oslo Open."
BACKUP = "The striker has yet to score for Ferrara, who paid Pisa nine million euros for him."
SPY = "Auditors are looking into whether the envoy took money from a shipyard."
CUP = "Lind beat Berg, who had beaten him in May, in the final."
COOK = "The cook, whom the paper had paid for the recipe, must return the money."
JOBS = "Few of the guests have jobs, although nearly half speak the language."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (RIDER, "Rider struck by customs officers loses leg", "Rider struck by van loses leg"),
        (MILL, "Tarn to be bought up by rival", "Mill to be bought up by rival Tarn"),
        (MILL, "Mill to buy up by rival Tarn", "Mill to be bought up by Tarn"),
        (BACK, "Lens full-back left out", "Full-back left out of team for tie against Lens"),
        (TAX, "Premier rules out raising next election", "Premier rules out raising beer tax before next election"),
        (NURSE, "Nurse who dismissed for joke won 9,000 euros", "Nurse dismissed for joke won 9,000 euros"),
        (MATCH, "Lind knocked out by Berg in Oslo", "Lind knocked out Berg in Oslo"),
        (MATCH, "Lind knocked out the Oslo Open", "Lind knocked out the second seed in the Oslo Open"),
        (BACKUP, "Ferrara striker has yet to score for Pisa", "Striker has yet to score for Ferrara"),
        (SPY, "Auditors probe money to shipyard", "Auditors probe money from shipyard"),
        (
            "The court dismissed a plea by Chad against a tax.",
            "Court dismisses Chad's tax",
            "Court dismisses plea by Chad",
        ),
        ("Lund sold the goalkeeper to Rome.", "Lund sold to Rome", "Lund sold goalkeeper to Rome"),
        (CUP, "Berg beats Lind in May", "Lind beats Berg in final"),
        (COOK, "Cook has paid for recipe", "Cook paid for recipe must return money"),
        (JOBS, "Few guests have jobs in the language", "Few guests have jobs"),
    ],
)
def test_everyone_does_what_he_does_in_the_lead(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


def test_a_headline_that_begins_with_the_verb_after_whom_is_read_too() -> None:
    said, told = (
        read_words("Fired for criticising its hygiene"),
        read_words("The doctor whom the clinic had fired for criticising its hygiene was awarded 90,000 pounds."),
    )
    assert not list(_whom(said, told, laid_on(said, told)))
