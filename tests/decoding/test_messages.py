"""Which texts are no news: what people write to each other, note, offer and give notice of; nothing that news says."""

from __future__ import annotations

import pytest

from hedline.decoding.choice import is_message
from hedline.decoding.message_titles import message_title
from hedline.decoding.messages import any_of, gives_steps, is_no_news
from hedline.decoding.options import DecodeOptions


@pytest.mark.parametrize(
    "text",
    [
        "The oven arrived with a broken door. I want my money back.",
        "Settings page: the save button is missing for guests.",
        "Customers cannot upload more than one picture of a boat.",
        "This canvas bag has two pockets and comes with a strap.",
        "Melt the butter and stir in the flour.",
        "Background: Few sailors sleep well. Methods: We asked forty of them.",
        "fix(parser): keep the last line of a file without a newline",
        "At today's meeting the board chose a new cook.",
        "The tenant shall keep the stairs clean at all times.",
        "We ate here twice. The soup was cold and the waiter rude.",
        "Part-time gardener wanted for a small park in Lund.",
        "This thesis examines how ferries and trains wait for each other.",
    ],
)
def test_texts_of_other_kinds_are_no_news(text: str) -> None:
    assert is_no_news(text)


@pytest.mark.parametrize(
    "lead",
    [
        "The mayor of Lund resigned on Monday. Her deputy takes over.",
        "Police said the app of the bank was down for hours. Customers could not log in.",
        "Lund opened a new bridge after ten years of work, and thousands came to see it.",
        "“I never saw my money again,” a customer of the bank in Lund told reporters. The bank denies it.",
        "Users of the ferry app have complained for years, a survey says. The operator wants to mend it.",
        "Customers have been asked to return kettles that can catch fire, the maker of Lund announced.",
        "Remove the tax on boats, Lena Holm told ministers, or lose the harbour.",
        "A great week for our team … The post Lund wins again appeared first on Lund Herald.",
    ],
)
def test_news_is_left_to_the_model(lead: str) -> None:
    assert not is_no_news(lead)
    assert message_title(lead, lead.split(), DecodeOptions()) == []


def test_more_texts_than_the_guards_are_sure_of() -> None:
    review = "We ate here twice. The soup was cold and the waiter rude."
    assert is_no_news(review) and not is_message(review)


def test_steps_are_told_to_nobody_by_name() -> None:
    assert gives_steps("Open the lid and pour the water in.")
    assert not gives_steps("Open the gates, Mayor Lena Holm demanded.")


def test_one_pattern_a_line() -> None:
    assert any_of("\n  a b\n  ^c\n").findall("A b c") == ["A b"]
