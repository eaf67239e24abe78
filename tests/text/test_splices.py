"""What only a weak model joins: each wrong headline is told from a true one, and better models are not asked."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn
from hedline.text.meaning import laid_on, read_words
from hedline.text.splices import RULES

RULE = {rule.__name__.lstrip("_"): rule for rule in RULES}
CASES = [
    (
        "headless_subject",
        "Drivers at the Norrby depot will strike in May.",
        "Norrby depot to strike in May",
        "Drivers to strike",
    ),
    ("verb_twice", "Holm abandoned the plant in Lund.", "Abandoned Holm abandons plant", "Holm abandons plant"),
    (
        "left_gerund",
        "Anglers accuse the mill of poisoning a lake.",
        "Anglers accuse mill of lake",
        "Anglers accuse mill of poisoning lake",
    ),
    (
        "left_participle",
        "A clerk said the mayor had wasted city funds.",
        "Mayor had city funds",
        "Mayor had wasted city funds",
    ),
    (
        "left_main",
        "Border guards arrested the singer in Lund.",
        "Guards singer in Lund",
        "Guards arrest singer in Lund",
    ),
    (
        "loose_saying",
        "The divers uncovered the wreck of a royal barge.",
        "Divers uncover wreck of barge says",
        "Divers uncover wreck",
    ),
    ("loose_saying", "The clerk accused of theft wept.", "Clerk accuses of theft", "Clerk accused of theft wept"),
    (
        "turned_doer",
        "A panel cleared a pilot on Monday of all blame.",
        "Panel cleared of blame",
        "Panel cleared pilot of blame",
    ),
    (
        "another_speaker",
        "The duke has sold his yacht, a cousin said.",
        "Duke says he sold yacht",
        "Cousin says duke sold yacht",
    ),
    (
        "only_relative",
        "The Dane, who beat the champion, lost to a Swede.",
        "The Dane who beat champion",
        "Dane who beat champion lost",
    ),
    (
        "begun_late",
        "Parents praised the teacher who was dismissed.",
        "Praised who was dismissed",
        "Praised teacher was dismissed",
    ),
    ("begun_late", "The coach told him that he could go.", "Told him he could go", "Coach told him he could go"),
    (
        "loose_exception",
        "Every village but Brekke voted for the bridge.",
        "Every village but voted",
        "Every village but Brekke voted",
    ),
    ("loose_exception", "All the boats but one were sunk.", "One were sunk", "All boats but one sunk"),
    (
        "loose_exception",
        "Thieves took all rings except the oldest.",
        "Thieves took oldest rings",
        "Thieves took all rings except oldest",
    ),
    ("lost_bound", "Just under half of the nurses smoke.", "Half of nurses smoke", "Just under half of nurses smoke"),
    (
        "verb_after_link",
        "Police want him sent to Malta, where he is hunted by banks.",
        "Sent to Malta for hunted by banks",
        "Sent to Malta",
    ),
    (
        "verb_after_link",
        "Profit would have fallen had it not sold ships.",
        "Profit fallen it not sold ships",
        "Profit fallen had it not sold",
    ),
    ("verb_after_link", "The tenor cancelled a concert.", "Cancelled cancels concert", "Tenor cancels concert"),
    (
        "from_aside",
        "Norway, beaten by Denmark in May, defeated Italy to reach the final.",
        "Norway beaten by Denmark to reach final",
        "Norway defeated Italy to reach final",
    ),
    (
        "from_aside",
        "A tape of the rebel, aired Monday by a radio station, urges calm.",
        "Radio station urges calm",
        "Tape of rebel urges calm",
    ),
    (
        "aim_of_another",
        "Chile lent Peru 90 million dollars on Friday to repair bridges.",
        "Chile to repair bridges",
        "Chile lent Peru millions to repair bridges",
    ),
    (
        "condition_of_another",
        "Berg will play if her knee heals, but she has not trained.",
        "Berg will play if she has not trained",
        "Berg will play if knee heals",
    ),
    (
        "condition_of_another",
        "The league said it would ban Lund unless it pays.",
        "League would ban Lund",
        "League would ban Lund unless it pays",
    ),
    (
        "lost_name",
        'Lind called fears of a flood "pure fantasy" on Monday.',
        "Lind calls fears of flood",
        "Lind calls fears of flood pure fantasy",
    ),
    (
        "run_on",
        "The bishop attacked the law on beggars but stopped short of a boycott.",
        "Bishop attacked law on beggars stopped short",
        "Bishop attacked law but stopped short",
    ),
    (
        "two_sides",
        "The union says 900 clerks walked out; the bank speaks of 90.",
        "900 clerks walked out",
        "Union says 900 clerks walked out",
    ),
    ("stray_point", "The line will be 14 miles long in May.", "Line to be 14. Long", "Line to be 14 miles long"),
    (
        "stray_point",
        "Lund cut every grant but the one for apple growers.",
        "Lund cut every grant but one for apple.",
        "Lund cut every grant but one for apple growers.",
    ),
    (
        "hung_over",
        "Guests had torn the flag, correcting a story in a Monday paper.",
        "Guests had torn in Monday paper",
        "Guests had torn flag",
    ),
]


@pytest.mark.parametrize(("rule", "lead", "wrong", "right"), CASES)
def test_no_model_may_splice(rule: str, lead: str, wrong: str, right: str) -> None:
    told = read_words(lead)
    assert list(RULE[rule](read_words(wrong), told, laid_on(read_words(wrong), told)))
    assert list(RULE[rule](read_words(right), told, laid_on(read_words(right), told))) == []
    assert torn(wrong, lead)


def test_every_rule_has_a_sentence() -> None:
    assert {case[0] for case in CASES} == set(RULE)


def test_what_the_lead_itself_joins_is_no_splice() -> None:
    lead = "A box test shows that the crows learn tricks, a new paper says."
    assert torn("A box test shows that the crows learn tricks", lead) == []
    assert torn("Box test shows that crows learn tricks", lead) == []
    rent = "Just under half of the nurses smoke, a survey found."
    assert torn("Just under half of the nurses smoke", rent) == []
