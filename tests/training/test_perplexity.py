"""Perplexity with and without unknown words."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from hedline.models.batch import Batch
from hedline.models.encoders import FeedForwardShape
from hedline.models.nnlm import FeedForward
from hedline.training.batches import DeviceSplit
from hedline.training.perplexity import exp, measure_perplexity, unknown_only


def test_perplexity_arithmetic():
    assert exp(math.log(8) * 5, 5) == pytest.approx(8)
    assert exp(1e9, 1) == math.inf and math.isnan(exp(0.0, 0))
    batch = unknown_only(Batch.from_lists([[4], [5]], [[1, 4], [5, 1, 1]]))
    assert batch.count == 3 and batch.targets.tolist() == [1, 1, 1]


def test_perplexity_counts_unknown_words_and_tells_it_without_them():
    """Both numbers against the model's own log-probabilities, word by word."""
    torch.manual_seed(2)
    model = FeedForward(FeedForwardShape(encoder="bow", D=3, H=4, C=2), 9, 9).eval()

    class Pairs:
        inputs, input_offsets = np.array([4, 5, 6, 7]), np.array([0, 3, 4])
        outputs, output_offsets = np.array([1, 5, 6, 1]), np.array([0, 3, 4])

    found = measure_perplexity(model, DeviceSplit(Pairs(), "cpu"))
    costs: list[tuple[int, float]] = []
    for inputs, headline in (([4, 5, 6], [1, 5, 6]), ([7], [1])):
        batch = Batch.from_lists([inputs], [headline])
        states, _ = model.states(model.read(batch.inputs, batch.input_lengths), batch.outputs)
        scores = model.output(states)[0].detach().log_softmax(dim=1)
        costs += [(word, -float(scores[place, word])) for place, word in enumerate([*headline, 3])]
    known = [cost for word, cost in costs if word != 1]
    assert (found.words, found.unknown) == (6, 2)
    assert found.closed == pytest.approx(math.exp(sum(cost for _, cost in costs) / 6), rel=1e-5)
    assert found.known == pytest.approx(math.exp(sum(known) / 4), rel=1e-5)
