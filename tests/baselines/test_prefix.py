"""PREFIX and `hedline baseline`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.baselines.prefix import prefix, run_prefix
from hedline.cli.main import run
from hedline.corpora.sets import read_evaluation_set
from hedline.errors import UserError
from hedline.metrics.resampling import resample_means, resampled_mean
from hedline.metrics.rouge import find_preset

LEAD = "The  harbour café “Nordlicht” reopened\non Monday after nine months of repairs."


def finish(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as caught:
        run(arguments)
    return int(caught.value.code or 0)


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


def test_command_prints_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leads = tmp_path / "leads.txt"
    leads.write_text("The council met on Friday.\nTwo trains stood still.\n")
    assert finish(["baseline", "prefix", str(leads), "--words", "2"]) == 0
    assert capsys.readouterr().out == "The council\nTwo trains\n"
    assert finish(["baseline", "prefix", str(leads), "--out", str(tmp_path / "out.txt")]) == 0
    assert (tmp_path / "out.txt").read_text() == leads.read_text()


def test_command_scores_a_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        {"id": "1", "lead": "Council votes to close bridge on Friday", "references": ["Council votes to close bridge"]},
        {"id": "2", "lead": "Snow fell on the valley", "references": ["Trains late"]},
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    assert finish(["baseline", "prefix", str(path), "--words", "5", "--score"]) == 0
    out = capsys.readouterr().out
    assert "ROUGE-1 F1 50.00" in out and "ROUGE|metric:1,2,L" in out


@pytest.mark.parametrize(("name", "says"), [("IR", "must be fitted"), ("Moses+", "must be fitted"), ("x", "no base")])
def test_other_baselines_are_named(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        run(["baseline", name, str(tmp_path / "set.jsonl")])


def test_scores_need_references(tmp_path: Path) -> None:
    (tmp_path / "leads.txt").write_text("Snow fell.\n")
    with pytest.raises(UserError, match="no references"):
        run(["baseline", "prefix", str(tmp_path / "leads.txt"), "--score"])


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
