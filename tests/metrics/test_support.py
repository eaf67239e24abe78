"""How much of a headline stands in its input: shares, names, lengths."""

from __future__ import annotations

import pytest

from hedline.errors import UserError
from hedline.metrics.support import (
    copied_tokens,
    find_names,
    measure_extractiveness,
    novel_words,
    unsupported_names,
)

LEAD = (
    "Russian Defense Minister Sergei Ivanov said on Sunday that 1,200 troops of the European Union and the U.S. "
    "will get 2 million dollars, three days after the fifth attack."
)


CASING = {"putin": "Putin", "storm": "storm", "russia": "Russia", "calls": "calls"}


def test_ext_counts_tokens_in_any_case():
    assert copied_tokens("IVANOV said no to Sunday", LEAD) == (3, 5)
    assert copied_tokens("", LEAD) == (0, 0)


def test_novel_words_are_words_only():
    assert novel_words("Ivanov says: no, no!", LEAD) == ["says", "no", "no"]


@pytest.mark.parametrize(
    ("headline", "expected"),
    [
        ("Russia calls for joint front with Putin", ["Putin"]),
        ("EU and US get money from NATO", ["NATO"]),
        ("Ivanov's and Ivanovs meet the Russians", []),
        ("Storm hits as I'm told Merkel resigns", ["Merkel"]),
        ("troops: Berlin says no", []),
        ("Putin Calls For Joint Front Against Terrorism", []),
        ("PUTIN CALLS FOR FRONT", []),
        ("talks with Russia-Ukraine group", ["Russia-Ukraine"]),
        ("", []),
    ],
)
def test_names(headline, expected):
    assert unsupported_names(headline, LEAD) == expected


def test_a_casing_table_finds_names_in_title_case():
    assert unsupported_names("Putin Calls For Joint Front Against Terrorism", LEAD, CASING) == ["Putin"]
    assert find_names("Storm hits Russia", CASING) == ["Russia"]
    assert find_names("Russia hit by storm", CASING) == ["Russia"]


def test_the_report_of_a_set():
    report = measure_extractiveness(["Ivanov meets Putin", "9 troops", ""], [LEAD, LEAD, LEAD])
    assert report.ext == pytest.approx(100 * 2 / 5)
    assert report.bad_numbers == pytest.approx(100 / 3)
    assert report.bad_names == pytest.approx(100 / 3)
    assert (report.words, report.empty) == (pytest.approx(5 / 3), 1)
    assert "Ext. 40.0 %" in report.to_text()
    assert report.to_json()["empty"] == 1


def test_sets_of_different_length_are_refused():
    with pytest.raises(UserError):
        measure_extractiveness(["a"], [])
    with pytest.raises(UserError):
        measure_extractiveness([], [])


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("GM of hotel quits in Porto", "The general manager of a hotel in Porto has quit.", []),
        ("A clerk sues the DOJ", "A clerk has sued the Department of Justice.", []),
        ("Choir of SOTS tours Malta", "The choir of Songs of the Sea will tour Malta.", []),
        ("A PS5 for every ward", "The hospital bought a PlayStation 5 for every ward.", []),
        ("USAID project ends", "A project of the US Agency for International Development ended.", []),
        ("CSA warns of flaws", "The Cybersecurity & Safety Agency warned of two flaws.", []),
        ("Lund to appoint six VCs", "The council of Lund will appoint six vice-chancellors.", []),
        ("USAID project ends", "A project of the Agency for International Development ended.", ["USAID"]),
        ("The Lib Dems want a tram", "The Liberal Democrats of the town want a tram.", []),
        ("Game Is An Epic", "The game will be an epic.", []),
        ("Helpers from US arrive", "They use such helpers in United Airlines and Samsung offices.", ["US"]),
        ("Plant of the EU closes", "The European plant and its union closed.", ["EU"]),
        ("The bank in Oslo denies it", "The bank denied it.", ["Oslo"]),
        ("Man of the NHS quits", "A man quit the health service.", ["NHS"]),
    ],
)
def test_short_forms_are_supported_by_what_they_shorten(headline: str, lead: str, expected: list[str]) -> None:
    assert unsupported_names(headline, lead) == expected


TABLE = {"acquires": "acquires", "says": "says", "cozies": "cozies", "zealand": "Zealand", "oslo": "Oslo"}


@pytest.mark.parametrize(
    ("headline", "lead"),
    [
        ("Bears rookie QB scores a TD", "A rookie quarterback of the Bears scored a touchdown."),
        ("The GOP wins in Ohio", "Republicans won in Ohio."),
        ("Vote of the Tory party", "The Conservative Party voted."),
        ("The DOJ sues", "The Justice Department has sued."),
        ("Bank names its CEO", "The bank named a chief executive."),
        ("Coach of France quits", "The French coach has quit."),
        ("A win for the Swiss", "Rowers of Lucerne, Switzerland won."),
        ("Poll of Americans", "People in the United States were polled."),
        ("Most of the United States is dry", "Most of the U.S. is dry."),
        ("The economy of the UK grows", "Britain’s economy grew."),
        ("A plant in Arkansas closes", "A plant in El Dorado, Ark., has closed."),
        ("Clerk in New York quits", "A clerk in Albany, N.Y., has quit."),
        ("Aides say Russia uses decoys", "Moscow has been using decoys, aides said."),
        ("Envoy meets Bob Hall", "The envoy met Robert Hall."),
        ("Fans of the NWSL sing", "Fans of the National Women's Soccer League sang."),
    ],
)
def test_other_words_for_the_same_support_a_name(headline: str, lead: str) -> None:
    assert unsupported_names(headline, lead) == []


@pytest.mark.parametrize(
    ("headline", "lead"),
    [
        ("Ex-CIA chief pleads guilty", "A former CIA chief pleaded guilty."),
        ("Pro-Oslo march and NATO-led talks", "A march for Oslo, talks led by NATO."),
        ("Star of Hook wins", "The film “Hook,” won with its star."),
        ("Fans of Ro O'Brien gasp", "Ro O’Brien made fans gasp."),
        ("Fans of Rust gasp", "Fans gasped at 'Rust' on Friday."),
        ("Premier of Alberta wins", "RED DEER, Alta.—Alberta Premier Smith won."),
        ("Firm Uni Acquires seven shops", "The firm Uni acquired seven shops."),
        ("Head of Coast Says it will sell", "The head of Coast said it would sell."),
    ],
)
def test_prefixes_quotation_marks_and_forms_of_words_make_no_name(headline: str, lead: str) -> None:
    assert unsupported_names(headline, lead, TABLE) == []


@pytest.mark.parametrize(
    ("headline", "lead", "expected"),
    [
        ("Bank says New Zealandander wins", "A New Zealander won, the bank said.", ["Zealandander"]),
        ("Head of Qualable quits", "The head of Qualcomm has quit.", ["Qualable"]),
        ("Minister Frank Holm quits", "Minister Holm has quit.", ["Frank"]),
        ("Ex-FBI chief pleads guilty", "A former CIA chief pleaded guilty.", ["Ex-FBI"]),
        ("Clash of the Franco-Dutch kind", "A clash of a French kind.", ["Franco-Dutch"]),
        ("Talks in Russia fail", "The talks of Iran and Oman in Moscow failed.", ["Russia"]),
        ("A shop of Egypt is sold", "They sold Lyle, a Cairo, Ga., shop.", ["Egypt"]),
        ("Envoy of the US leaves", "The Latin American envoy left.", ["US"]),
        ("Shares of the US rise", "American Rubber said its shares rose.", ["US"]),
        ("Club of United fans", "The U.S. club has fans.", ["United"]),
        ("A win for Tory candidates", "By a conservative estimate, candidates won.", ["Tory"]),
        ("The CEO sells stock", "The chief financial officer sold stock.", ["CEO"]),
        ("Star Juan. Says he will sell the old house", "Star Juan Bru said he would sell a house.", ["Says"]),
        ("The cat that Eate too much", "The cat ate too much.", ["Eate"]),
        ("The U.S.DA details data", "The U.S. Agriculture Department detailed data.", ["U.S.DA"]),
    ],
)
def test_inventions_and_names_of_others_are_still_found(headline: str, lead: str, expected: list[str]) -> None:
    assert unsupported_names(headline, lead, TABLE) == expected


def test_a_word_cut_off_is_no_name_of_the_lead() -> None:
    lead = "The best bakers in Ravensborough and among Icelanders were chosen on Monday."
    assert unsupported_names("The best bakers in Ravensbo", lead) == ["Ravensbo"]
    assert unsupported_names("The best bakers in Ravensborough", lead) == []
    assert unsupported_names("Bakers chosen in Iceland", lead) == []


def test_positions_and_prizes_have_short_names() -> None:
    assert unsupported_names("Lions trade CB Holm", "The Lions are trading cornerback Jan Holm.") == []
    assert unsupported_names("Lions trade CB Holm", "The Lions are trading goalkeeper Jan Holm.") == ["CB"]
