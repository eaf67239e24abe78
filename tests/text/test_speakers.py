"""Who says what: each wrong headline is told from a true one that is close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn

REFUND = "The firm promised to repay every passenger, but consumer groups say that few have received any money."
GRANDMOTHER = "A grandmother swam across the strait years after her doctors told her she would never walk again."
OAKS = "The developer went on felling oaks despite an order to stop work, local residents said."
QUITS = "Charges against the minister were dropped after a witness admitted that he had invented it."
ASHBY = '"I do not intend to leave," said Lord Ashby, whose party had announced it an hour earlier.'
BOMBS = "A man who sent bombs to Oslo was detained, but his lawyer says he cannot write."
VIDEO = "A video that claims to show officers burning ballots is false, election monitors said."

RIFLES = "Rifles were sold to a gang in Ribe, the Danish army said."
COMET = "The comet will pass close to us in May, astronomers in Peru said on Monday."
CHESS = "The president of the Norwegian chess federation said nobody had cheated."
SHIP = "Chad says it sank a ship, but Mali says it hit a rock."
SALT = "A study funded by the salt trade claims that crisps are good for runners."
ETCHING = "An etching by Goya was found in the cellar of a school."
NOVEL = 'The novelist dismissed as "nonsense" a report on a sequel.'


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (REFUND, "Consumer groups say firm promised to repay", "Firm promised to repay every passenger"),
        (GRANDMOTHER, "Grandmother says she would never walk again", "Doctors say she would never walk again"),
        (OAKS, "Local residents told to stop work", "Developer went on felling oaks, local residents say"),
        (QUITS, "Charges against minister says he invented it", "Charges against minister dropped"),
        (ASHBY, "I do not intend to leave an hour earlier", "I do not intend to leave, says Lord Ashby"),
        (BOMBS, "Man sent bombs to Oslo detained, lawyer says", "Man detained, but lawyer says he cannot write"),
        ("They left after the vote, and the speaker slept.", "They left after speaker's vote", "They left after vote"),
        ("They dropped the complaint that the mayor lied.", "Mayor's complaint dropped", "Complaint on mayor dropped"),
        ("A former aide to the premier quit.", "Former premier's aide quit", "Premier's former aide quit"),
        (VIDEO, "Video claims to show officers burning ballots", "Video of officers burning ballots is false"),
        (RIFLES, "Rifles sold to gang in Danish army says", "Rifles sold to gang in Ribe, Danish army says"),
        (COMET, "Comet will pass close to us, Peru says", "Comet will pass close to us, astronomers in Peru say"),
        (CHESS, "Norwegian president says nobody cheated", "Norwegian chess president says nobody cheated"),
        (SHIP, "Chad says it sank ship, says Mali", "Chad says it sank ship"),
        (SHIP, "Chad says it sank ship, Mali", "Mali says it hit a rock"),
        (SALT, "Salt trade claims crisps are good", "Study funded by salt trade claims crisps are good"),
        (ETCHING, "Goya's cellar holds etching", "Etching by Goya found in cellar"),
        (NOVEL, "Novelist dismissed as 'nonsense'", "Novelist dismissed as 'nonsense' a report on sequel"),
    ],
)
def test_who_says_what(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


def test_a_possessive_may_stand_for_of() -> None:
    lead = "The sister of the jailed journalist was refused entry."
    assert torn("Jailed journalist's sister refused entry", lead) == []


def test_the_subject_of_a_verb_may_stand_before_a_quotation() -> None:
    lead = 'Mayor Ada Holm told reporters that she "did not see it," but scoffed at the idea of a plot.'
    assert torn("Ada Holm scoffs at idea of plot", lead) == []
    assert torn("Holm did not see it scoffed at idea of plot", lead)


def test_where_nobody_speaks_nothing_is_asked() -> None:
    assert torn("Poland's Holm wins race", "Holm of Poland won the race.") == []
