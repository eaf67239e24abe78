"""What a headline may not make of its lead: each wrong headline is told apart from a true one that is close to it."""

from __future__ import annotations

import pytest

from hedline.decoding.choice import form_faults, is_message, says_little
from hedline.decoding.own_words import ends_inside, is_steady
from hedline.text.meaning import laid_on, read_words
from hedline.text.statements import wrong_relations

ASBESTOS = "The school will only reopen if tests show the air is free of asbestos, the council said."
HACKERS = "Hackers believed to be working for North Korea stole emails from a Japanese rocket maker."
JOBLESS = "Unemployment in Spain fell from 12.4 percent to 11.8 percent in the third quarter."
TABLOID = "A tabloid wrote that the duchess was expecting twins, but a spokeswoman said this was untrue."
ENGINE = "Had the engine failed a minute earlier, the plane would have crashed into the town, investigators said."
PAIRS = [
    (ASBESTOS, "School to reopen if tests show asbestos", "School to reopen only if air is free of asbestos"),
    (HACKERS, "North Korea stole emails", "Hackers believed to be working for North Korea stole emails"),
    (JOBLESS, "Spain fell in third quarter", "Unemployment in Spain fell to 11.8 percent"),
    (TABLOID, "Duchess was expecting twins", "Tabloid's report on duchess and twins untrue"),
    (ENGINE, "Engine failed a minute earlier, plane would have crashed", "Plane would have crashed into the town"),
    ("Almost 90 people have died of cholera since May.", "90 people have died of cholera", "Almost 90 died of cholera"),
    ("Not one of the 27 ports met the target.", "Ports met the target", "Not one of 27 ports met target"),
    ("Few voters turned out for the vote.", "Voters turned out for vote", "Few voters turned out for vote"),
    ("The mill was sued by the Lund Post over its smoke.", "Mill sues Lund Post", "Lund Post sues mill over its smoke"),
    ("Two hostages were freed after talks led by Qatar.", "Qatar frees two hostages", "Two hostages freed after talks"),
    ("Efforts to rescue a whale were unsuccessful.", "Whale rescued", "Efforts to rescue whale unsuccessful"),
    (
        "The mayor took back his claim that the lake was safe.",
        "Lake was safe, mayor says",
        "Mayor takes back lake claim",
    ),
    ("The baker need not pay a fine, a court decided.", "Baker must not pay fine", "Baker need not pay fine"),
    ("The mill is shut except on Mondays and holidays.", "Mill shut except on holidays", "Mill shut most days"),
    (
        "Traders who expected the bank to cut rates were disappointed.",
        "Traders disappointed after bank cuts rates",
        "Traders who expected bank to cut rates disappointed",
    ),
    (
        "Soldiers fired on a crowd, a witness said; the army denies it.",
        "Soldiers fired on crowd, army says",
        "Soldiers fired on crowd, witness says",
    ),
    (
        "A parody website reported that the pope had bought a team.",
        "Pope has bought a team",
        "Pope has bought team, parody website says",
    ),
    (
        "The bank was ordered to refund nearly 300 customers for errors.",
        "Bank to refund 300 customers",
        "Bank ordered to refund customers for errors",
    ),
    (
        "The coach left without his captain on a bus to Lund.",
        "Coach left with captain",
        "Coach left on bus to Lund",
    ),
    (
        "The city lifted a ban on kites in the park.",
        "City bans kites in park",
        "City lifts ban on kites in park",
    ),
    (
        "Nine of the fourteen miners trapped below ground have been saved.",
        "Nine of the fourteen miners trapped below ground",
        "Nine of the fourteen miners rescued",
    ),
    (
        "The editor hinted that the paper would close.",
        "Paper closes",
        "Paper could close",
    ),
]
TRUE = [
    ("The prince lifted the lid on a quarrel with his father.", "Prince reveals quarrel with father"),
    ("Don't miss these sales of lamps and rugs for up to half off.", "Save on lamps and rugs"),
    ("Although cash isn't needed on a ferry, you might want some.", "How to get cash on a ferry"),
    ("Analyst Lena Holm reported that players opposed the deal.", "Players opposed deal: report"),
    ("The court issued a divided ruling that the mill must close.", "Court rules mill must close"),
    ("The host argued that the mayor is playing for time.", "Host says mayor is playing for time"),
    ("Lund fought back to hold Malmo to a draw on Monday.", "Malmo held by Lund to draw"),
    ("Volta will launch its new van in June.", "Volta van to launch in June"),
    ("The paper won the auction, backed by families he owes for calling the fire a hoax.", "Paper wins auction"),
    ("A pair of senators demanded the files from the prison.", "Senators demanded files from prison"),
]


NARROW = [
    ("You may have seen boats with red sails in Lund.", "Boats with red sails in Lund"),
    ("Peruvian prosecutors have charged two men over a raid in northern Peru.", "Peru charges two men over raid"),
    ("Ana Ruiz, who pioneered Andean poetry, has died.", "Ana Ruiz, Andean poetry pioneer, dies"),
    ("The singer leads the Lund Choir nominations with nine.", "Singer leads Lund nominations with nine"),
    ("Jan Holm, a goalkeeper for the Lund Lions, was hurt.", "Jan Holm, Lund goalkeeper, was hurt"),
    ("I have no flu and I'm not ill - I'm recovering from a long swim.", "I'm recovering from a long swim"),
    ("Prince of Lund: The Lost Bell just fell to its lowest price.", "Prince of Lund: Lost Bell"),
    ("The game has teased its next few updates.", "Game teases its next updates"),
    ("A shopper found a frog while browsing the shelves of a bakery.", "Shopper found frog in bakery"),
    ("The doctors at the Lund hospital began a strike over a doctor there.", "Lund doctors begin strike over doctor"),
]


def test_a_hyphen_between_blanks_parts_clauses():
    assert read_words("Not ill - a well-known swimmer").lower == ("not", "ill", "-", "a", "well-known", "swimmer")


@pytest.mark.parametrize(("lead", "headline"), NARROW)
def test_the_rules_pass_what_only_looks_wrong(lead, headline):
    assert wrong_relations(headline, lead) == []


@pytest.mark.parametrize(("lead", "headline"), TRUE)
def test_a_true_headline_is_not_taken_for_a_wrong_one(lead, headline):
    assert wrong_relations(headline, lead) == []


@pytest.mark.parametrize(("lead", "wrong", "right"), PAIRS)
def test_a_wrong_headline_is_told_from_a_true_one(lead, wrong, right):
    assert wrong_relations(wrong, lead)
    assert wrong_relations(right, lead) == []


def test_what_only_says_less_does_not_turn_the_meaning():
    assert wrong_relations("Spain fell in third quarter", JOBLESS)
    assert wrong_relations("Spain fell in third quarter", JOBLESS, turning=True) == []
    assert wrong_relations("Ports met the target", "Not one of the 27 ports met the target.", turning=True)


def test_a_lead_lends_itself_word_for_word():
    for lead, *_ in PAIRS:
        assert wrong_relations(lead.rstrip("."), lead) == []


def test_words_are_laid_on_the_next_place_that_has_them():
    lead = read_words("The bank sold the mill and the bank bought the port.")
    said = read_words("Bank sold mill, bank bought ship")
    assert laid_on(said, lead) == [1, 2, 4, -1, 7, 8, -1]
    assert laid_on(said, read_words("The ship of a bank.")) == [4, -1, -1, -1, 4, -1, 1]  # what was kept is another's
    assert laid_on(said, lead) == [1, 2, 4, -1, 7, 8, -1]


def test_a_second_choice_has_the_leads_words_and_a_verb():
    lead = "The health minister took back his statement that the flu vaccine was unsafe."
    assert is_steady("Health minister took back his statement", lead)
    assert not is_steady("Health minister defends flu vaccine", lead)
    assert not is_steady("The health minister's flu vaccine", lead)


def test_empty_headlines():
    lead = "The dispute will go to arbitration if the two companies cannot agree on a price by June."
    assert says_little("Arbitration to be over", lead) and not says_little("Price dispute to go to arbitration", lead)


def test_messages_are_told_from_news():
    assert is_message("Fix a race condition in the pool that caused requests to hang.")
    assert is_message("Dear customer service, my order was empty. Please send the lamp again.")
    assert not is_message("Ministers said they would fix the pension law, and the mayor of Lund asked them to hurry.")
    assert not is_message("Update 8:30am: Lamps have gone back up in price.")
    assert not is_message("Support for Lena Holm has grown in small towns since June, polls show.")
    assert not is_message("Slightly overweight patients have a lower risk after surgery.")
    assert not is_message("Fund cut its stake in the carmaker from 2.1 percent to 0.8 percent.")


def test_a_change_keeps_what_it_does():
    lead = "Fix a race condition in the pool that caused requests to hang."
    assert is_steady("Fix a race condition in the pool", lead, ordered=True)
    assert not is_steady("Race condition in the pool caused requests to hang", lead, ordered=True)


def test_a_limit_does_not_end_inside_a_phrase():
    lead = "The carmaker denied that it was planning to sell its truck division."
    assert ends_inside("Carmaker denies planning to sell its truck", lead) and ends_inside("Carmaker to sell S.", lead)
    assert not ends_inside("Carmaker denies planning to sell its truck division", lead)


def test_a_headline_is_a_whole_sentence():
    lead = "A tribunal overturned the suspension of the coach, who had denied giving runners banned pills."
    assert form_faults("Tribunal overturns suspension of coach who denied", lead)
    assert form_faults("Tribunal overturns suspension of the", lead)
    assert form_faults("Tribunal overturns. Suspension of coach", lead)
    assert form_faults("Tribunal overturns suspension of coach", lead) == []
    bought = "I am writing about the lamp I bought, which stopped working after two weeks."
    assert form_faults("I stopped working after two weeks", bought)
    assert form_faults("I bought a lamp", bought) == []
    unless = "Unless parliament approves the budget, teachers in Lund will not be paid in March."
    assert form_faults("Unless parliament approves budget for teachers in Lund", unless)
    setting = "Of the nine ferries ordered by the islands in June, only two will sail this year."
    assert form_faults("Of the nine ferries ordered by islands", setting)
    assert form_faults("Of nine ferries ordered in June, only two will sail", setting) == []
    assert form_faults("Unless parliament approves budget, teachers will not be paid", unless) == []


def test_a_second_choice_joins_no_words_over_a_verb():
    lead = "Crime fell in the suburbs but rose in the city centre, police said."
    assert not is_steady("Crime fell in the city centre", lead, ordered=True)
    assert is_steady("Crime fell in the suburbs", lead, ordered=True)


@pytest.mark.parametrize("lead", ["…", "", "\u200b"])
@pytest.mark.parametrize("headline", ["If it rains, they wait", "Rates rise again", "…", ""])
def test_a_lead_without_words_is_judged_too(headline: str, lead: str) -> None:
    assert not is_steady(headline, lead, ordered=True)
    assert isinstance(form_faults(headline, lead), list)


TURNOUT = "Turnout fell to its lowest since 1946, but the Greens gained four seats and the Liberals lost nine."
SALAD = "Inspectors blamed the outbreak on salad served at a school and cleared the fish factory."
TRAM = "The tram line will be 14 kilometres long instead of the 22 promised before the election."


@pytest.mark.parametrize(
    ("lead", "wrong", "right"),
    [
        (
            "Efforts to refloat the ship stuck in the Elbe failed again.",
            "Ship stuck in Elbe failed again",
            "Efforts to refloat ship failed again",
        ),
        (
            "Ministers gave in after insurers predicted 200 more deaths.",
            "Ministers gave in after 200 more deaths",
            "Ministers gave in after insurers predicted deaths",
        ),
        ("Claims that the mayor owns a villa are untrue.", "Mayor owns a villa are untrue", "Claims of villa untrue"),
        (TURNOUT, "Turnout falls but Greens lost nine", "Turnout falls but Greens gained four"),
        (SALAD, "Salad served at school cleared of fish factory", "Inspectors cleared fish factory"),
        (
            "The treaty omits fishing rights, the foreign minister admitted.",
            "Treaty omits fishing rights in foreign minister admitted",
            "Treaty omits fishing rights, foreign minister admits",
        ),
        (
            "Four of the satellites launched from French Guiana have made contact.",
            "Four French satellites made contact",
            "Four satellites launched from French Guiana made contact",
        ),
        (TRAM, "Tram line will be 14 kilometres before election", "Tram line will be 14 kilometres long"),
        (
            "Farmers from eleven regions threatened to strike.",
            "Eleven regions threatened to strike",
            "Farmers threatened to strike",
        ),
    ],
)
def test_subjects_keep_their_first_noun_and_verbs_their_own(lead: str, wrong: str, right: str) -> None:
    assert wrong_relations(wrong, lead)
    assert wrong_relations(right, lead) == []


def test_a_man_may_stand_for_a_group_of_them() -> None:
    assert wrong_relations("Storms killed six", "A series of storms killed six people.") == []
    assert wrong_relations("Holm elected mayor", "Despite the loss of his voice, Holm was elected mayor.") == []


def test_a_lead_of_one_word_is_read() -> None:
    assert wrong_relations("I I", "I") == wrong_relations("No", "No") == []
