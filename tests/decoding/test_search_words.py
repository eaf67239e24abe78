"""The search over words against brute force, for random models, modes, limits and weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from decoding_fakes import TableScorer
from hypothesis import given, settings
from hypothesis import strategies as st
from word_oracle import Oracle

import hedline
from hedline.api import Summarizer
from hedline.decoding.choice import Guards
from hedline.decoding.options import DecodeOptions, Defaults
from hedline.decoding.reading import WordReader
from hedline.decoding.summary import ABS_WEIGHTS
from hedline.text.casing import Truecaser
from hedline.text.tokenize import read_source
from hedline.text.vocab import Vocabulary


@pytest.fixture(scope="module", autouse=True)
def _search_alone():
    """Here the search itself is tested; what the guards make of its results is tested in test_choice.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Guards, "faults", lambda *_: ())
        yield


VOCABULARY = Vocabulary.of(["the", "mayor", "quits", "'s", "##", "of"])
TEXTS = (
    "The mayor of Zorp 12 of 15",
    "Zorp the mayor 12 the mayor quits",
    "Of the mayor 's Å 's 7",
)
EVERYTHING = 100_000

limits = st.sampled_from(
    [
        {"words": 1},
        {"words": 2},
        {"exact_words": 2},
        {"bytes": 8, "fill": 0.0},
        {"chars": 7},
        {"bytes": 9, "words": 2},
        {"chars": 7, "fill": 0.8},
    ]
)
weights = st.sampled_from(
    [
        ABS_WEIGHTS,
        {"log_prob": 1.0, "unigram": 1.3, "bigram": 0.7, "trigram": 2.0, "reorder": -0.9},
        {"log_prob": 0.5, "unigram": -1.0, "length": 0.8, "unsupported": -1.5, "repeat": -0.7},
    ]
)


def summarizer(scorer: TableScorer, tuned: dict[str, float], penalty: float) -> Summarizer:
    return Summarizer(scorer, WordReader(VOCABULARY, VOCABULARY, Truecaser()), Defaults(tuned, penalty))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    context=st.sampled_from([1, 2, 3, None]),
    text=st.sampled_from(TEXTS),
    limit=limits,
    mode=st.sampled_from(["abstractive", "extractive", "compressive"]),
    tuned=weights,
    penalty=st.sampled_from([0.0, 0.6, 1.0]),
    switches=st.fixed_dictionaries(
        {"block_repeats": st.booleans(), "copy_unknown": st.booleans(), "recombine": st.booleans()}
    ),
    variant=st.sampled_from(["paper", "namas"]),
)
def test_a_beam_that_drops_nothing_equals_brute_force(
    seed, context, text, limit, mode, tuned, penalty, switches, variant
):
    scorer = TableScorer(len(VOCABULARY), context, seed)
    options = DecodeOptions(
        **limit, mode=mode, variant=variant, length_penalty=penalty, guard_meaning=False, **switches
    )
    expected = Oracle(scorer, read_source(text), VOCABULARY, options, dict(tuned), penalty).all()
    found = summarizer(scorer, tuned, penalty).summarize([text], options, beam=EVERYTHING)[0]
    if options.fill:
        enough = [each for each in expected if len(each[0]) >= options.fill * options.chars]
        expected = enough or expected
    if not expected:
        assert found.text == "" or found.notes
        return
    assert found.nbest[0].key == pytest.approx(expected[0][2], abs=1e-4)
    assert found.score == pytest.approx({each[0]: each[1] for each in expected}[found.text], abs=1e-4)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), text=st.sampled_from(TEXTS), limit=limits, tuned=weights)
def test_the_whole_n_best_list_equals_brute_force(seed, text, limit, tuned):
    scorer = TableScorer(len(VOCABULARY), 2, seed)
    options = DecodeOptions(**limit, length_penalty=0.0, recombine=False, nbest=12, guard_meaning=False)
    expected = Oracle(scorer, read_source(text), VOCABULARY, options, dict(tuned), 0.0).all()
    found = summarizer(scorer, tuned, 0.0).summarize([text], options, beam=EVERYTHING)[0]
    if options.fill:  # the headlines that use enough of the limit come first, then those that miss it by least
        expected.sort(key=lambda each: (max(0, math.ceil(options.fill * options.chars) - len(each[0])), -each[2]))
    keys = [hypothesis.key for hypothesis in found.nbest]
    np.testing.assert_allclose(keys, [each[2] for each in expected[:12]], atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000), limit=limits, mode=st.sampled_from(["abstractive", "extractive", "compressive"]),
    beam=st.sampled_from([1, 2, 5]), tuned=weights,
)  # fmt: skip
def test_every_narrow_beam_keeps_the_limits_and_scores_what_it_says(seed, limit, mode, beam, tuned):
    options = DecodeOptions(**limit, mode=mode, beam=beam, nbest=3)
    model = summarizer(TableScorer(len(VOCABULARY), 2, seed), tuned, 0.0)
    for result in model.summarize(TEXTS, options):
        for hypothesis in result.nbest:
            assert len(hypothesis.text.split()) <= options.word_limit
            assert len(hypothesis.text.encode()) <= options.byte_limit
            assert len(hypothesis.text) <= options.char_limit
            weighted = sum(tuned.get(name, 0.0) * value for name, value in hypothesis.features.items())
            assert hypothesis.score == pytest.approx(weighted, abs=1e-4)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), mode=st.sampled_from(["abstractive", "extractive", "compressive"]))
def test_results_do_not_depend_on_the_batch(seed, mode):
    model = summarizer(TableScorer(len(VOCABULARY), 2, seed), {"log_prob": 1.0, "bigram": 1.0}, 0.6)
    together = model.summarize(TEXTS, mode=mode, bytes=30)
    alone = [model.summarize([text], mode=mode, bytes=30)[0] for text in TEXTS]
    assert [each.text for each in together] == [each.text for each in alone]


@pytest.mark.parametrize("mode", ["extractive", "compressive"])
def test_a_clitic_stays_with_its_own_word(mode):
    lead = "The Hong Kong chain bought the baker's stable of brands, but the owner didn't sell the doctors' shares."
    known = {word.strip(".,").lower() for word in lead.split()}
    known |= {word.removesuffix("'s").removesuffix("n't").rstrip("'") for word in known}
    for nbest in hedline.load("abs").summarize([lead], mode=mode, nbest=20, beam=20, guard_meaning=False)[0].nbest:
        assert {word.strip(".,").lower() for word in nbest.text.split()} <= known
