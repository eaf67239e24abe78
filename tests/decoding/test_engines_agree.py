"""The numpy runtime and torch give the same headlines, for every family, decoder and mode."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import LEADS, lstm_folder, subwords_folder, words_folder

import hedline
from hedline.models.model import open_model
from torch_scorer import torch_scorer
from transformer_scorer import TransformerScorer

TUNED = {"log_prob": 1.0, "unigram": 0.8, "bigram": 0.5, "trigram": 0.3, "reorder": -0.5}
CASES = [
    {"mode": mode, "decoder": decoder, "words": 6}
    for mode in ("abstractive", "extractive", "compressive")
    for decoder in ("beam", "greedy")
]
CASES += [{"decoder": "exact", "mode": "compressive", "exact_words": 3}, {"bytes": 40, "weights": TUNED, "nbest": 3}]


@pytest.fixture(scope="module", params=[words_folder, lstm_folder, subwords_folder])
def pair(request, tmp_path_factory):
    folder = request.param(tmp_path_factory.mktemp("model"))
    model = open_model(folder)[0]
    scorer = TransformerScorer(model) if request.param is subwords_folder else torch_scorer(model)
    return hedline.load(folder), hedline.load(folder, scorer=scorer)


@pytest.mark.parametrize("options", CASES, ids=lambda options: "-".join(str(value) for value in options.values()))
def test_numpy_and_torch_give_the_same_headlines(pair, options):
    if options.get("decoder") == "exact" and pair[0].reader.units == "subwords":
        options = {**options, "exact_words": 1, "bytes": 4}
    ours, theirs = (each.summarize(LEADS, **options) for each in pair)
    assert [[other.text for other in each.nbest] for each in ours] == [[o.text for o in each.nbest] for each in theirs]
    for mine, yours in zip(ours, theirs, strict=True):
        assert mine.score == pytest.approx(yours.score, abs=1e-3)
        np.testing.assert_allclose(mine.alignment, yours.alignment, atol=1e-3)
