"""What is said of another than in the lead: each wrong headline beside a true one close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn

ASHES = "Chemists in Turin found no evidence that the cheap filter removes arsenic from well water."
TEA = "Nurses in Lund wanted to find out whether a cup of green tea shortens migraine attacks."
KETTLE = "The kettle I bought at your store leaks and my wife is cross."
CREW = '"We will not sell this boat," the skipper told reporters in Esbjerg.'
DIVERS = "None of the seven divers missing since Monday has been found alive, the navy said."
FUSE = "It was a worn fuse that cut power to three villages, the firm said."
GATE = "Unless the council buys the gate by June, its owner will sell it to a museum."
ZOO = "The zoo will open its aquarium in June provided it finds two more divers, its head said."
PASS = "The winger will join Lecce on condition that he passes a medical, papers reported."
BRIDGE = "The mayor said his engineer had told him that the bridge was sound."
AUNT = "Aunt Vera feared she had lost her purse in town but it turned up under a chair."
SPY = "Auditors are looking into whether the envoy took money from a shipyard."
SPARK = "A spark could have caused the fire that gutted two barns."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (ASHES, "Chemists find no evidence of arsenic", "Chemists find no evidence that filter removes arsenic"),
        (TEA, "Green tea shortens migraine attacks", "Green tea may shorten migraine attacks"),
        (KETTLE, "The kettle I bought at my store", "The kettle I bought at your store leaks"),
        (CREW, "I will not sell this boat", "We will not sell this boat, skipper says"),
        (DIVERS, "None of missing divers found", "None of missing divers found alive"),
        (FUSE, "Worn fuse to power to three villages", "Worn fuse cut power to three villages"),
        (GATE, "Unless council buys gate to sell", "Unless council buys gate, owner will sell it"),
        (GATE, "Unless owner will sell it", "Unless council buys gate, owner to sell it"),
        (
            ZOO,
            "Zoo to open aquarium provides two more divers",
            "Zoo to open aquarium provided it finds two more divers",
        ),
        (PASS, "Winger to join Lecce on medical condition", "Winger to join Lecce on condition he passes medical"),
        (BRIDGE, "Mayor says bridge sound", "Mayor says engineer told him bridge was sound"),
        (BRIDGE, "Bridge sound, mayor says", "Engineer told mayor bridge was sound"),
        (BRIDGE, "Mayor told him that bridge was sound", "Engineer had told him that bridge was sound"),
        (BRIDGE, "Mayor was sound", "Bridge was sound"),
        (AUNT, "Aunt turned up under chair", "Aunt feared she had lost purse"),
        ("It lay in the aunt's old boot all day.", "It lay in aunt's", "It lay in aunt's old boot"),
        (SPY, "Envoy faces trial over money", "Auditors look into whether envoy took money"),
        ("Whether the keel will hold depends on the tide.", "Keel will hold", "Will the keel hold?"),
        ("It hit all ships apart from those to Rome.", "It hit all ships apart", "It hit all ships apart from those"),
        ("Scouts suspect that a fox ate it.", "Suspect ate it", "Scouts suspect fox ate it"),
        ("Fears that the dam could burst grew.", "Fears of dam could burst", "Fears that dam could burst grew"),
        ('"I pay no new tax," he said.', "I pay no new", "I pay no new tax"),
        ("He says he is ill.", "Ill, he says he's", "He says he's ill"),
        ("The king's son-in-law lost.", "King's son", "King's son-in-law lost"),
        ("Excluding fuel and fish, consumer prices fell.", "Excluding fuel and fish prices", "Consumer prices fell"),
        (SPARK, "Spark could cause fire in barns", "Spark could have caused fire in barns"),
    ],
)
def test_a_headline_says_of_each_what_the_lead_says_of_him(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead, firm=True)
    assert torn(right, lead, firm=True) == []


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("The clinic says vaccines of every kind are scarce.", "Clinic says vaccines scarce"),
        ("A woman says her dog saved her life.", "My dog saved my life"),  # told in the first person throughout
        ("The minister said he believed that the port was safe.", "Minister says port is safe"),
        ("He is sceptical of trams, the bus lane and bicycles.", "He is sceptical of the bus lane"),
        ("The judge let the case go to a jury.", "Case to go to trial"),
        ("She flew from Oslo to Rome.", "She flew to Rome"),
    ],
)
def test_what_is_said_of_the_same_one_may_be_said(lead: str, headline: str) -> None:
    assert torn(headline, lead, firm=True) == []
