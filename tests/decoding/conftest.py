"""Beams that drop nothing are the oracle of many tests here: wider than any a user may ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hedline.decoding import options


@pytest.fixture(autouse=True, scope="module")
def beams_of_any_width() -> Iterator[None]:
    """Lift the limit on hypotheses for the tests of one file."""
    usual = options.MOST_HYPOTHESES
    options.MOST_HYPOTHESES = 10_000_000
    yield
    options.MOST_HYPOTHESES = usual
