"""What a text is searched with changes nothing about its answer, to the last digit: servers batch as requests come."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from small_models import lstm_folder, subwords_folder, words_folder

import hedline
from hedline.bench.text import built_in
from hedline.decoding.decode import decode
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import Candidate

SENTENCES = built_in(24)
TEXTS = [" ".join(SENTENCES[i : i + 1 + i % 3]) for i in range(16)]  # of one to three sentences


FLOATS = {  # of a size at which BLAS takes other ways for few rows than for many
    "feedforward": words_folder,
    "lstm": partial(lstm_folder, D=64, H=96),
    "transformer": partial(subwords_folder, width=128, scale=0.1),
}


def lines(summarizer: hedline.Summarizer, texts: list[str], batch: int, **options: object) -> list[str]:
    found = summarizer.summarize(texts, batch=batch, **options)
    return [json.dumps(each.to_json("1", text)) for each, text in zip(found, texts, strict=True)]


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


@pytest.mark.parametrize("family", FLOATS)
def test_float_models_answer_alike_in_every_batch(family: str, tmp_path: Path) -> None:
    """A greedy search alone multiplies single rows, in a batch sixteen."""
    summarizer = hedline.load(FLOATS[family](tmp_path / "model"))
    for options in ({"decoder": "greedy", "words": 8}, {"beam": 3, "nbest": 3, "words": 8}):
        alone = summarizer.summarize(TEXTS, batch=1, **options)
        together = summarizer.summarize(TEXTS, batch=16, **options)
        assert [digits(each) for each in together] == [digits(each) for each in alone]


def digits(summary: hedline.Summary) -> list[tuple[str, float, bytes]]:
    return [digits_of(each) for each in summary.nbest]


def digits_of(candidate: Candidate) -> tuple[str, float, bytes]:
    whole = candidate.read()
    return whole.text, whole.score, whole.alignment.tobytes()


@pytest.mark.parametrize("family", ["default", "abs", *FLOATS])
def test_a_second_search_goes_on_from_what_the_first_encoded(family: str, tmp_path: Path) -> None:
    """Some inputs of a batch, searched again with a wider beam, get what a search of their own finds."""
    summarizer = hedline.load(FLOATS[family](tmp_path / "model") if family in FLOATS else family)
    scorer, reader = summarizer.scorer, summarizer.reader
    options = summarizer.defaults.settle(DecodeOptions(words=8))
    wide, places = options.but(nbest=6), [9, 2, 5]
    sources = [reader.read(text, 200)[0] for text in TEXTS]
    first = decode(scorer, reader.open(sources, options), options)
    lexicon = reader.open([sources[place] for place in places], wide)
    begun = first.begin(scorer, lexicon, places)
    assert begun is not None
    found, anew = decode(scorer, lexicon, wide, begun), decode(scorer, lexicon, wide)
    for place in range(len(places)):
        assert [*map(digits_of, found.read(place, wide))] == [*map(digits_of, anew.read(place, wide))]
    assert first.begin(scorer, lexicon, [9, 2, 6]) is None  # another text
    everything = reader.open([sources[place] for place in places], wide.but(full_vocabulary=True))
    assert (first.begin(scorer, everything, places) is None) == (lexicon.candidates is not None)
