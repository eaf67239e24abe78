"""The name guard."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from small_models import LEADS, subwords_folder, words_folder

import hedline
from hedline import api
from hedline.decoding.summary import Hypothesis
from hedline.decoding.supported import supported_first
from hedline.errors import UserError
from hedline.metrics.names import unsupported_names

LEAD = "The harbour master of Brindle Cove resigned on Monday, the council said."


def candidate(text: str) -> Hypothesis:
    tokens = tuple(text.split())
    return Hypothesis(text, 0.0, tokens, {}, np.zeros((len(tokens), 1), np.float32), (True,) * len(tokens), 0.0)


def test_the_best_candidate_without_an_invented_name_comes_first_and_the_rest_keep_their_order():
    texts = [
        "Harbour master of NATO quits in Oslo",
        "Harbour master quits in Oslo",
        "Harbour master of Brindle Cove quits",
        "Harbour master quits",
    ]
    found = [each.text for each in supported_first([candidate(text) for text in texts], LEAD)]
    assert found == [texts[2], texts[3], texts[1], texts[0]]
    again = supported_first([candidate(text) for text in [texts[3], texts[2], texts[3]]], LEAD)
    assert [each.text for each in again] == [texts[3], texts[2]]


def test_a_headline_that_misses_the_exact_length_stays_behind():
    short = replace(candidate("Harbour master quits"), short=2)
    exact = candidate("Harbour master of NATO quits in Oslo")
    assert [each.text for each in supported_first([short, exact], LEAD)] == [exact.text, short.text]


def test_a_model_says_whether_its_names_are_guarded(tmp_path):
    lead = "The tech giant will let its assistant answer questions about what is on the screen."
    folder = tmp_path / "model"
    shutil.copytree(api.find_model(None), folder)
    tuning = json.loads((folder / "tuning.json").read_text())
    headlines = {}
    for guard in (True, False):
        tuning["decoding"]["guard_names"] = guard
        (folder / "tuning.json").write_text(json.dumps(tuning))
        headlines[guard] = hedline.load(folder)(lead)
    plain = hedline.load()
    assert headlines == {guard: plain(lead, guard_names=guard) for guard in (True, False)}
    assert headlines[True] != headlines[False]
    tuning["decoding"]["guard_names"] = "yes"
    (folder / "tuning.json").write_text(json.dumps(tuning))
    with pytest.raises(UserError, match=r"tuning\.json"):
        hedline.load(folder)


def test_the_guard_searches_again_only_where_a_name_was_invented(monkeypatch):
    leads = [
        "The city council voted on Tuesday to close the old harbour bridge for repairs.",
        "The tech giant will let its assistant answer questions about what is on the screen.",
    ]
    summarizer = hedline.load()
    plain = summarizer.summarize(leads, nbest=1, guard_names=False)
    invented = [
        bool(unsupported_names(each.text, lead, summarizer.casing)) for each, lead in zip(plain, leads, strict=True)
    ]
    assert invented == [False, True]
    searched = []
    monkeypatch.setattr(api, "decode", lambda *rest, old=api.decode: searched.append(len(rest[1].inputs)) or old(*rest))
    summarizer.summarize(leads, guard_names=True)
    assert searched[0] == 2 and set(searched[1:]) == {1}


@pytest.mark.parametrize("make", [words_folder, subwords_folder])
@pytest.mark.parametrize("options", [{}, {"mode": "extractive"}, {"mode": "compressive"}, {"rerank": "mbr"}])
def test_guarded_headlines_invent_no_name_and_keep_limits(make, options, tmp_path):
    summarizer = hedline.load(make(tmp_path / "model"))
    for nbest in (1, 3):
        found = summarizer.summarize(LEADS, nbest=nbest, words=8, guard_names=True, **options)
        for lead, result in zip(LEADS, found, strict=True):
            assert unsupported_names(result.text, lead) == []
            assert len(result.nbest) <= nbest
            assert len(result.text.split()) <= 8


def test_the_shipped_model_invents_names_and_the_guard_stops_it():
    leads = [
        "The enclave's health ministry said more than 40 people were killed overnight.",
        "The tech giant will let its assistant answer questions about what is on the screen.",
        "The carmaker's chief executive said the social network he owns will pay its users.",
    ]
    summarizer = hedline.load()
    invented = [
        [
            unsupported_names(result.text, lead, summarizer.casing)
            for lead, result in zip(leads, summarizer.summarize(leads, guard_names=guard), strict=True)
        ]
        for guard in (False, True)
    ]
    assert any(invented[0])
    assert not any(invented[1])
