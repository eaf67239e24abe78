"""What stands under a condition, an exception, a claim or a denial is not said as if it stood alone."""

from __future__ import annotations

import pytest

from hedline.text.doubts import RULES
from hedline.text.meaning import laid_on, read_words
from hedline.text.polarity_words import DOUBTS

MASK = "The museum never saw the gold mask that police believe was stolen in Oslo."
COATS = "A law that would have banned fur coats fell by two votes."
TRIAL = "The trial of the banker, due to begin in Lund on Monday, has been moved to Oslo."
STRIKE = "Drivers will strike unless managers dropped a plan to cut pay."
TREATY = "The Senate will back the treaty provided that farmers are paid."
MILL = "The mill will not be sold as long as the family holds the shares, the heir said."
RACE = "Even if she wins the race in Assen, the Swede cannot overtake the leader this year."
POOL = "The pool is open daily except Friday in winter, the town said."
MART = "The mart will shut unless demand for old toys rises to 90, he said."
DRIVERS = "Drivers will strike unless the mine hires 30 guards, a union said."

PAIRS = [
    ("If the dam breaks, the village will be lost.", "Dam breaks, village lost", "Village lost if dam breaks"),
    ("The mayor hinted that the lake was safe again.", "Lake was safe again", "Mayor hinted lake was safe"),
    ("It is shut except on Mondays and feasts.", "It is shut except on feasts", "It is shut most days"),
    ("Holm stole a car, a blog said; he denied it.", "Holm stole car again", "Holm denied it"),
    ("Holm stole two old cars, his brother said.", "Holm stole two old cars", "Holm stole cars, brother said"),
    ("Holm need not pay the fine.", "Holm must not pay fine", "Holm need not pay fine"),
    ("Neither snow nor ice delayed trains.", "Snow nor ice delayed trains", "Neither snow nor ice delayed trains"),
    (MASK, "Museum never saw mask stolen in Oslo", "Museum never saw mask police believe was stolen"),
    (COATS, "Law that would ban fur coats", "Law that would have banned fur coats is voted down"),
    (TRIAL, "Trial of banker to begin in Lund on Monday", "Trial of banker moved to Oslo"),
    (STRIKE, "Drivers to strike unless managers cut pay", "Drivers to strike unless managers drop plan to cut pay"),
    (MILL, "Mill not sold as long as family, heir says", "Mill not sold as long as family holds shares"),
    (RACE, "Swede cannot overtake leader in Assen", "Even if she wins in Assen, Swede cannot overtake leader"),
    ("No week passes without a theft.", "No theft in week", "No week passes without theft"),
    (MART, "Mart to shut unless old toys rise to 90", "Mart to shut unless demand for old toys rises"),
    (DRIVERS, "Drivers to strike unless mine", "Drivers to strike unless mine hires 30 guards"),
    ("It is open apart from Sunday and Easter.", "Open apart from Easter", "Open apart from Sunday and Easter"),
    (POOL, "Pool open daily except in winter", "Pool open daily except Friday"),
    (TREATY, "Senate to back treaty provided farmers pay", "Senate to back treaty provided farmers are paid"),
]


def faults(headline: str, lead: str) -> list[str]:
    said, told = read_words(headline), read_words(lead)
    return [fault for rule in RULES for fault in rule(said, told, laid_on(said, told))]


@pytest.mark.parametrize(("lead", "wrong", "right"), PAIRS)
def test_a_doubt_is_kept(lead: str, wrong: str, right: str) -> None:
    assert faults(wrong, lead)
    assert faults(right, lead) == []


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("Oslo has argued that the new permits are not valid.", "New permits not valid: Oslo"),
        ("Ada Holm expressed hope that the port will reopen soon.", "Ada Holm hopes port will reopen soon"),
        ("If you scoffed at the Brio tablet, you should try it again.", "Scoffed at Brio tablet"),
        ("The bishop's son has provided a health update.", "Bishop's son gives health update"),
        ("Peru has joined the scheme, according to a blog post from the bank.", "Peru has joined the scheme"),
    ],
)
def test_what_is_no_doubt_needs_no_word(lead: str, headline: str) -> None:
    assert faults(headline, lead) == []


@pytest.mark.parametrize("lead", [lead for lead, _, _ in PAIRS])
def test_every_lead_with_a_doubt_is_looked_at(lead: str) -> None:
    assert not DOUBTS.isdisjoint(read_words(lead).lower)
