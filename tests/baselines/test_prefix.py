"""PREFIX: the first words, characters or bytes of the input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.baselines.prefix import prefix, run_prefix
from hedline.corpora.sets import read_evaluation_set
from hedline.errors import UserError
from hedline.metrics.resampling import resample_means, resampled_mean
from hedline.metrics.rouge import find_preset

LEAD = "The  harbour café “Nordlicht” reopened\non Monday after nine months of repairs."


def test_limits_by_hand() -> None:
    assert prefix(LEAD, words=3) == "The harbour café"
    assert prefix(LEAD, chars=18) == "The harbour café “"
    assert prefix(LEAD, words=3, bytes=15) == "The harbour caf" and prefix(LEAD, words=2, bytes=15) == "The harbour"
    assert [prefix(LEAD, bytes=size) for size in (15, 16, 17, 19, 21)] == [
        "The harbour caf", "The harbour caf", "The harbour café", "The harbour café", "The harbour café “",
    ]  # fmt: skip


@given(st.text(), st.integers(1, 80))
def test_limits_hold(lead: str, size: int) -> None:
    assert len(prefix(lead, bytes=size).encode("utf-8", "replace")) <= size
    assert len(prefix(lead, chars=size)) <= size
    assert len(prefix(lead, words=size).split()) <= size


@pytest.mark.parametrize("limits", [{}, {"bytes": 0}, {"bytes": 75, "words": 0}])
def test_a_limit_is_needed(limits: dict[str, int]) -> None:
    with pytest.raises(UserError, match="limits of at least 1"):
        prefix(LEAD, **limits)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        ("test", {"chars": 75}, [26.40, 9.60, 22.85]),  # the data's README says bytes; characters they were
        ("test", {"words": 12}, [27.28, 9.93, 23.68]),
        ("wire2004", {"chars": 75}, [23.59, 6.54, 21.33]),
        ("wire2004", {"words": 7}, [21.59, 5.78, 20.29]),
    ],
)
def test_published_prefix_scores(open_news: Path, name: str, limit: dict[str, int], expected: list[float]) -> None:
    """The Perl script's numbers for PREFIX on the open data, its "Average" being a mean over resamples.

    The script resamples items in the order of their ids as strings; these were numbered from 0.
    """
    items = read_evaluation_set(open_news / f"{name}.jsonl.xz", limit=2000)
    scorer = find_preset("gigaword").scorer()
    headlines = run_prefix([item.lead for item in items], **limit)
    scores = scorer.score_all(headlines, [item.references for item in items])[:, :, 2]
    as_strings = sorted(range(len(items)), key=str)
    average = 100 * resampled_mean(resample_means(scores[as_strings]))
    np.testing.assert_allclose(average, expected, atol=0.011)
