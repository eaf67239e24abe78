"""The interface of the baselines: limits, folders, names; and PREFIX, the simplest of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.baselines.system import (
    SYSTEMS,
    Limit,
    Prefix,
    find_system,
    is_baseline,
    open_baseline,
    prefix,
    read_config,
    run_prefix,
    write_config,
)
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.errors import UserError
from hedline.metrics.resampling import resample_means, resampled_mean
from hedline.metrics.rouge import find_preset


@given(st.text(max_size=60), st.integers(1, 40), st.integers(1, 8))
def test_a_cut_text_fits_and_is_the_longest_such_beginning(text: str, bytes: int, words: int) -> None:
    limit = Limit(bytes, words)
    cut = limit.cut(text)
    assert limit.fits(cut)
    beginnings = [" ".join(text.split()[:n]) for n in range(len(text.split()) + 1)]
    longest = [each for each in beginnings if limit.fits(each)][-1]
    first = "".join(text.split()[:1]).encode("utf-8", "replace")
    assert cut == longest or (not longest and first.startswith(cut.encode()))


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="leaves no headline"):
        Limit(bytes=0)


def test_prefix_keeps_both_limits_and_may_end_in_half_a_word() -> None:
    item = EvaluationItem("1", "Zoë’s ferry sank off the coast on Monday.", ())
    assert Prefix.open().headlines([item], Limit(bytes=6)) == ["Zoë"]
    assert Prefix.open().headlines([item], Limit(bytes=13)) == ["Zoë’s ferr"]
    assert Prefix.open().headlines([item], Limit(words=2)) == ["Zoë’s ferry"]


def test_unknown_and_unbuilt_names_are_sentences() -> None:
    with pytest.raises(UserError, match="no baseline is called 'magic'"):
        find_system("magic")
    assert find_system("PREFIX") is Prefix
    assert {"ir", "compress", "topiary", "wl", "moses", "banko"} < set(SYSTEMS)


def test_a_folder_says_what_it_is(tmp_path: Path) -> None:
    assert not is_baseline(tmp_path)
    with pytest.raises(UserError, match="no fitted baseline"):
        open_baseline(tmp_path)
    write_config(tmp_path, "prefix", {"learnt": 3})
    assert is_baseline(tmp_path)
    assert isinstance(open_baseline(tmp_path), Prefix)
    assert read_config(tmp_path)["learnt"] == 3
    with pytest.raises(UserError, match="holds the baseline 'prefix', not 'ir'"):
        read_config(tmp_path, "ir")


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
