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
CLIENT = "According to the lawyer of the accused, his client was in Rome."
KEEPER = "The keeper will play in the final despite a broken toe, the doctor said."

REFEREE = "The club said neither the referee nor his aides saw the foul."
LOAN = "The bank said it had neither offered nor been asked for a loan."
TENOR = "The tenor will sing in Verona only if it is dry."
CINEMA = "Unless a buyer is found by June, the last cinema in Bude will be sold."
DAM = "The dam holds a fifth of the water it held in May."
ENVOY = "The envoy was expelled by Chad, which accused him of spying."
TALKS = "The premier failed to persuade striking dockers to return to work."
VISIT = "The premier will meet the king in Tallinn on Friday, a day after visiting Riga."


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
        ("Don't wash the wool rug, it shrank.", "How to wash the wool rug", "Don't wash the wool rug"),
        ("Police are looking into the tailor's bills.", "Tailor charged over bills", "Police look into tailor's bills"),
        (UNCLE, "Uncle of girl slept for two hours: report", "Guards slept for two hours: uncle"),
        (CLIENT, "Accused client was in Rome", "Client was in Rome, lawyer says"),
        ("The map that he drew proved wrong in May.", "Map that he drew proved", "Map that he drew proved wrong"),
        (KEEPER, "How to watch keeper play in final", "Keeper to play in final despite broken toe"),
        (REFEREE, "Club says referee was not saw foul", "Club says referee saw no foul"),
        (LOAN, "Bank says it neither offered a loan", "Bank says it neither offered nor wanted loan"),
        (LOAN, "Bank says it neither offered nor asked for loan", "Bank: neither offered nor been asked for loan"),
        (TENOR, "Tenor to sing in only if it is dry", "Tenor to sing in Verona only if it is dry"),
        (CINEMA, "Unless a buyer is found in Bude will be sold", "Unless a buyer is found, last cinema will be sold"),
        (DAM, "Dam holds a fifth of water", "Dam holds a fifth of water it held in May"),
        ("Rents rose from 900 to 1,200 euros.", "Rents up 900 to 1,200 euros", "Rents up from 900 to 1,200 euros"),
        ("Rents fell from 9 to 7 percent.", "Rents fall 9 percent", "Rents fall to 7 percent"),
        (ENVOY, "Envoy expelled by Chad accused of spying", "Envoy expelled by Chad, which accused him of spying"),
        (TALKS, "Premier fails to return to work", "Premier fails to persuade dockers to return to work"),
        (VISIT, "Premier to meet king in Riga", "Premier to meet king in Tallinn"),
        ("The fair set for 9 May is off.", "Fair set for 9 May be off", "Fair set for 9 May is off"),
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
