"""Mending candidates: names without support go, doubts come back, and every token keeps its row."""

from __future__ import annotations

import numpy as np
import pytest

import hedline
from hedline.decoding.choice import UNFINISHED, Guards, meaning_faults
from hedline.decoding.mending import (
    completed,
    mended,
    trimmed,
    with_bound,
    with_doubts,
    with_forms,
    with_participle,
    without_names,
)
from hedline.decoding.summary import Hypothesis

CASING = {word.lower(): word for word in ("Frank", "Oslo", "Norway", "Donna", "Acme", "Holm")}


def candidate(text: str, tokens: tuple[str, ...] = ()) -> Hypothesis:
    tokens = tokens or tuple(text.split())
    alignment = np.arange(2 * len(tokens), dtype=np.float32).reshape(-1, 2)
    return Hypothesis(text, -1.0, tokens, {"log_prob": -1.0}, alignment, (True,) * len(tokens), -1.0)


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("Frank Holm is out of the race", "Holm was out of the race.", "Holm is out of the race"),
        ("Minutes of Donna Holm are lost again", "In Lund, Holm lost minutes again.", "Minutes of Holm are lost again"),
        ("NYT court says it has no case", "The court has no case, it said.", "Court says it has no case"),
        ("Norway's top banker quits over debts", "The top banker quit over debts.", "Top banker quits over debts"),
        (
            "Norway: Study lists old mills and mines",
            "A study lists old mills and mines.",
            "Study lists old mills and mines",
        ),
        ("Man held soon after fire in Oslo", "A man was held soon after a fire.", "Man held soon after fire"),
        ("Man is held after the fire in the UK", "A man was held after the fire.", "Man is held after the fire"),
    ],
)
def test_a_name_that_only_says_more_is_left_out(headline: str, lead: str, expected: str) -> None:
    found = without_names(candidate(headline), lead, CASING).read()
    assert (found.text, found.tokens) == (expected, tuple(expected.split()))
    assert len(found.alignment) == len(found.known) == len(found.tokens)


@pytest.mark.parametrize(
    ("headline", "lead"),
    [
        ("Holm is out of the race", "Holm was out of the race."),  # nothing to leave out
        ("Norway plans a tunnel under the fjord", "The plans for a tunnel under the fjord are old."),
        ("Norway is out of the race again", "It was out of the race again."),
        ("An NYT court says it has no case", "The court has no case, it said."),
        ("Lund Bank CEO Holm quits over debts", "Holm of Lund Bank quit over debts."),
        ("They sold the old mill to Acme Telephone", "They sold the old mill to American Telephone."),
        ("Minister said to have lost to Norway", "The minister is said to have lost."),
        ("Frank Holm is out", "Holm was out of the race."),  # a crumb would be left
        ("The old Frank, Holm is out of the race", "The old Holm was out of the race."),
        ("Holm Quixotes court over the race again", "Holm took the court to task over the race again."),
    ],
)
def test_a_name_that_says_who_or_may_be_a_verb_stays_for_the_guard(headline: str, lead: str) -> None:
    whole = candidate(headline)
    assert without_names(whole, lead, CASING) is whole


def test_tokens_that_are_parts_of_words_go_with_their_name() -> None:
    tokens = ("Acme", "'s", "old", "mill", ",", "it", "says", ",", "is", "lost")
    found = without_names(
        candidate("Acme's old mill, it says, is lost", tokens), "The old mill is lost.", CASING
    ).read()
    assert found.text == "Old mill, it says, is lost"
    assert found.tokens == ("Old", *tokens[3:])
    assert found.alignment[0, 0] == 4.0  # the row of "old"


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("Holm sold the mill", "Holm has reportedly sold the mill.", "Holm reportedly sold the mill"),
        ("Mill is worth $943 a month", "The mill is worth up to $943 a month.", "Mill is worth up to $943 a month"),
        (
            "Benefits 100 times greater",
            "Benefits are as much as 100 times greater.",
            "Benefits as much as 100 times greater",
        ),
        ("Thief held in Oslo", "A suspected thief was held in Oslo.", "Suspected thief held in Oslo"),
        (
            "Ship carries 200 tons of food",
            "The ship carries almost 200 tons of food.",
            "Ship carries almost 200 tons of food",
        ),
        (
            "Holm stole two old cars",
            "Holm stole two old cars, his lawyer said.",
            "Holm stole two old cars, lawyer says",
        ),
        (
            "Holm stole two old cars",
            "Holm stole two old cars, witnesses said.",
            "Holm stole two old cars, witnesses say",
        ),
    ],
)
def test_a_lost_doubt_comes_back(headline: str, lead: str, expected: str) -> None:
    faults = meaning_faults((headline, lead))
    found = with_doubts(candidate(headline), lead, faults).read()
    assert faults and found.text == expected and meaning_faults((expected, lead)) == ()
    assert found.tokens == tuple(expected.replace(",", " ,").split())
    assert len(found.alignment) == len(found.known) == len(found.tokens)


def test_who_says_so_comes_back_behind_an_aside() -> None:
    lead = "Holm, a baker, stole two old cars, his lawyer said."
    found = with_doubts(candidate("Holm, a baker, stole two old cars"), lead, ("lawyer",)).read()
    assert found.text == "Holm, a baker, stole two old cars, lawyer says"


def test_the_words_that_come_back_are_aligned_as_the_word_after_them() -> None:
    found = with_doubts(candidate("Holm sold the mill"), "Holm has reportedly sold the mill.", ("reportedly",)).read()
    assert found.alignment[:, 0].tolist() == [0.0, 2.0, 2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("headline", "lead", "fault"),
    [
        ("How to sell a mill", "You can possibly sell a mill.", "possibly"),  # advice
        ("Holm left the mill", "Holm reportedly sold the mill.", "reportedly"),  # its word is not there
        ("Holm did not sell the mill", "Holm did not sell the mill.", "not"),  # no doubt
        ("Mill, bank sold", "The mill and the bank were sold, his lawyer said.", "lawyer"),  # would read badly
    ],
)
def test_what_cannot_be_put_back_stays_for_the_guard(headline: str, lead: str, fault: str) -> None:
    whole = candidate(headline)
    assert with_doubts(whole, lead, (fault,)) is whole


@pytest.mark.parametrize(
    ("headline", "expected"),
    [
        ("Deals of the day are out for the", "Deals of the day are out"),
        ("Holm sold the old mill unless", "Holm sold the old mill unless"),  # what follows may turn the rest
        ("Holm sold it to", "Holm sold it to"),  # a crumb would be left
        ("Holm sold the old mill", "Holm sold the old mill"),
    ],
)
def test_a_word_that_breaks_off_goes(headline: str, expected: str) -> None:
    found = trimmed(candidate(headline), UNFINISHED).read()
    assert (found.text, found.tokens) == (expected, tuple(expected.split())) and len(found.alignment) == len(
        found.tokens
    )


def test_only_where_the_length_is_open() -> None:
    lead, headline = "Holm has reportedly sold the old mill.", "Holm sold the old mill"
    for free, expected in ((True, ["Holm reportedly sold the old mill"]), (False, [])):
        assert [each.text for each in Guards(free=free).passing([candidate(headline)], lead)] == expected
    text = "The mayor of Lund has reportedly sold the old mill at the harbour to a bank in Oslo."
    assert len(hedline.load("tiny").summarize([text], words=5)[0].text.split()) <= 5


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        (
            "Holm's goals help Lund move out",
            "Lund were helped by the goals of Holm to move out of the lower half on Monday.",
            "Holm's goals help Lund move out of the lower half",
        ),
        ("Mill sells for 9 million", "The mill sold for 9 million euros.", "Mill sells for 9 million euros"),
        (
            "Floods force 7,000",  # what is lost before it comes back later
            "Floods forced nearly 7,000 from their homes in Lund.",
            "Floods force 7,000 from their homes",
        ),
        # A whole sentence ends where the lead goes on, and a sign says what is counted.
        ("Lund tries it out", "Lund tries it out in May.", "Lund tries it out"),
        ("Mill sells for $9 million", "The mill sold for 9 million dollars.", "Mill sells for $9 million"),
        ("Holm dies at 92", "Holm died at 92 from old age.", "Holm dies at 92"),
    ],
)
def test_a_phrase_that_breaks_off_is_completed(headline: str, lead: str, expected: str) -> None:
    found = completed(candidate(headline), lead).read()
    assert found.text == expected and " ".join(found.tokens) == expected
    assert len(found.alignment) == len(found.known) == len(found.tokens)


def test_a_verb_after_that_keeps_the_form_of_the_lead() -> None:
    lead = "They found an octopus that broods its eggs for years."
    found = with_forms(candidate("Octopus that brood its eggs found"), lead.replace("an octopus", "an Octopus")).read()
    assert found.text == "Octopus that broods its eggs found" and found.tokens[2] == "broods"
    two = candidate("Owls that brood in towns found")
    assert with_forms(two, "They found owls that brood in towns.") is two


def test_more_than_a_year_stays_more() -> None:
    lead = "It was the first rise in more than a year."
    three = lead.replace("a year", "three years")
    assert (
        with_bound(candidate("First rise in three years"), three).read().text == "First rise in more than three years"
    )
    assert with_bound(candidate("First rise in a year"), lead).read().text == "First rise in more than a year"
    for headline in ("First rise in more than a year", "First rise", "A year of rises"):
        whole = candidate(headline)
        assert with_bound(whole, lead) is whole


def test_what_hangs_after_a_comma_gets_its_participle() -> None:
    lead = "A strong quake struck off Lund, triggering a flood warning and sending people uphill."
    found = with_participle(candidate("Quake strikes off Lund, flood warning"), lead).read()
    assert found.text == "Quake strikes off Lund, triggering flood warning"
    assert len(found.alignment) == len(found.known) == len(found.tokens)
    for headline in ("Quake strikes off Lund, police say", "Quake strikes off Lund"):
        whole = candidate(headline)
        assert with_participle(whole, lead) is whole


def test_all_that_can_be_mended_is() -> None:
    lead = "The mill that grinds oats was sold in more than a year for 9 million euros, its first sale."
    assert mended(
        candidate("Mill that grind oats sells in a year for 9 million"), lead.replace("The mill", "Mill")
    ).text == ("Mill that grinds oats sells in more than a year for 9 million euros")
