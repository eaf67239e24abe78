"""What hangs on another word than in the lead, or is broken off: each wrong headline beside a true one close to it."""

from __future__ import annotations

import pytest

from hedline.text.clauses import torn

BOAT = "The Danish boat was rammed by a trawler from Iceland in thick fog."
CLERK = "A clerk accused of plotting with rival banks went free."
OWNERS = "The owners of the circus shut it because of a landslide near the lake."
NURSES = "Nurses agreed to come back as long as the board dismisses nobody."
LEAK = "The leak is four times as large as the firm admits."
RING = "The ring that Belgian police believe was forged is for sale."
SAILORS = "Seven of the sailors trapped in the wreck were carried out alive."
OTTER = "Norway has no plans to declare the illness on its farms an emergency."
GUIDE = "The guide told the court that his partner had fed the otter."
UNCLE = "According to the uncle of the missing girl, guards slept for two hours."
BANK = "The bank left its rate alone, though traders had expected a cut in June."
CHIEF = "Asked whether the flood was over, the chief of the board laughed."
FUNDS = "The money will go not to the ports but to small farms hit by frost."
GANG = "Eight men were sentenced to a total of 90 years for the theft."
TAILOR = "Prosecutors asked a judge to send the tailor to prison for fraud."
KEEPER = "The keeper will play in the final despite a broken toe, the doctor said."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (BOAT, "Danish boat rammed by Iceland", "Danish boat rammed by trawler from Iceland"),
        (CLERK, "Clerk accused of rival banks went free", "Clerk accused of plotting with rival banks went free"),
        (OWNERS, "Circus owners of landslide", "Owners of circus shut it because of landslide"),
        (NURSES, "Nurses agreed to come back as long", "Nurses agreed to come back"),
        (LEAK, "Leak four times as large", "Leak four times as large as firm admits"),
        (LEAK, "Leak four times", "Leak as large as firm admits"),
        (RING, "Ring that Belgian police believe", "Ring that Belgian police believe was forged for sale"),
        (SAILORS, "Sailors trapped in wreck carried", "Seven sailors carried out alive"),
        ("He may race once he passes a test in May.", "He may race once he passes", "He may race once he passes test"),
        (OTTER, "Norway not to declare illness on farms", "Norway not to declare illness an emergency"),
        (GUIDE, "Guide tells court he fed otter", "Guide tells court his partner fed otter"),
        (UNCLE, "Uncle of missing girl, guards slept for two hours", "Guards slept for two hours, uncle says"),
        (BANK, "Bank cuts its rate", "Bank leaves rate alone"),
        (CHIEF, "Board asks whether flood was over", "Asked whether flood was over, chief laughed"),
        (FUNDS, "Money to go not to ports hit by frost", "Money to go not to ports but to small farms"),
        (GANG, "Eight men sentenced to 90 years", "Eight men sentenced to total of 90 years"),
        (TAILOR, "Tailor sentenced to prison for fraud", "Prosecutors ask judge to send tailor to prison"),
        (KEEPER, "How to watch keeper play in final", "Keeper to play in final despite broken toe"),
        ("He was told not to blame farmers for it.", "Farmers not to blame for it", "Told not to blame farmers"),
        ("He sold it before it asked for help.", "He sold it before asking for help", "He sold it before it asked"),
    ],
)
def test_what_hangs_together_in_the_lead_does_so_in_the_headline(lead: str, wrong: str, right: str) -> None:
    assert torn(wrong, lead, firm=True)
    assert torn(right, lead, firm=True) == []


@pytest.mark.parametrize(
    ("lead", "headline"),
    [
        ("The boat was seized by police from Iceland.", "Boat seized by Iceland"),  # a country's police are the country
        ("The treaty was signed by two of the ports near Oslo.", "Treaty signed by ports near Oslo"),
        ("A judge jailed the tailor for fraud.", "Tailor sentenced for fraud"),
        ("Oil closed at 48 dollars a barrel.", "Oil closed at 48 dollars"),
    ],
)
def test_what_may_be_left_out_is_not_missed(lead: str, headline: str) -> None:
    assert torn(headline, lead, firm=True) == []
