"""The statistics of a data folder: what the page says is what the corpus has."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_corpus import made_rows, write_rows

from hedline.data.options import build_request
from hedline.data.prepare import prepare
from hedline.data.stats import PAPER, Report
from hedline.errors import UserError
from hedline.text.tokenize import normalize


def test_counts_are_those_of_the_corpus(tmp_path: Path) -> None:
    rows = made_rows(60)
    source = write_rows(tmp_path / "a.jsonl", [*rows, rows[0]])  # one pair twice
    request = build_request([source], tmp_path / "data", preset="none", split="none", workers=1)
    prepare(request)
    report = Report.of(tmp_path / "data")
    train, leads = report.stats["splits"]["train"], [normalize(row["lead"]) for row in rows]
    assert train["pairs"] == 60 and report.stats["read"]["train"] == 61
    assert train["input_tokens"] == sum(map(len, leads))
    assert train["mean_input"] == pytest.approx(sum(map(len, leads)) / 60, abs=1e-3)
    overlaps = [len({*lead} & {*normalize(row["headline"])}) for lead, row in zip(leads, rows, strict=True)]
    assert train["mean_overlap"] == pytest.approx(sum(overlaps) / 60, abs=1e-3)
    assert report.stats["types"]["input"] == len({word for lead in leads for word in lead})
    text = report.text()
    assert "duplicate" in text and all(number in text for number in PAPER.values())


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no data folder"):
        Report.of(tmp_path)
