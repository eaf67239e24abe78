"""From options to settings: what implies what, and which combinations make no sense."""

from pathlib import Path
from typing import Any

import pytest

from hedline.corpora.filters import PRESETS
from hedline.data.options import build_request
from hedline.data.prepare import PrepareRequest
from hedline.errors import UserError


def build(**options: Any) -> PrepareRequest:
    return build_request(sources=[Path("a.jsonl")], out=Path("data"), **options)


def test_defaults_are_the_papers() -> None:
    settings = build().settings
    assert settings.filters == PRESETS["paper"].filters
    assert (settings.units, settings.cleaners, settings.title_punctuation) == ("words", (), "keep")
    assert settings.splits.by == "hash"  # no valid file was named
    assert build(valid=[Path("v.jsonl")]).settings.splits.by == "none"
    assert build(valid_from="2024-01-02").settings.splits.by == "date"
    assert build(workers=0).workers >= 1


def test_a_limit_brings_its_filter_and_filters_can_be_left_out() -> None:
    filters = build(
        min_overlap=0.4, lead_words="5:60", exclude_source=["Post"], exclude_period="1998-10-01:1998-12-31",
        no_filter=["question-colon"], filter=["language"],
    ).settings.filters  # fmt: skip
    assert {"min-overlap", "lead-length", "sources", "period", "language"} <= set(filters.names)
    assert "question-colon" not in filters.names and len(set(filters.names)) == len(filters.names)
    assert (filters.lead_words, filters.min_overlap, filters.exclude_sources) == ((5, 60), 0.4, ("post",))
    assert filters.exclude_period == ("1998-10-01", "1998-12-31")


def test_cleaners_and_punctuation() -> None:
    settings = build(preset="open-news", clean=["dateline"], drop_title_punctuation=True).settings
    assert settings.cleaners == PRESETS["open-news"].cleaners
    assert settings.title_punctuation == "drop"
    assert build(preset="namas").settings.title_punctuation == "namas"


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"split": "week"}, "--split cannot be 'week'"),
        ({"split": "hash", "valid_from": "2024-01-01"}, "need --split date"),
        ({"split": "date", "valid_from": "2024-01-01", "test_share": 0.1}, "need --split hash"),
        ({"valid_share": 1.5}, "between 0 and 1"),
        ({"valid_share": 0.6, "test_share": 0.5}, "leave nothing to train on"),
        ({"min_overlap": -1.0}, "between 0 and 1"),
        ({"lead_words": "8:5"}, "takes MIN:MAX"),
        ({"no_filter": ["language"]}, "that filter is not on"),
        ({"clean": ["soap"]}, "unknown cleaner"),
        ({"min_count": 0}, "--min-count must be 1 or more"),
        ({"vocabulary_size": 10}, "--vocabulary-size must be 300 or more"),
        ({"workers": -1}, "--workers must be 0 or more"),
        ({"duplicates": "all"}, "choose from keep, exact, near"),
        ({"leakage": "hide"}, "choose from remove, report"),
    ],
)
def test_mistakes(options: dict[str, Any], match: str) -> None:
    with pytest.raises(UserError, match=match):
        build(**options)
