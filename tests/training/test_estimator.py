"""The estimated gradient of an expected reward against the exact one, on a vocabulary small enough to write all."""

from __future__ import annotations

import itertools

import pytest
import torch

from hedline.models.softmax import linear_cross_entropy, plain_cross_entropy
from hedline.models.transformer import Transformer, TransformerConfig
from hedline.training.estimator import bands, leave_one_out, sample_states, shifted, weighted_surprise

SIZES = {"width": 8, "inner": 8, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}


def tiny(vocabulary: int = 6, **more) -> Transformer:
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(vocabulary, **{**SIZES, **more})).double().eval()
    with torch.no_grad():
        for value in model.parameters():
            value.mul_(1.7)
    return model


def all_headlines() -> list[list[int]]:
    """Everything a model of the pieces 4 and 5 can write in at most two pieces."""
    return [[3, 0], *([a, 3] for a in (4, 5)), *([a, b] for a in (4, 5) for b in (4, 5))]


def gradient(loss: torch.Tensor, model: Transformer) -> torch.Tensor:
    found = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True, allow_unused=True)
    return torch.cat([part.flatten() for part in found if part is not None])


def test_the_estimator_is_the_gradient_of_the_expected_reward():
    """The mean over all pairs of samples, each with its probability, is minus the gradient of the expectation."""
    model, temperature = tiny(), 0.8
    inputs, headlines = torch.tensor([[4, 5, 5]]), torch.tensor(all_headlines())
    rewards = torch.tensor([0.1, 0.9, 0.3, 0.0, 0.5, 0.7, 0.2], dtype=torch.float64)
    memory, mask = model.encode(inputs)

    def surprise(ids: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return weighted_surprise(model, sample_states(model, shifted(ids), memory, mask), ids, weights, temperature)

    log_probs = torch.stack([-surprise(ids[None, None], torch.ones(1, 1, dtype=torch.float64)) for ids in headlines])
    assert float(log_probs.detach().exp().sum()) == pytest.approx(1.0)
    wanted = -gradient((log_probs.exp() * rewards).sum(), model)
    total = torch.zeros_like(wanted)
    for one, other in itertools.product(range(len(headlines)), repeat=2):
        advantages = leave_one_out(rewards[[one, other]][None]) / 2
        ids = headlines[[one, other]][None]
        loss = surprise(ids, advantages)
        total += float((log_probs[one] + log_probs[other]).detach().exp()) * gradient(loss, model)
    assert torch.allclose(total, wanted, atol=1e-10) and float(wanted.norm()) > 1e-3


def test_samples_share_the_memory_as_if_each_had_its_own():
    model = tiny(12, decoder_layers=2)
    inputs, samples = torch.randint(4, 12, (3, 5)), torch.randint(4, 12, (3, 4, 6))
    inputs[1, 3:] = 0
    memory, mask = model.encode(inputs)
    together = sample_states(model, samples, memory, mask)
    apart = [model.decode(samples[:, sample], memory, mask) for sample in range(4)]
    assert torch.allclose(together, torch.stack(apart, dim=1))


def test_weighted_cross_entropy_is_torchs():
    torch.manual_seed(1)
    x, weight, bias = (
        torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((7, 5), (11, 5), (11,))
    )
    targets, importance = torch.randint(0, 11, (7,)), torch.randn(7, dtype=torch.float64)
    ours = linear_cross_entropy(x, weight, bias, targets, 0.1, importance=importance)
    wanted = sum(
        importance[i] * plain_cross_entropy(x[i : i + 1], weight, bias, targets[i : i + 1], 0.1) for i in range(7)
    )
    assert float(ours.detach()) == pytest.approx(float(wanted.detach()))
    for one, other in zip(
        torch.autograd.grad(ours, [x, weight, bias]), torch.autograd.grad(wanted, [x, weight, bias]), strict=True
    ):
        assert torch.allclose(one, other)


def test_leave_one_out_by_hand():
    assert leave_one_out(torch.tensor([[1.0, 2.0, 6.0]])).tolist() == [[-3.0, -1.5, 4.5]]


def test_bands_hold_every_input_once_with_its_longest_sample():
    lengths = torch.tensor([[3, 9], [2, 2], [5, 1], [7, 7], [1, 4]])
    found = bands(lengths, 2)
    assert sorted(torch.cat([part for part, _ in found]).tolist()) == [0, 1, 2, 3, 4]
    assert [(sorted(part.tolist()), length) for part, length in found] == [([1, 2, 4], 5), ([0, 3], 9)]
