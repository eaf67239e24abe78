"""Words of a lead that turn or weaken a statement, found with the clause they govern."""

from __future__ import annotations

from hedline.text.polarity_cues import polarity_cues, stem


def test_cues_come_with_their_clause() -> None:
    (cue,) = polarity_cues("The firm, which sells boats, failed to pay its debts, a court heard.")
    assert (cue.kind, cue.word, cue.focus) == ("carrying", "failed", ("pay", "debt"))
    assert polarity_cues("The firm sells boats.") == []


def test_forms_of_a_word_share_a_stem() -> None:
    assert len({stem(word) for word in ("reject", "rejects", "rejected", "rejecting", "rejection")}) == 1
    assert stem("won") == stem("wins") == stem("winning")


def test_idioms_and_auxiliaries_are_no_clause() -> None:
    assert polarity_cues("The crash claimed the lives of six people.") == []
    assert polarity_cues("Don't miss the sale of lamps.") == []
    assert polarity_cues("There is no shortage of lamps.") == []
    assert polarity_cues("The firm dropped its new lamps last week.") == []
    assert polarity_cues("The firm dropped its plan to sell lamps.") != []
    hedges = [cue for cue in polarity_cues("The van probably won't sell.") if cue.kind == "hedging"]
    assert [cue.focus for cue in hedges] == [("sell",)]
