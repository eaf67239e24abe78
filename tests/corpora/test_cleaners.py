"""Noise taken off, and ordinary text left alone."""

import pytest

from hedline.corpora.cleaners import CLEANERS, check_cleaners, clean_pair
from hedline.corpora.pairs import Pair
from hedline.errors import UserError

LEAD = "The old harbour bridge will close for six months of repairs."


def headline(name: str, text: str, source: str = "") -> str:
    return CLEANERS[name](Pair(LEAD, text, "", source)).headline


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("site-suffix", "Old harbour bridge to close | Lund Post", "Old harbour bridge to close"),
        ("site-suffix", "Old harbour bridge to close | News | Lund Post", "Old harbour bridge to close"),
        ("site-suffix", "Old harbour bridge to close - The Lund Times", "Old harbour bridge to close"),
        ("site-suffix", "Old harbour bridge to close – lundpost.com", "Old harbour bridge to close – lundpost.com"),
        ("site-suffix", "Mayor and port agree - again", "Mayor and port agree - again"),
        ("site-suffix", "Bridge shut | Lund Post", "Bridge shut | Lund Post"),  # too little would remain
        ("section-label", "Watch: old bridge comes down", "old bridge comes down"),
        ("section-label", "Opinion | Save the old bridge", "Save the old bridge"),
        ("section-label", "[Photos] The old bridge in pictures", "The old bridge in pictures"),
        ("section-label", "Old bridge comes down (VIDEO)", "Old bridge comes down"),
        ("section-label", "Lund: old bridge comes down", "Lund: old bridge comes down"),
        ("section-label", "Watch this old bridge come down", "Watch this old bridge come down"),
        ("section-label", "Live: it rains", "Live: it rains"),  # too little would remain
    ],
)
def test_headline_cleaners(name: str, before: str, after: str) -> None:
    assert headline(name, before) == after


def test_a_dash_and_the_pairs_own_source() -> None:
    assert headline("site-suffix", "Old bridge to close - Kustbladet", "Kustbladet") == "Old bridge to close"
    assert headline("site-suffix", "Old bridge to close - Kustbladet", "Other") == "Old bridge to close - Kustbladet"


@pytest.mark.parametrize(
    "dateline",
    ["LUND (TST) - ", "LUND, Sweden (TST) -- ", "NEW LUND, Jan. 3 (TST) — ", "(TST) -- ", "ST. OLAF — "],
)
def test_datelines_go(dateline: str) -> None:
    assert CLEANERS["dateline"](Pair(dateline + LEAD, "x")).lead == LEAD


@pytest.mark.parametrize(
    "lead",
    ["NATO ships reached the port on Monday.", "A bridge - old and cracked - will close.", "UN says no to the plan."],
)
def test_leads_without_a_dateline_stay(lead: str) -> None:
    assert CLEANERS["dateline"](Pair(lead, "x")).lead == lead


def test_counts_and_names() -> None:
    counts: dict[str, int] = {}
    pair = Pair("LUND (TST) - " + LEAD, "Watch: old harbour bridge to close | Lund Post")
    cleaned = clean_pair(pair, ("section-label", "site-suffix", "dateline"), counts)
    assert cleaned == Pair(LEAD, "old harbour bridge to close")
    assert counts == {"section-label": 1, "site-suffix": 1, "dateline": 1}
    clean_pair(cleaned, ("section-label", "site-suffix", "dateline"), counts)
    assert counts == {"section-label": 1, "site-suffix": 1, "dateline": 1}
    with pytest.raises(UserError, match="unknown cleaner"):
        check_cleaners(("soap",))
