"""What is written beside a model: samples, and a warning where all of them are the same."""

from __future__ import annotations

import math

import torch

from hedline.models.batch import Batch
from hedline.models.encoders import FeedForwardShape
from hedline.models.nnlm import FeedForward
from hedline.training.folder_writer import collapse_warning, greedy


def test_collapse():
    assert collapse_warning([[4, 5]] * 20) is not None
    assert "empty" in collapse_warning([[]] * 20)
    assert collapse_warning([[number, 5] for number in range(20)]) is None
    assert collapse_warning([[4]] * 3) is None


def test_greedy_takes_the_likeliest_and_stops_at_the_end():
    torch.manual_seed(0)
    model = FeedForward(FeedForwardShape(D=3, H=4, C=2), 9, 9)
    inputs, lengths = torch.tensor([[4, 5, 6], [7, 8, 0]]), torch.tensor([3, 2])
    found = greedy(model, inputs, lengths, most=4)
    for row, headline in enumerate(found):
        words = []
        for _ in range(4):
            batch = Batch.from_lists([inputs[row, : lengths[row]].tolist()], [[*words, 4]])
            states, _ = model.states(model.read(batch.inputs, batch.input_lengths), batch.outputs)
            scores = model.output(states)[0, len(words)].detach()
            scores[[0, 1, 2]] = -math.inf
            word = int(scores.argmax())
            if word == 3:
                break
            words.append(word)
        assert headline == words
