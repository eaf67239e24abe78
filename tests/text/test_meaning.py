"""Polarity words and quotations: what a headline may not lose, add or alter."""

from __future__ import annotations

import pytest

from hedline.text.meaning import (
    altered_quotations,
    lost_polarity,
    polarity_control,
    quotations,
    tidy_marks,
    without_marks,
)

LOST = [
    ("Neither the mayor nor her deputy will attend the opening of the bridge.", "Deputy to attend bridge opening"),
    ("All regions except Skane agreed on Sunday to share the cost of the trains.", "All regions agree to share cost"),
    ("Schools will open on Monday, with the exception of three hit by floods.", "Schools to open on Monday"),
    ("Trains ran on time, apart from those between Derby and York.", "Trains run on time"),
    ("Nurses at all hospitals besides the clinic in Lund will return.", "Nurses at hospitals to return"),
    ("Unless the council acts by Friday, the library will close.", "Library to close"),
    ("Unless a deal is reached by noon, drivers will walk out.", "Deal reached by noon as drivers walk out"),
    ("He became the first candidate not to concede after a lost vote.", "First candidate to concede"),
    ("The bank dropped its plan to close 60 branches in the north.", "Bank to close 60 branches"),
    ("Police arrested a man suspected of setting a fire that killed three.", "Man arrested for setting fire"),
    ("A jury on Friday found the broker not guilty of fraud.", "Broker found guilty of fraud"),
    ("There is no evidence that the powder causes cancer, a study says.", "Powder causes cancer, study says"),
    ("Fewer than 100 people came to the rally.", "100 people come to rally"),
    ("The minister denied that she had taken money from the firm.", "Minister took money from firm"),
    ("The storm may reach the coast on Monday.", "Storm reaches coast"),
    ("The firm refused to pay the fine.", "Firm pays fine"),
    ("Only two of the lifts work.", "Two lifts work"),
    ("The team isn't leaving the league.", "Team leaving league"),
]
KEPT = [
    ("The mayor did not attend the meeting.", "Mayor skips meeting"),
    ("All but two of the crew survived the crash.", "Nearly all crew survive crash"),
    ("The minister denied that she had taken money.", "Minister: I did not take money"),
    ("The bank dropped its plan to close 60 branches.", "Bank scraps plan to close branches"),
    ("The storm may reach the coast on Monday.", "Storm could reach coast"),
    ("Unless the council acts, the library will close.", "Library faces closure unless council acts"),
    ("The owners are not happy with the offer.", "Owners unhappy with offer"),
]


@pytest.mark.parametrize(("lead", "headline"), LOST)
def test_a_lost_word_is_found(lead: str, headline: str) -> None:
    assert lost_polarity(lead, headline)
    assert polarity_control(lead, headline) == "<pol:lost>"


@pytest.mark.parametrize(("lead", "headline"), KEPT)
def test_the_word_or_its_equivalent_is_enough(lead: str, headline: str) -> None:
    assert lost_polarity(lead, headline) == ()
    assert polarity_control(lead, headline) == "<pol:kept>"


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("The firm opened a plant in Lund on Monday but did not say what it cost.", "Firm opens plant in Lund"),
        ("Police have not named the man killed in a crash on the bridge.", "Man killed in bridge crash"),
        ("The No. 1 seed won in two sets.", "Top seed wins in two sets"),
        ("Voters in May chose a new mayor.", "Voters choose new mayor"),
    ],
)
def test_a_clause_that_is_not_used_says_nothing(lead: str, headline: str) -> None:
    assert polarity_control(lead, headline) == "<pol:any>"


def test_a_negation_of_the_headline_alone_is_an_error() -> None:
    assert lost_polarity("The mayor won a third term.", "Mayor does not win third term") == ("not",)
    assert lost_polarity("The mayor lost her bid for a third term.", "No third term for mayor") == ()
    assert lost_polarity("The seed won.", "No. 1 seed wins") == ()


LEAD = "The sale was \"not a defeat but a relief\", the mill's owner said, calling it 'a new start' for workers."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Owner: "a relief", he says', ["a relief"]),
        ("Owner: 'a relief' for the workers' union", ["a relief"]),
        ("“A relief,” says the owner", ["A relief,"]),
        ("The mill's owner and the workers' union", []),
        ("Sale ``a relief'' for all", ["a relief"]),
    ],
)
def test_quotations_are_found_and_apostrophes_are_not(text, expected):
    assert quotations(text) == expected


@pytest.mark.parametrize(
    "headline", ["Owner: 'not a defeat'", 'A "new start" for mill', "Mill sale “Not a Defeat”", "Mill's sale"]
)
def test_words_of_a_quotation_may_be_quoted(headline):
    assert altered_quotations(headline, LEAD) == []


@pytest.mark.parametrize(
    "headline",
    ["Owner: 'a defeat and a relief'", "Owner: 'the sale was a relief'", 'Owner: "It is not a defeat"', 'Sale "not a'],
)
def test_other_words_may_not(headline):
    assert altered_quotations(headline, LEAD)
    assert altered_quotations(without_marks(headline), LEAD) == []


def test_a_lead_may_end_inside_a_quotation():
    assert altered_quotations("Mayor: 'we are lost'", 'The mayor said: "We are lost in this') == []


def test_without_marks_words_and_apostrophes_stay():
    assert without_marks("Owner: 'a relief' for the workers' union") == "Owner: a relief for the workers' union"


def test_an_exception_keeps_what_it_is_taken_from():
    lead = "All the lifeboats but one were launched before the ferry capsized."
    assert lost_polarity(lead, "Lifeboats but one launched before ferry capsized") == ("all but",)
    assert lost_polarity(lead, "All lifeboats but one launched") == lost_polarity(lead, "Most lifeboats launched") == ()


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (
            "The bank said it would raise rates again in May only if inflation failed to slow.",
            "Bank to raise rates again in May",
            "Bank to raise rates again in May only if inflation fails to slow",
        ),
        (
            "Refugees may take jobs after six months, provided that no resident wants the post.",
            "Refugees may take jobs after six months",
            "Refugees may take jobs if no resident wants post",
        ),
    ],
)
def test_a_condition_is_kept_by_no_month_and_no_permission(lead: str, wrong: str, right: str) -> None:
    assert lost_polarity(lead, wrong)
    assert lost_polarity(lead, right) == ()


def test_a_day_in_may_is_no_doubt() -> None:
    lead = "Only passengers who had booked before 1 May are entitled to a refund."
    assert lost_polarity(lead, "Only passengers who had booked before 1 May entitled to refund") == ()


def test_a_second_denial_is_an_added_one() -> None:
    lead = "Until a vaccine is approved, people should avoid contact with sick cattle."
    assert "not" in lost_polarity(lead, "People should avoid sick cattle, not contact")
    assert "until" in lost_polarity(lead, "Vaccine for people should avoid sick cattle contact")


def test_opening_marks_stand_at_their_words() -> None:
    assert tidy_marks('Ilves says " nobody won" again') == 'Ilves says "nobody won" again'
    assert tidy_marks('A "pact" with " odd marks') == 'A "pact" with " odd marks'


def test_what_comes_besides_is_no_exception() -> None:
    assert polarity_control("Besides all that, the bridge will open in May.", "Bridge to open in May") == "<pol:any>"
