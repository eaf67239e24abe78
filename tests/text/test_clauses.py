"""Clauses that a headline takes apart: each wrong headline is told from a true one that is close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn

FIRM = "The startup, whose founder was arrested in May, has been bought by its largest rival."
RIDER = "The Dane, who beat the champion in the first round, lost to the Swede in straight sets."
SPILL = "The company calls the spill small; fishermen say it killed half of the mussels."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (FIRM, "Startup founder arrested in May bought by rival", "Startup whose founder was arrested bought by rival"),
        (RIDER, "Dane beats champion in straight sets", "Dane loses to Swede in straight sets"),
        (SPILL, "Half of the mussels spill small", "Spill killed half of mussels, fishermen say"),
        (
            "The minister was criticised by the auditor for delays.",
            "Minister criticised auditor for delays",
            "Minister criticised by auditor for delays",
        ),
        ("Wages rose more slowly than prices.", "Rose more slowly than prices", "Wages rose more slowly than prices"),
        ("Voters will elect a mayor in June.", "Will elect a mayor in June", "Will voters elect a mayor in June?"),
        ("Deputies demanded answers from the general.", "Demands answers from general", "Demands for answers"),
    ],
)
def test_a_headline_of_two_clauses_or_without_its_subject_is_torn(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


def test_what_begins_like_its_lead_is_not_torn() -> None:
    assert torn("Has released five images", "Has released five images of galaxies.") == []
    assert torn("", "The mayor quits.") == torn("Mayor quits", "") == []


GOVERNOR = "Deputy Governor Alan Price resigned after a newspaper published messages in which he mocked victims."
SEED = "Top seed Marcus Hale lost to qualifier Ryo Tanabe on Wednesday, his earliest exit in Melbourne for nine years."
CHARITY = "The charity spent $3 million it had raised for victims, and the rest remains in an account in Geneva."
JOBLESS = "Unemployment fell to 9.8 percent, but the number of people without work for two years rose."
STRIKE = "Workers will walk out unless the owners agree to restore the payments that were cut in March."
LOAN = "The city will lend the airline 40 million euros provided its owner puts in the same amount."
TEA = "Farmers earned less than the year before because prices at the auction collapsed."
DOG = "A farmer whose dog bit a postman was fined 500 euros after the judge heard that he had kicked it."
HEAD = "The acting head of the space agency told Congress that the moon mission would be delayed."
REFUND = "The firm promised to repay all passengers, but groups say that fewer than half have received any money."
GRANDMOTHER = "A grandmother swam across the strait years after her doctors told her she would never walk again."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (GOVERNOR, "Price resigns after newspaper mocked victims", "Price resigns after newspaper published messages"),
        (GOVERNOR, "Alan Price resigns after newspaper", "Alan Price resigns after messages"),
        (GRANDMOTHER, "Grandmother to never walk again", "Grandmother swam across the strait"),
        (SEED, "Hale loses to Tanabe in Melbourne for nine years", "Hale loses to Tanabe on Wednesday"),
        (SEED, "Hale loses to qualifier, in Melbourne for nine years", "Hale loses to qualifier, his earliest exit"),
        (CHARITY, "Charity spent $3 million for victims in Geneva", "Charity spent $3 million raised for victims"),
        (
            JOBLESS,
            "Unemployment falls, but number of people without work",
            "Unemployment falls, but number of people without work rises",
        ),
        (
            STRIKE,
            "Workers to walk out unless payments cut",
            "Workers to walk out unless owners agree to restore payments",
        ),
        (
            LOAN,
            "40 million euros provided owner puts in same amount",
            "City to lend airline 40 million euros provided owner puts in same amount",
        ),
        (LOAN, "City to lend airline 40 million euros provided", "City to lend airline 40 million euros"),
        (TEA, "Farmers earned less than year before collapse", "Farmers earned less than year before"),
        (DOG, "Farmer whose dog bit was fined", "Farmer whose dog bit postman was fined"),
        (DOG, "Farmer fined 500 euros after judge heard", "Farmer fined 500 euros"),
        (
            HEAD,
            "Acting head of moon mission would be delayed",
            "Acting head of space agency says moon mission would be delayed",
        ),
        ("Norrland were beaten by promoted Lund.", "Norrland lose Lund", "Norrland lose to Lund"),
        (
            "The plan for the island of Olsund has been shelved.",
            "Plan for island of shelved",
            "Plan for island of Olsund shelved",
        ),
        (
            "It may close its factory in Bienne, where 300 work.",
            "It may close factory in, where 300 work",
            "It may close factory in Bienne",
        ),
        (
            "The report was a hoax invented by two students.",
            "Report was hoax invented",
            "Report was hoax by two students",
        ),
        (REFUND, "Groups say fewer than half of all passengers", "Groups say fewer than half received money"),
        (
            "In tests the vaccine protected mice, and it had no effect in men.",
            "Protected mice has no effect",
            "Vaccine protected mice",
        ),
    ],
)
def test_a_headline_keeps_what_belongs_together(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (
            "It is the first not to blame farmers for it.",
            "Farmers first not to blame for it",
            "First not to blame farmers",
        ),
        ("They left after the speaker spoke.", "They left after speaker's", "They left after speech"),
        ("A review cleared Roy Salter of fraud.", "Review cleared of fraud", "Review cleared Salter of fraud"),
        ("The mayor had hidden a debt of 4 million.", "Mayor had a debt of 4 million", "Mayor hid debt of 4 million"),
        ("The captain steered the ferry to port.", "Captain the ferry to port", "Captain steered the ferry to port"),
        ("The captain steered the ferry to port.", "Captain is the ferry to port", "Captain steers ferry to port"),
        ("The mill was bought by its rival.", "Mill buys by rival", "Mill bought by rival"),
        ("He survived after two members abstained.", "He survives after two members.", "He survives as two abstain"),
        ("Exports doubled, those to Oslo shrank by a tenth.", "Exports doubled by a tenth", "Exports doubled"),
    ],
)
def test_verbs_keep_their_objects_and_nouns_their_ends(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead)
    assert torn(right, lead) == []


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("A motion to remove the speaker failed by two votes.", "Motion to remove speaker fails by two votes"),
        ("The crash killed five people, police said.", "Crash kills five"),
        ("The company said it would cut 90 jobs.", "Company to cut 90 jobs"),
        (
            "Nearly 9,000 homes had no power after the storm brought down pylons.",
            "Nearly 9,000 homes without power after storm",
        ),
        ("The man who worked as a guard in Lund died on Monday.", "Man who worked as guard died"),
        ("Prices rose in May, and they are expected to rise in June.", "Prices expected to rise in June"),
        ("Anna Holm had no idea until she saw the video.", "Anna Holm had no idea until she saw video"),
        ("A woman died and three men were hurt in a crash near Lund.", "Woman dies in crash near Lund"),
        ("The side lost, but Eva Lindh was hurt to the point where she was ruled out.", "Eva Lindh ruled out"),
        ("The lamp set a standard, and right now it's on sale for $40.", "Lamp is on sale for $40"),
        ("Eva Lindh, the founder of a choir in Lund, worked on plans for women.", "Eva Lindh for women"),
        ("The vote sparked a palpable sense of dismay among sailors.", "Vote sparks dismay among sailors"),
        ("Jobless claims rose by 3,000 last week.", "Jobless claims rise 3,000 last week"),
        (
            "A test that finds the illness years before signs appear could be sold in Lund by spring, a doctor said.",
            "Test that finds illness could be sold in Lund by spring",
        ),
    ],
)
def test_what_is_left_out_may_be_a_clause(lead: str, headline: str) -> None:
    assert torn(headline, lead) == []
