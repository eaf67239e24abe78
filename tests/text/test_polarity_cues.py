"""Words of a lead that turn or weaken a statement, found with the clause they govern."""

from __future__ import annotations

from hedline.text.polarity_cues import polarity_cues


def test_cues_come_with_their_clause() -> None:
    (cue,) = polarity_cues("The firm, which sells boats, failed to pay its debts, a court heard.")
    assert (cue.kind, cue.word, cue.focus) == ("carrying", "failed", ("pay", "debt"))
    assert polarity_cues("The firm sells boats.") == []


def test_idioms_and_auxiliaries_are_no_clause() -> None:
    assert polarity_cues("The crash claimed the lives of six people.") == []
    assert polarity_cues("Don't miss the sale of lamps.") == []
    assert polarity_cues("There is no shortage of lamps.") == []
    assert polarity_cues("The firm dropped its new lamps last week.") == []
    assert polarity_cues("The firm dropped its plan to sell lamps.") != []
    hedges = [cue for cue in polarity_cues("The van probably won't sell.") if cue.kind == "hedging"]
    assert [cue.focus for cue in hedges] == [("sell",)]


def test_a_bar_excepts_only_after_every() -> None:
    assert [cue.word for cue in polarity_cues("Every sailor bar the cook left.")] == ["bar"]
    assert polarity_cues("Every bar in the town left its door open.") == []


def test_an_exception_may_come_first() -> None:
    (cue, *_) = polarity_cues("Save for a walk in May, the king stays at home.")
    assert cue.kind == "exception" and "king" in cue.focus
    (cue, *_) = polarity_cues("But for a nurse, the twins would have drowned.")
    assert cue.word == "but for" and "twin" in cue.focus


def test_what_one_thinks_is_vouched_for_by_nobody() -> None:
    (cue,) = polarity_cues("Divers think they found a bell.")
    assert cue.kind == "attribution" and "bell" in cue.focus


def test_a_plan_under_a_doubt_is_as_doubtful_as_what_is_planned() -> None:
    (cue,) = polarity_cues("Acme reportedly plans to move its mill.")
    assert not cue.head and "mov" in cue.focus


def test_a_quotation_belongs_to_its_clause() -> None:
    (cue,) = polarity_cues('She stopped short of calling it "murder".')
    assert "murder" in cue.focus
