"""Numbers of a headline that nothing in its input supports."""

from __future__ import annotations

import pytest

from hedline.metrics.support import (
    unsupported_numbers,
)

LEAD = (
    "Russian Defense Minister Sergei Ivanov said on Sunday that 1,200 troops of the European Union and the U.S. "
    "will get 2 million dollars, three days after the fifth attack."
)


@pytest.mark.parametrize(
    ("headline", "expected"),
    [
        ("1200 troops get $2m", []),
        ("1,200 troops get 2,000,000 dollars", []),
        ("two million for troops after 3 days", []),
        ("4 days after 5th attack", ["4"]),
        ("Seven killed, 13 hurt", ["Seven", "13"]),
        ("One of the first attacks in half a second", ["half"]),
        ("1.200 troops", ["1.200"]),
        ("no numbers here", []),
    ],
)
def test_numbers(headline, expected):
    assert unsupported_numbers(headline, LEAD) == expected


@pytest.mark.parametrize(
    ("headline", "expected"),
    [("76ers star is out", []), ("49ers star is out", ["49ers"]), ("76 stars are out", ["76"])],
)
def test_a_team_of_76ers_counts_nothing(headline: str, expected: list[str]) -> None:
    assert unsupported_numbers(headline, "One of the 76ers stars, 19, is out.") == expected


def test_a_part_keeps_its_whole_or_loses_its_of() -> None:
    lead = "Plastic was found in 83 of 90 river samples, and 12 of the boats were old."
    assert unsupported_numbers("Plastic found in 83 of river samples", lead) == ["83"]
    assert unsupported_numbers("Plastic found in 83 of 90 samples", lead) == []
    assert unsupported_numbers("Plastic found in 83 river samples", lead) == []
    assert unsupported_numbers("12 of boats were old", lead) == []
