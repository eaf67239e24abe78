"""The account of length: a larger reward never makes headlines shorter, on shipped and on random models."""

from itertools import pairwise

import numpy as np
import pytest
from decoding_fakes import TableScorer
from test_search_words import VOCABULARY, summarizer

from hedline.api import load
from hedline.decoding.options import DecodeOptions

LEADS = [
    "The city council voted on Tuesday to close the old harbour bridge for repairs after engineers found rust.",
    "A storm that crossed the northern islands overnight left 4,000 homes without power, the grid operator said.",
    "Teachers in three provinces will walk out on Friday over a pay offer that their union called an insult.",
    "The museum said it would return two bronze figures that were taken from a temple more than a century ago.",
    "Shares of the carmaker fell 7 percent after it warned that a shortage of chips would cut output this year.",
    "Scientists have found water vapour in the air of a planet that circles a small red star 40 light years away.",
    "The prime minister promised lower taxes for small firms and more money for railways in her first speech.",
    "Police arrested a man who drove a stolen tractor through the gates of a closed airfield near the coast.",
]
RANDOM_TEXT = "storm closes old harbour bridge after long debate"


def mean_units(model, leads, **options):
    found = model.summarize(leads, guard_names=False, guard_meaning=False, **options)
    return np.mean([each.nbest[0].units for each in found])


def never_falls(lengths):
    return all(later >= before - 1e-9 for before, later in pairwise(lengths))


@pytest.mark.parametrize("name", ["abs", "default"])
def test_a_larger_length_penalty_never_shortens_the_shipped_models_headlines(name):
    model = load(name)
    lengths = [mean_units(model, LEADS, length_penalty=a) for a in (-1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0)]
    assert never_falls(lengths)
    assert lengths[-1] > lengths[0] + 3


@pytest.mark.parametrize("name", ["abs", "default"])
def test_a_larger_length_weight_never_shortens_the_shipped_models_headlines(name):
    model = load(name)
    weights = dict(model.defaults.weights)
    # What candidates agree on knows nothing of the length.
    plain = {"guard_names": False, "guard_meaning": False, "rerank": "none"}
    lengths = [
        np.mean([len(each.tokens) for each in model.summarize(LEADS, weights={**weights, "length": w}, **plain)])
        for w in (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0)
    ]
    assert never_falls(lengths)
    assert lengths[-1] > lengths[0] + 3


@pytest.mark.parametrize("seed", range(6))
def test_random_models_with_random_weights_of_any_sign(seed):
    rng = np.random.default_rng(seed)
    names = ("unigram", "bigram", "trigram", "reorder", "unsupported")
    weights = {"log_prob": 1.0, **dict(zip(names, rng.normal(0, 2, len(names)).tolist(), strict=True))}
    model = summarizer(TableScorer(len(VOCABULARY), 3, seed), weights, 0.0)

    def units(beam, **options):
        given = DecodeOptions(max_words=6, beam=beam, guard_meaning=False).but(**options)
        return model.summarize([RANDOM_TEXT], given)[0].nbest[0].units

    for beam in (1, 4, 400):
        assert never_falls([units(beam, length_penalty=a) for a in (-2.0, -0.5, 0.0, 0.3, 1.0, 3.0)])
        assert never_falls([units(beam, weights={**weights, "length": w}) for w in (-4.0, -1.0, 0.0, 1.0, 4.0)])


def test_a_short_limit_of_bytes_is_filled_and_no_other():
    settle = load("abs").defaults.untuned().settle
    assert settle(DecodeOptions(bytes=75)).fill == 0.9
    assert settle(DecodeOptions(bytes=75, fill=0.0)).fill == 0.0
    for limits in ({}, {"bytes": 200}, {"bytes": 75, "words": 8}, {"chars": 60}, {"exact_words": 8, "bytes": 75}):
        assert settle(DecodeOptions(**limits)).fill == 0.0


def test_the_papers_protocol_writes_exactly_so_many_words_and_cuts_the_text():
    model = load("abs")
    whole = model.summarize(LEADS, exact_words=14, guard_meaning=False)
    cut = model.summarize(LEADS, exact_words=14, bytes=40, cut=True, guard_meaning=False)
    for long, short in zip(whole, cut, strict=True):
        assert short.text == long.text.encode()[:40].decode("utf-8", "ignore").rstrip()
        assert short.tokens == long.tokens


def test_reranking_by_shared_words_never_shares_fewer_words_of_the_lead():
    model = load("abs")

    def shared(summary):
        marked = zip(summary.nbest[0].tokens, summary.nbest[0].known, strict=True)
        return len({token.lower() for token, known in marked if known})

    plain = model.summarize(LEADS, rerank="none", beam=8, guard_meaning=False, guard_names=False)
    ranked = model.summarize(LEADS, rerank="overlap", beam=8, guard_meaning=False, guard_names=False)
    pairs = list(zip(ranked, plain, strict=True))
    assert all(shared(ours) >= shared(theirs) for ours, theirs in pairs)
    assert any(shared(ours) > shared(theirs) for ours, theirs in pairs)


@pytest.mark.parametrize("name", ["abs", "default"])
def test_the_dial_turns(name):
    model = load(name)

    def copied(turn):
        found = model.summarize(LEADS, abstractiveness=turn, guard_meaning=False, guard_names=False)
        return sum(len(each.copied) for each in found) / sum(len(each.tokens) for each in found)

    shares = [copied(turn) for turn in (-1.0, 0.0, 1.0)]
    assert shares[0] > shares[2]
    assert shares[0] >= shares[1] >= shares[2]
