"""The optimisers' groups and steps, and the average of the weights."""

from __future__ import annotations

import pytest
import torch

from hedline.models.encoders import FeedForwardShape
from hedline.models.nnlm import FeedForward
from hedline.training.config import (
    TrainConfig,
)
from hedline.training.optimizer import Average, GuardedOptimizer


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_a_convolutions_filters_take_smaller_steps(optimizer):
    """The first step of Adam moves every weight by its rate."""
    model = FeedForward(FeedForwardShape(encoder="conv", D=4, H=6), 8, 8)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    guarded = GuardedOptimizer(model, TrainConfig(optimizer=optimizer, filter_rate=0.25, weight_decay=0.0, clip=0.0))
    for value in model.parameters():
        value.grad = torch.ones_like(value)
    guarded.step(0.01)
    moved = {name: float((before[name] - value.detach()).mean()) for name, value in model.named_parameters()}
    filters = [f"encoder.Q.{layer}.weight" for layer in range(3)]
    assert moved == pytest.approx({name: 0.0025 if name in filters else 0.01 for name in moved}, rel=1e-4)


def one_step(**settings: float) -> tuple[torch.Tensor, torch.Tensor]:
    """A matrix of ones and a bias of ones after two steps of AdamW with gradients 1 and 3."""
    layer = torch.nn.Linear(2, 2)
    for value in layer.parameters():
        value.data.fill_(1.0)
    guarded = GuardedOptimizer(layer, TrainConfig(clip=0.0, **settings))
    for gradient in (1.0, 3.0):
        for value in layer.parameters():
            value.grad = torch.full_like(value, gradient)
        guarded.step(0.1)
    return layer.weight.detach(), layer.bias.detach()


def test_weight_decay_spares_biases():
    matrix, bias = one_step(weight_decay=0.5)
    plain, same = one_step(weight_decay=0.0)
    assert torch.equal(bias, same)
    assert (matrix < plain - 0.05).all()


@pytest.mark.parametrize("beta2", [0.5, 0.99])
def test_the_step_is_adams_with_our_beta2(beta2):
    first = second = 0.0
    weight = 1.0
    for step, gradient in enumerate((1.0, 3.0), start=1):
        first, second = 0.9 * first + 0.1 * gradient, beta2 * second + (1 - beta2) * gradient**2
        weight -= 0.1 * (first / (1 - 0.9**step)) / ((second / (1 - beta2**step)) ** 0.5 + 1e-8)
    matrix, _ = one_step(beta2=beta2, weight_decay=0.0)
    assert matrix.flatten().tolist() == pytest.approx([weight] * 4, rel=1e-5)


@pytest.mark.parametrize("steps", [1, 3, 70])
def test_the_average_follows_short_and_long_trainings(steps):
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = Average(model, 0.999)
    model.weight.data.fill_(1.0)
    for step in range(1, steps + 1):
        average.update(step)
    average.swap()
    left = 1.0  # the share of the first weights, step by step as the formula says
    for step in range(1, steps + 1):
        gap = 1 if step <= Average.FEW else Average.EVERY
        if step % gap == 0:
            left *= min(0.999, (1 + step) / (10 + step)) ** gap
    assert model.weight.item() == pytest.approx(1 - left, rel=1e-5)


def test_a_later_step_of_the_average_counts_for_the_steps_between():
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = Average(model, 0.999)
    for step in range(1, Average.FEW + 1):
        average.update(step)
    model.weight.data.fill_(1.0)
    step = Average.FEW + Average.EVERY
    for each in range(Average.FEW + 1, step + 1):
        average.update(each)
    average.swap()
    assert model.weight.item() == pytest.approx(1 - ((1 + step) / (10 + step)) ** Average.EVERY, rel=1e-5)
