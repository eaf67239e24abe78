"""Muon: nearly orthogonal updates, cancelled steps, checkpoints, and that it is worth having."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from synthetic import write_data
from torch import nn

from hedline.data.dataset import Dataset
from hedline.models.model import load_checkpoint, save_checkpoint
from hedline.models.transformer import Transformer, TransformerConfig
from hedline.training.batches import DeviceSplit
from hedline.training.loop import Hooks, Interrupted, Trainer
from hedline.training.optimizer import MOMENTUM, UPDATE_SIZE, GuardedOptimizer, Muon, Stack, orthogonal, wide_shape
from hedline.training.options import TrainConfig

SHAPES = [(8, 8), (16, 8), (8, 24), (24, 8), (8, 8), (16, 8), (24, 8)]


def matrices(shapes=SHAPES) -> list[nn.Parameter]:
    torch.manual_seed(5)
    return [nn.Parameter(torch.randn(*shape)) for shape in shapes]


def set_gradients(values) -> list[torch.Tensor]:
    for value in values:
        value.grad = torch.randn_like(value)
    return [value.grad.clone() for value in values]


@pytest.mark.parametrize("shape", [(3, 64, 96), (2, 96, 64), (1, 32, 32), (4, 16, 128)])
def test_singular_values_end_near_one(shape):
    torch.manual_seed(1)
    values = torch.linalg.svdvals(orthogonal(torch.randn(*shape) * 1e-3))
    assert values.max() < 1.2
    if shape[1] != shape[2]:  # a random square matrix has singular values near 0, which five iterations do not lift
        assert values.min() > 0.65
    assert (values > 0.65).float().mean() > 0.9


def test_singular_vectors_stay():
    """U diag(s) V becomes U diag(about 1) V, for a tall and a wide matrix alike."""
    torch.manual_seed(2)
    left, _ = torch.linalg.qr(torch.randn(40, 12))
    right, _ = torch.linalg.qr(torch.randn(12, 12))
    matrix = left @ torch.diag(torch.linspace(0.3, 1.0, 12)) @ right
    for found in (orthogonal(matrix[None])[0], orthogonal(matrix.mT[None])[0].mT):
        inner = left.mT @ found @ right.mT
        torch.testing.assert_close(inner - torch.diag(inner.diag()), torch.zeros(12, 12), atol=1e-4, rtol=0)
        assert inner.diag().min() > 0.65 and inner.diag().max() < 1.2


def test_a_stack_gathers_and_spreads_every_shape():
    for shape in {wide_shape(value) for value in matrices()}:
        stack = Stack([value for value in matrices() if wide_shape(value) == shape])
        gathered = stack.gather(stack.parts)
        assert gathered.shape[1:] == shape and gathered.shape == stack.momentum.shape
        for values, others in zip(stack.parts, stack.spread(gathered), strict=True):
            assert all(torch.equal(a, b) for a, b in zip(values, others, strict=True))


def test_one_step_of_each_shape_by_hand():
    """Together they move as each would alone; keys over values as two maps."""
    values = matrices()
    before = [value.detach().clone() for value in values]
    gradients = set_gradients(values)
    Muon(values, lr=0.1, weight_decay=0.5).step()
    for value, old, gradient in zip(values, before, gradients, strict=True):
        ahead = gradient.lerp(gradient * (1 - MOMENTUM), MOMENTUM)
        halves = ahead.chunk(2) if len(value) == 2 * value.shape[1] else [ahead]
        direction = torch.cat([orthogonal(half[None])[0] for half in halves])
        size = UPDATE_SIZE * max(halves[0].shape) ** 0.5
        torch.testing.assert_close(value.detach(), old * (1 - 0.1 * 0.5) - 0.1 * size * direction)


def test_keys_over_values_are_two_maps():
    """A change of the values' gradient leaves the keys' update as it is."""
    found = []
    for factor in (1.0, 30.0):
        (value,) = matrices([(16, 8)])
        old = value.detach().clone()
        (gradient,) = set_gradients([value])
        value.grad = torch.cat([gradient[:8], factor * torch.randn(8, 8)])
        Muon([value], lr=0.1, weight_decay=0.0).step()
        found.append(value.detach() - old)
    assert torch.equal(found[0][:8], found[1][:8])
    assert not torch.allclose(found[0][8:], found[1][8:])


def test_found_inf_changes_nothing():
    values = matrices()
    optimizer = Muon(values, lr=0.1, weight_decay=0.5)
    set_gradients(values)
    optimizer.found_inf = torch.zeros(())
    optimizer.step()
    weights = [value.detach().clone() for value in values]
    momenta = [optimizer.state[value]["momentum"].clone() for value in values]
    assert all(momentum.any() for momentum in momenta)
    set_gradients(values)
    values[1].grad[0, 0] = float("nan")
    values[2].grad[0, 0] = float("inf")
    optimizer.found_inf = torch.ones(())
    optimizer.step()
    for value, weight, momentum in zip(values, weights, momenta, strict=True):
        assert torch.equal(value, weight)
        assert torch.equal(optimizer.state[value]["momentum"], momentum)


def test_state_goes_into_another_optimizer():
    network = nn.Module()
    network.values = nn.ParameterList(matrices())
    network.matrices = lambda: list(network.values)
    config = TrainConfig(optimizer="muon", clip=0.0)
    one, other = GuardedOptimizer(network, config), GuardedOptimizer(network, config)
    set_gradients(network.values)
    one.step(0.1)
    other.load_state_tensors(one.state_tensors())
    for mine, theirs in zip(one.inner[0].stacks, other.inner[0].stacks, strict=True):
        assert mine.momentum.any() and torch.equal(mine.momentum, theirs.momentum)


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    dataset = Dataset.open(write_data(tmp_path_factory.mktemp("data"), {"train": 60, "valid": 10}))
    return DeviceSplit(dataset.split("train"), "cpu"), DeviceSplit(dataset.split("valid"), "cpu")


def make_trainer(splits) -> Trainer:
    torch.manual_seed(3)
    shape = TransformerConfig(vocabulary=40, width=16, inner=48, heads=2, encoder_layers=2, decoder_layers=1)
    config = TrainConfig(epochs=2, batch=100, batch_of="tokens", optimizer="muon", matrix_rate=3.0, ema=0.9, patience=0)
    return Trainer(Transformer(shape), *splits, config)


@pytest.mark.parametrize("stop_after", [3, 9])
def test_a_transformer_resumes_to_the_bit(splits, tmp_path, stop_after):
    whole = make_trainer(splits)
    whole.run(Hooks())
    part, steps = make_trainer(splits), iter(range(1, 1000))

    def save():
        save_checkpoint(tmp_path, part.state_tensors(), part.state_facts())

    with pytest.raises(Interrupted):
        part.run(Hooks(save=save, stop=lambda: next(steps) == stop_after))
    rest = make_trainer(splits)
    torch.manual_seed(999)
    rest.restore(*load_checkpoint(tmp_path))
    rest.run(Hooks())
    assert whole.place.total == rest.place.total > stop_after
    for one, other in zip(whole.model.parameters(), rest.model.parameters(), strict=True):
        assert torch.equal(one, other)
    first, second = whole.optimizer.state_tensors(), rest.optimizer.state_tensors()
    assert any(name.endswith("momentum") for name in first)
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


class TwoLayers(nn.Module):
    """x to W2 relu(W1 x)."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(16, 32, bias=False), nn.Linear(32, 16, bias=False)

    def matrices(self) -> list[nn.Parameter]:
        return [self.up.weight, self.down.weight]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(torch.relu(self.up(x)))


def regression_loss(optimizer: str, rate: float) -> float:
    """The loss after 100 steps at a falling rate, for inputs whose directions differ a hundredfold in size."""
    torch.manual_seed(4)
    x = torch.randn(256, 16) * torch.logspace(-2, 0, 16)
    target = x @ torch.linalg.qr(torch.randn(16, 16) / torch.logspace(-2, 0, 16)[:, None])[0]
    network = TwoLayers()
    guarded = GuardedOptimizer(network, replace(TrainConfig(), optimizer=optimizer, weight_decay=0.0))
    for step in range(100):
        loss = (network(x) - target).pow(2).mean()
        loss.backward()
        guarded.step(rate * (1 - step / 100))
    return float((network(x) - target).pow(2).mean().detach())


def test_it_beats_adamw_where_directions_differ_in_size():
    """Each at the best of its rates."""
    best = {name: min(regression_loss(name, rate) for rate in (3e-3, 1e-2, 3e-2, 1e-1)) for name in ("muon", "adamw")}
    assert best["muon"] < 0.8 * best["adamw"]
