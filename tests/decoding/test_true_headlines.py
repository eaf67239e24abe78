"""What the guard of meaning lets pass: true headlines that only look wrong."""

from __future__ import annotations

import pytest

import hedline
from hedline.decoding.choice import Guards, invented_frame, meaning_faults
from hedline.text.clauses import is_sentence
from hedline.text.clean import without_footer


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        # what a word turns is left out
        ("Police held nine over suspected contact with the men behind the raid.", "Police held nine over raid"),
        (
            "The firm apologised to its fans after deciding not to release the new winter song in Peru.",
            "Firm sorry over Peru song",
        ),
        # a pronoun stands for who speaks, and an aside ends before the main verb
        (
            "A group focused on boat races said Monday that it hauled in 600 coins.",
            "Group at boat races hauls in 600 coins",
        ),
        ("A cook who served Lind while he was in the navy has refused to speak.", "Cook refuses to speak"),
        ("Lind was named best singer after her choir won the cup.", "Lind wins best singer"),
        # what for, what kills, and a noun that looks like a verb
        ("Lind reached the final with a victory over Berg.", "Lind beats Berg to reach the final"),
        ("Two people were killed in Lund when a tree fell on a car.", "Tree kills two people in Lund"),
        ("In 2021, Norway supplied half of the oil.", "Norway oil supply in 2021"),
        # "that" after a verb is no relative; "No 10" is a house; "in the case of" is no condition
        ("A leaker posted a report, claiming that Opera 25 will be released in May.", "Opera 25 release in May"),
        (
            "No 10 has been accused of greed after guidance on food was sent.",
            "No 10 accused of greed over guidance on food",
        ),
        ("New facts emerged in the case of the cook who sold cars.", "New facts emerge in case of cook who sold cars"),
        ("A court extended until April 15 the ban on trucks.", "Court extends ban on trucks after April talks"),
        ("The actor said none other than Lind gave him a lift.", "Lind gave him a lift, actor says"),
        ("Lind provided an update on the future of the old mill.", "Lind provides update on future of old mill"),
        # a word that the lead has twice may be the other one
        ("It was built by four firms, and won't be built again by the old ones.", "It was built by four firms"),
        # what critics say is not taken; a film is no speech
        ("The firm fired 40 cooks on Friday, a move critics say will hurt it.", "Firm fired 40 cooks on Friday"),
        ("“A Blue Boat,” with Lind as a cook, has crossed 9 million.", "'A Blue Boat' crosses 9 million"),
        ("Holm feels she was used by Berg in a quarrel.", "Holm says Berg used her in quarrel"),
        ("Fans of the game are glad; after a delay, its remaster has a date.", "Game remaster has a date"),
        ("Diplomats of Oman, at a dinner, expressed hope that trade will grow.", "Trade will grow: Diplomats"),
    ],
)
def test_a_true_headline_that_only_looks_wrong_passes(lead: str, headline: str) -> None:
    assert meaning_faults((headline, lead)) == ()


def test_a_later_sentence_of_the_lead_may_be_printed_as_it_is() -> None:
    lead = "Ministers deny report, claim no harm. Aides discuss ousting Lind over report. It rained."
    assert meaning_faults(("Aides discuss ousting Lind over report", lead)) == ()
    assert not is_sentence("Aides discuss ousting Lind", lead)
    assert not is_sentence("Ministers deny report, claim no harm", lead)
    assert not is_sentence("It rained", lead)


def test_the_title_in_a_feeds_footer_is_a_sentence_of_its_own() -> None:
    text = "Aides fear a failure to veto The post Lind signs deal to buy the old mill appeared first on The Herald ."
    assert is_sentence("Lind signs deal to buy the old mill", without_footer(text))
    assert hedline.load("default").summarize([text])[0].text.lower().startswith("lind signs deal")


def test_advice_is_offered_only_where_the_lead_speaks_to_somebody() -> None:
    assert not invented_frame("How to clear the cache", "Old files can slow down your phone.")
    assert invented_frame("How to clear the cache", "Old files can slow down a phone.")


@pytest.mark.parametrize("careful", [False, True])
def test_every_model_is_asked_for_the_phrase_that_a_noun_hangs_on(careful: bool) -> None:
    lead = "Holm lost to Ryo, his earliest exit in Melbourne."
    assert list(Guards(careful=careful).faults("Holm lost to Ryo in Melbourne", lead))
    assert not list(Guards(careful=careful).faults("Holm lost to Ryo", lead))


def test_no_headline_is_half_a_mark_under_a_tiny_limit() -> None:
    lead = "The council of Lund voted on Tuesday to close the old harbour bridge for six months of repairs."
    model = hedline.load("default")
    assert model.summarize([lead], bytes=1)[0].text == ""
    assert model.summarize([lead], bytes=5)[0].text == "Lund"
    assert model.summarize(["The mayor"], bytes=3)[0].text == ""
    assert len(model.summarize([lead], exact_words=2)[0].text.split()) == 2
