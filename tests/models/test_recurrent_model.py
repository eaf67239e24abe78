"""The recurrent decoders against their formulas, word by word."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hedline.models.batch import Batch
from hedline.models.encoders import RecurrentShape
from hedline.models.recurrent import Recurrent

VIN, VOUT = 17, 13
INPUTS = [[5, 6, 7, 8], [4], [12, 13, 4, 9, 10, 11, 5]]
HEADLINES = [[4, 5, 6], [7], [12, 11, 1]]


def make(decoder: str, positions: int = 3) -> Recurrent:
    torch.manual_seed(7)
    model = Recurrent(RecurrentShape(decoder=decoder, D=3, H=5, Q=1, positions=positions), VIN, VOUT).double()
    for value in model.parameters():
        value.data += 0.3 * torch.randn_like(value)
    return model


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def formula_loss(model: Recurrent, x: list[int], headline: list[int]) -> float:
    """Chopra et al. 2016 in numpy loops."""
    t = {name: value.detach().numpy() for name, value in model.folder_tensors().items()}
    shape = model.shape
    words = t["encoder.F.weight"][x]
    placed = words + t["encoder.position.weight"][np.minimum(np.arange(len(x)), shape.positions - 1)]
    keys = np.zeros_like(words)
    for i in range(len(x)):
        keys[i] = t["encoder.Z.bias"]
        for q in range(-shape.Q, shape.Q + 1):
            if 0 <= i + q < len(x):
                keys[i] += t["encoder.Z.weight"][:, :, q + shape.Q] @ placed[i + q]
    h, cell, total, last = np.zeros(shape.H), np.zeros(shape.H), 0.0, 2
    for word in [*headline, 3]:
        p = np.exp(keys @ h)
        context = (p / p.sum()) @ words
        gates = t["word_gates.weight"] @ t["E.weight"][last] + t["word_gates.bias"]
        gates = gates + t["state_gates.weight"] @ np.concatenate([h, context])
        if shape.decoder == "rnn":
            h = sigmoid(gates)
        else:
            enter, forget, new, leave = np.split(gates, 4)
            cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
            h = sigmoid(leave) * np.tanh(cell)
        logits = t["V.weight"] @ h + t["W.weight"] @ context + t["V.bias"]
        total += np.log(np.exp(logits).sum()) - logits[word]
        last = word
    return total


@pytest.mark.parametrize("decoder", ["rnn", "lstm"])
def test_batched_equals_word_by_word(decoder):
    model = make(decoder).eval()
    expected = sum(formula_loss(model, x, y) for x, y in zip(INPUTS, HEADLINES, strict=True))
    assert model.loss(Batch.from_lists(INPUTS, HEADLINES))[0].item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("decoder", ["rnn", "lstm"])
def test_gradients_by_finite_differences(decoder):
    model = make(decoder).eval()
    batch = Batch.from_lists(INPUTS, HEADLINES)
    loss = model.loss(batch)[0]
    loss.backward()
    torch.manual_seed(1)
    for name, value in model.named_parameters():
        direction = torch.randn_like(value)
        with torch.no_grad():
            value += 1e-6 * direction
            up = model.loss(batch)[0].item()
            value -= 2e-6 * direction
            down = model.loss(batch)[0].item()
            value += 1e-6 * direction
        assert (up - down) / 2e-6 == pytest.approx((value.grad * direction).sum().item(), rel=1e-4, abs=1e-6), name


@pytest.mark.parametrize("decoder", ["rnn", "lstm"])
def test_folder_tensors_round_trip(decoder):
    model, other = make(decoder), Recurrent(make(decoder).shape, VIN, VOUT).double()
    other.load_folder_tensors(model.folder_tensors())
    batch = Batch.from_lists(INPUTS, HEADLINES)
    assert torch.equal(model.loss(batch)[0], other.loss(batch)[0])
