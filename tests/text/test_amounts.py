"""Numbers and shares that belong to something else in the lead: each wrong headline beside a true one close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn

DRONES = "The army shot down 48 kites launched from the coast, most of them over Tartu."
LOCKS = "Of the 90 locks checked since May, 12 must be shut and 30 need paint."
COLD = "Turku was warmer than Rome for the first time since records began in 1871."
TRIAL = "Masks are safe for singers, according to a study of 300 choirs."
GULLS = "Fewer gulls nest in Bergen than in Oslo."
BAKERS = "Two in five bakers have thought about leaving and one in nine has applied for other work."
OWNERS = "Owners may not raise rents more than once a year, the town said."
RENTS = "The rise of rents slowed from 9 percent in March to 4 percent in June."
LAMP = "The arm carries up to 70 grams and turns by 70 degrees."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (DRONES, "Army downs 48 kites over Tartu", "Army downs 48 kites, most of them over Tartu"),
        (LOCKS, "12 90 locks must be shut", "12 of 90 locks must be shut"),
        (LOCKS, "90 locks must be shut", "12 of the 90 locks must be shut"),
        (LOCKS, "Locks checked must be shut", "12 locks must be shut"),
        (LOCKS, "12-year-old locks must be shut", "12 of 90 locks must be shut"),
        (COLD, "Turku warmer than Rome for first time in 1871", "Turku warmer than Rome for first time since 1871"),
        (TRIAL, "Study finds 300 choirs safe", "Study of 300 choirs finds masks safe"),
        (GULLS, "Gulls nest in Bergen than in Oslo", "Fewer gulls nest in Bergen than in Oslo"),
        (BAKERS, "Two in five bakers want other work", "Two in five bakers have thought about leaving"),
        (LAMP, "Arm turns by up to 70 degrees", "Arm carries up to 70 grams"),
        ("Of 40 buoys the ship saw, it hit 3.", "Over 40 buoys hit", "Ship hit 3 of 40 buoys"),
        (OWNERS, "Owners may not raise rents", "Owners may not raise rents more than once a year"),
        ("It rose half as much as in May.", "It rose half as much in May", "It rose half as much as in May"),
        (RENTS, "Rents slow to 4 percent in March", "Rents slow to 4 percent in June"),
        ("It ends if fewer than 90 percent of members pay.", "It ends if members pay", "It ends if fewer than 90 pay"),
        ("The ship hit 40 buoys over two days.", "Ship hit over 40 buoys", "Ship hit 40 buoys"),
    ],
)
def test_a_number_stays_with_what_it_counts(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead, firm=True)
    assert torn(right, lead, firm=True) == []


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("Mia Lund, 34, has won the race.", "34-year-old wins race"),
        ("Nine people died and 20 were hurt when a stage fell in Riga.", "Nine dead as stage falls in Riga"),
        ("The fair opens on May 3, 2025.", "Fair opens on May 3 2025"),
        ("More than 40 buoys were hit.", "Over 40 buoys hit"),
        ("The bank has lent money since 1990.", "Bank has lent money"),
    ],
)
def test_numbers_in_another_form_are_not_refused(lead: str, headline: str) -> None:
    assert torn(headline, lead, firm=True) == []
