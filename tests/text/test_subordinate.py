"""Subordinate clauses: each wrong headline is told from a true one that is close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn
from hedline.text.statements import wrong_relations

WITNESS = "A witness refused to name the officer who she says ordered her to lie, saying that she feared for her life."
PIANIST = "Pianist Ilse Brandt, who died on Sunday at the age of 97, gave her last concert in May."
BEAR = "Wildlife officers shot the wrong bear; the animal that attacked a hiker has not been caught."
DRIVER = "A driver was attacked by a man whom he had asked to pay."
LOAN = "The city will lend the airline 40 million euros provided its owner puts in the same amount."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (WITNESS, "Witness refuses to name officer who ordered her to lie", "Witness refuses to name officer"),
        (WITNESS, "Witness refuses to name officer who feared for life", "Witness says she feared for her life"),
        (PIANIST, "The age of 97 gave her last concert", "Ilse Brandt gave her last concert"),
        (BEAR, "Officers shot wrong bear that attacked a hiker", "Officers shot the wrong bear"),
        (DRIVER, "Driver attacked by man who asked to pay", "Driver attacked by man"),
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
