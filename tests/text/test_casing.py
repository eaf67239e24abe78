"""Usual spellings learnt and looked up; texts and headlines in the case asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.errors import UserError
from hedline.text import casing
from hedline.text.casing import (
    CaseCounts,
    Truecaser,
    is_lower_cased,
    recased,
    says_casing,
    usually_cased,
    with_capital,
)

TEXTS = [
    "Officials said NATO and the mayor of Bergen met.",
    "Later on, NATO left Bergen. May nobody forget the mayor.",
    "The mayor may resign in May, said an iPhone owner in Bergen.",
    "Everybody may go home with an iPhone, or may not.",
    "THE MAYOR OF BERGEN SHOUTED AT THE FERRY.",
    "the mayor of bergen whispered at the ferry.",
]


def counted(texts: list[str]) -> CaseCounts:
    counts = CaseCounts()
    for text in texts:
        counts.add(text)
    return counts


def test_majority_casing_inside_sentences() -> None:
    forms = counted(TEXTS).truecaser().forms
    assert forms["nato"] == "NATO" and forms["bergen"] == "Bergen" and forms["iphone"] == "iPhone"
    assert "officials" not in forms and "later" not in forms  # only seen at the beginning
    assert "may" not in forms and "mayor" not in forms  # lower-case, and too rare to prove it
    assert "owner" not in forms and "#" not in forms and "." not in forms


def test_frequent_lower_case_words_are_known_as_such() -> None:
    caser = counted(["So the mayor of Bergen left."] * 20).truecaser()
    assert caser.form("mayor") == "mayor"
    assert caser.form("councillor") is None
    assert caser.form("bergen-based") == "Bergen-based"
    assert counted(["So the mayor of Bergen left."] * 20).truecaser(vocabulary={"bergen"}).forms == {"bergen": "Bergen"}


def test_ties_and_order_are_deterministic() -> None:
    texts = ["We saw a Ferry there.", "We saw a ferry there."] * 15
    assert counted(texts).truecaser().forms == counted(texts[::-1]).truecaser().forms
    assert counted(texts).truecaser().form("ferry") == "ferry"


@given(st.lists(st.sampled_from(TEXTS), max_size=30), st.integers(0, 30))
def test_parts_add_up(texts: list[str], cut: int) -> None:
    merged = counted(texts[:cut])
    merged.merge(counted(texts[cut:]))
    assert merged.forms == counted(texts).forms
    assert merged.truecaser().forms == counted(texts).truecaser().forms


def test_memory_is_bounded() -> None:
    counts = CaseCounts(most=100)
    for number in range(1000):
        counts.add(f"We met Jo and Smith{'x' * (number % 300)} and Name{chr(97 + number % 26) * (number % 97)} there.")
    assert len(counts.forms) <= 100
    assert counts.truecaser().form("jo") == "Jo"


def test_file_round_trip(tmp_path: Path) -> None:
    caser = Truecaser({"nato": "NATO", "écu": "Écu", "mayor": "mayor"})
    caser.save(tmp_path / "truecase.tsv")
    assert (tmp_path / "truecase.tsv").read_text(encoding="utf-8") == "mayor\tmayor\nnato\tNATO\nécu\tÉcu\n"
    assert Truecaser.load(tmp_path / "truecase.tsv").forms == caser.forms
    assert len(caser) == 3


@pytest.mark.parametrize("line", ["nato", "nato\tNATION", "Nato\tNATO", "a\tA\tA"])
def test_broken_file_names_the_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "truecase.tsv"
    path.write_text(f"mayor\tmayor\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"truecase\.tsv, line 2"):
        Truecaser.load(path)
    with pytest.raises(UserError, match="cannot read"):
        Truecaser.load(tmp_path / "none.tsv")


def test_forms_of_another_length_are_left_out() -> None:
    assert "i̇zmir" not in counted(["We left İzmir today."] * 3).truecaser().forms


def test_texts_whose_casing_says_nothing() -> None:
    assert says_casing(["The", "mayor", "of", "Bergen", "left"])
    assert not says_casing(["THE", "MAYOR", "OF", "BERGEN", "LEFT"])
    assert not says_casing(["the", "mayor", "of", "bergen", "left"])
    assert not says_casing(["The", "Mayor", "Of", "Bergen", "Has", "Left"])
    assert not says_casing(["5", "."])


@pytest.mark.parametrize("few", [0, 3, 100])
def test_usual_forms_are_the_whole_table_however_they_are_read(tmp_path, monkeypatch, few):
    monkeypatch.setattr(casing, "FEW_LOOKUPS", few)
    forms = {"nato": "NATO", "ukraine": "Ukraine", "led": "led", "ærø": "Ærø", "at&t": "AT&T"}
    Truecaser(forms).save(tmp_path / "truecase.tsv")
    table = casing.UsualForms(tmp_path / "truecase.tsv")
    assert table and len(table) == len(forms)
    for word in ("nato", "nat", "ato", "", "ærø", "ukraine", "at&t", "led", "NATO"):
        assert table.get(word, "?") == forms.get(word, "?")
    assert dict(table) == forms


def test_a_wrong_entry_is_never_given_out(tmp_path):
    path = tmp_path / "truecase.tsv"
    path.write_text("led\tled\nnato\tUkraine\n", encoding="utf-8")
    table = casing.UsualForms(path)
    assert table.get("led") == "led"
    with pytest.raises(UserError, match="line 2"):
        table.get("nato")


FORMS = {"lund": "Lund", "sunday": "Sunday", "u.s.": "U.S.", "s": "S", "tram": "tram", "mary": "Mary", "left": "left"}


def test_small_letters_become_names_and_beginnings():
    text = "the mayor of lund met u.s. officials on sunday. mary quibblewick's firm left, she told us."
    expected = "The mayor of Lund met U.S. officials on Sunday. Mary Quibblewick's firm left, she told us."
    assert is_lower_cased(text) and not is_lower_cased(expected) and not is_lower_cased("too short")
    assert usually_cased(text, FORMS) == expected


@pytest.mark.parametrize(
    ("case", "headline", "expected"),
    [
        ("sentence", "Mayor Of Lund Shouldn't Sell Old Tram", "Mayor of Lund shouldn't sell Old tram"),
        ("sentence", "Zorp 9's Tram: Mayor Of Lund Left NATO", "Zorp 9's tram: Mayor of Lund left NATO"),
        ("sentence", "mayor of Lund left", "Mayor of Lund left"),
        ("title", "mayor of Lund left the city with NATO", "Mayor of Lund Left the City with NATO"),
        ("as-trained", "mayor Of Lund Left", "Mayor Of Lund Left"),
    ],
)
def test_headlines_are_cased_as_asked(case, headline, expected):
    lead = ["The", "mayor", "of", "Lund", "wants", "to", "sell", "a", "tram"]
    assert recased(headline, case, lead, FORMS) == expected


def test_the_first_letter_is_a_capital_unless_the_word_is_written_otherwise():
    for text, expected in (
        ("'rebels' out", "'Rebels' out"),
        ("iPhone out", "iPhone out"),
        ("3 die", "3 die"),
        ("", ""),
    ):
        assert with_capital(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("U.S. Trade gap widens as Lund Corp. Sells cars", "U.S. trade gap widens as Lund Corp. sells cars"),
        ("Jo Berg Jr. Makes room for a young U.S. Senate aide", "Jo Berg Jr. makes room for a young U.S. Senate aide"),
        ("U.S. House votes as J.P. Morgan and St. Marks wait", "U.S. House votes as J.P. Morgan and St. Marks wait"),
        ("Library closes for good. Here is why", "Library closes for good. Here is why"),
    ],
)
def test_a_short_form_with_a_point_gives_the_next_word_no_capital(text: str, expected: str) -> None:
    forms = {word: word for word in ("trade", "sells", "makes", "house", "marks", "here")} | {"senate": "Senate"}
    lead = ["The", "House", "and", "the", "gap", "in", "trade", "of", "Lund"]
    assert recased(text, "sentence", lead, forms) == expected
    assert recased(text, "sentence", lead, {}) == text


def test_a_form_of_a_word_of_the_input_loses_its_title_capital():
    lead = ["The", "bank", "of", "Lund", "has", "finalized", "a", "deal", "with", "Holm"]
    assert (
        recased("Lund Finalizes Deal With Qualable", "sentence", lead, {"a": "a"})
        == "Lund finalizes deal with Qualable"
    )


@pytest.mark.parametrize(
    ("headline", "mended"),
    [
        ("Dust in 83 River samples", "Dust in 83 river samples"),
        ("How to stop Wintry winds", "How to stop wintry winds"),  # the lead's first word, usually small
        ("Lund's Weather will Be mild", "Lund's weather will be mild"),
        ("Lund River Association warns", "Lund River Association warns"),  # may be a name
        ("Samples at Lund: River dust", "Samples at Lund: River dust"),  # begins after a colon
        ("Lund to host The Kettle Awards", "Lund to host The Kettle Awards"),
        ("Wind and I", "Wind and I"),
    ],
)
def test_a_lone_capital_that_the_lead_does_not_have_goes(headline: str, mended: str) -> None:
    lead = "Wintry weather brought dust into the river at Lund before the Kettle Awards ."
    assert recased(headline, "sentence", lead.split(), {"wintry": "wintry", "be": "be", "the": "the"}) == mended


def test_a_capital_of_a_small_word_goes_beside_names_too() -> None:
    lead = "Bump kettle from 4.1 to 4.2 because of a leak ."
    assert (
        recased("Bump Kettle From 4.1 to 4.2", "sentence", lead.split(), {"bump": "bump"})
        == "Bump kettle from 4.1 to 4.2"
    )
