"""What a text is searched with changes nothing about its answer, to the last digit: servers batch as requests come."""

from __future__ import annotations

import json

import pytest

import hedline
from hedline.bench.text import built_in

SENTENCES = built_in(24)
TEXTS = [" ".join(SENTENCES[i : i + 1 + i % 3]) for i in range(16)]  # of one to three sentences


def lines(summarizer: hedline.Summarizer, texts: list[str], batch: int, **options: object) -> list[str]:
    found = summarizer.summarize(texts, batch=batch, **options)
    written = [each.to_json("1", text) for each, text in zip(found, texts, strict=True)]
    return [json.dumps(_rounded(each) if summarizer.name == "abs" else each) for each in written]


def _rounded(record: object) -> object:
    """The same with two digits: abs multiplies in float32, whose last digits depend on the size of the batch."""
    if isinstance(record, dict):
        return {name: _rounded(value) for name, value in record.items()}
    if isinstance(record, list):
        return [_rounded(value) for value in record]
    return round(record, 2) if isinstance(record, float) else record


@pytest.mark.parametrize("model", ["default", "abs"])
def test_a_text_is_answered_alike_in_every_batch(model: str) -> None:
    summarizer = hedline.load(model)
    alone = lines(summarizer, TEXTS, 1, nbest=3)
    assert lines(summarizer, TEXTS, 16, nbest=3) == alone
    assert lines(summarizer, TEXTS[::-1], 5, nbest=3) == alone[::-1]


@pytest.mark.parametrize("model", ["default", "abs"])
def test_padding_changes_no_digit(model: str) -> None:
    """A short text beside a long one is padded; its scores once differed in the seventh digit."""
    summarizer = hedline.load(model)
    for short in ("Chen closes", "Mayor opens harbour ferry in Lund on Tuesday"):
        alone = summarizer.summarize([short], exact_words=7, beam=2)[0]
        for long in TEXTS[:6]:
            beside = summarizer.summarize([short, long], exact_words=7, beam=2)[0]
            assert (beside.text, beside.score) == (alone.text, alone.score)
            assert beside.alignment.tobytes() == alone.alignment.tobytes()
