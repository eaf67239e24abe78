"""Each filter on pairs made to meet it and pairs made to pass it."""

import pytest

from hedline.corpora.filters import (
    FILTERS,
    NAMAS_SUBSTRINGS,
    PRESETS,
    Candidate,
    FilterSettings,
    describe_filters,
    first_reason,
    get_preset,
    title_words,
)
from hedline.corpora.pairs import Pair
from hedline.errors import UserError
from hedline.text.tokenize import normalize

LEAD = "The mayor of Lund said on Monday that the old harbour bridge would close for six months of repairs."


def candidate(headline: str, lead: str = LEAD, source: str = "", date: str = "") -> Candidate:
    return Candidate(Pair(lead, headline, "", source, date), normalize(lead), normalize(headline))


def removed(name: str, headline: str, lead: str = LEAD, **settings: object) -> bool:
    pair = {key: str(settings.pop(key)) for key in ("source", "date") if key in settings}
    return FILTERS[name](candidate(headline, lead, **pair), FilterSettings(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "headline", "gone"),
    [
        ("no-overlap", "Ferry sinks off coast", True),
        ("no-overlap", "It would be on the", True),  # function words do not count
        ("no-overlap", "Harbour to be dredged", False),
        ("editing-marks", "Bank of Japan appeals for calm", False),
        ("editing-marks", "Insurgents inundated with credits as paper collapses", False),
        ("editing-marks", "Mayor adds bridge to list", False),
        ("editing-marks", "AP reporter freed after kidnap", False),
        ("editing-marks", "Update the law, mayor says", False),
        ("editing-marks", "Man killed by bear", False),
        ("editing-marks", "Bridge closed (AP)", True),
        ("editing-marks", "UPDATE 1-Bridge closed", True),
        ("editing-marks", "URGENT: Bridge closed", True),
        ("editing-marks", "Bridge closed - UPDATE", True),
        ("editing-marks", "Bridge closed writethru", True),
        ("editing-marks", "By Anna Berg", True),
        ("editing-marks", "Bridge closed - by Anna Berg", True),
        ("editing-marks", "Bridge closed [CORRECTED]", True),
        ("question-colon", "Will the bridge close?", True),
        ("question-colon", "Lund: bridge to close", True),
        ("question-colon", "Bridge to close at 10:30", False),
        ("question-colon", "Bridge to close", False),
        ("lead-copy", "The mayor of Lund said", True),
        ("lead-copy", "Mayor of Lund said", False),
        ("namas-marks", "Bank of Japan appeals for calm", True),  # "ap" inside "japan"
        ("namas-marks", "Insurgents leave", True),  # "urgent"
        ("namas-marks", "By the sea", False),  # only " by " in mid-title
        ("namas-marks", "Hit by train", True),
        ("namas-marks", "Mayor quits", False),
        ("namas-overlap", "The ferry on Mon", True),
        ("namas-overlap", "Would it", False),  # function words of four letters do count
        ("namas-lengths", "Only three words", True),
        ("namas-lengths", "Now these are four", False),
        ("namas-period", "anything", False),
    ],
)
def test_filter(name: str, headline: str, gone: bool) -> None:
    assert removed(name, headline) is gone


def test_lengths_have_both_ends_included() -> None:
    assert not removed("headline-length", "one two three", headline_words=(3, 3))
    assert removed("headline-length", "one two", headline_words=(3, 3))
    assert removed("headline-length", "one two three four", headline_words=(3, 3))
    assert removed("lead-length", "x", "too short", lead_words=(3, 9))
    assert removed("namas-lengths", "Now these are four", "ten words " * 50)
    assert removed("namas-period", "x", "A lead without its stop")


def test_overlap_share_counts_content_words_alone() -> None:
    headline = "The harbour bridge is to be sold"  # harbour, bridge of harbour, bridge, sold
    assert not removed("min-overlap", headline, min_overlap=0.66)
    assert removed("min-overlap", headline, min_overlap=0.67)


def test_sources_and_period() -> None:
    assert removed("sources", "x", source="Post", exclude_sources=("post",))
    assert removed("sources", "x", source="Post", sources=("times",))
    assert not removed("sources", "x", source="TIMES", sources=("times",))
    cut = ("1998-10-01", "1998-12-31")
    assert removed("period", "x", date="1998-10-01", exclude_period=cut)
    assert removed("period", "x", date="1998-12-31T10:00", exclude_period=cut)
    assert not removed("period", "x", date="1999-01-01", exclude_period=cut)
    assert not removed("period", "x", exclude_period=cut)


@pytest.mark.parametrize(
    ("lead", "gone"),
    [
        ("Giants waive two players and sign three others.", False),
        ("El alcalde de la ciudad dijo que el puente será cerrado por las obras.", True),
        ("Die Brücke wird nach Angaben der Stadt und des Hafens für sechs Monate gesperrt.", True),
        ("Le maire a annoncé la fermeture du pont pour les travaux dans la ville.", True),
        ("Мэр города объявил о закрытии старого моста на ремонт.", True),
        ("市長は月曜日、古い橋を閉鎖すると発表した。", True),
    ],
)
def test_language(lead: str, gone: bool) -> None:
    assert removed("language", "x", lead) is gone


def test_the_first_reason_is_told_and_presets_are_complete() -> None:
    paper = PRESETS["paper"].filters
    assert first_reason(candidate("Harbour bridge to close"), paper) is None
    assert first_reason(candidate("Ferry: gone"), paper) == "no-overlap"
    assert first_reason(candidate("Bridge: closed"), paper) == "question-colon"
    assert len(NAMAS_SUBSTRINGS) == len(set(NAMAS_SUBSTRINGS)) == 38
    for preset in PRESETS.values():
        assert set(preset.filters.names) <= set(FILTERS)
    assert all(describe_filters().values())


def test_unknown_names_are_sentences() -> None:
    with pytest.raises(UserError, match="unknown filter 'colon'; the filters are"):
        FilterSettings(("colon",))
    with pytest.raises(UserError, match="unknown preset"):
        get_preset("duc")


def test_title_punctuation_modes() -> None:
    words = normalize('Mayor: "bridge" (old), closed; again - now!')
    assert title_words(words, "keep") == words
    assert title_words(words, "drop") == ["mayor", "bridge", "old", "closed", "again", "now"]
    # The release misspells the opening bracket, so it stays, as do colon and semicolon.
    assert title_words(words, "namas") == ["mayor", ":", "bridge", "-lrb-", "old", "closed", ";", "again", "now"]
    assert title_words(["!", "?"], "drop") == ["!", "?"]


@pytest.mark.parametrize(
    ("lead", "title", "gone"),
    [(10, 9, True), (11, 9, False), (99, 9, False), (100, 9, True), (20, 3, True), (20, 4, False), (20, 49, False),
     (20, 50, True)],
)  # fmt: skip
def test_the_releases_lengths_are_11_to_99_and_4_to_49(lead: int, title: int, gone: bool) -> None:
    words = Candidate(Pair("", ""), ["word"] * lead, ["word"] * title)
    assert FILTERS["namas-lengths"](words, FilterSettings()) is gone
