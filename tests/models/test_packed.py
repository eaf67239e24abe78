"""The transformer without padding: the same states and gradients, few compilations, and a safe choice of the way."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from hedline.models import packed
from hedline.models import packed as trial
from hedline.models import softmax as compiled
from hedline.models.batch import PAD, Batch
from hedline.models.packed import ATTENTIONS, Spans, Way, pack, packed_states
from hedline.models.transformer import Transformer, TransformerConfig

TINY = TransformerConfig(
    vocabulary=29, width=16, inner=24, heads=4, encoder_layers=2, decoder_layers=2, dropout=0.1,
    controls=1, control_any=(4,), hidden_controls=0.5,
)  # fmt: skip
PLAIN = Way("spread", compiled=False)


@pytest.fixture
def model():
    torch.manual_seed(3)
    network = Transformer(TINY)
    with torch.no_grad():
        for value in network.parameters():
            value.add_(0.1 * torch.randn_like(value))
    return network.train()


def make_batch(pairs: int, wide: int, high: int) -> Batch:
    """Random pairs; the first has the full lengths, `</s>` counted."""
    inputs = [torch.randint(4, 29, (wide if row == 0 else 1 + (7 * row) % wide,)).tolist() for row in range(pairs)]
    outputs = [torch.randint(4, 29, (high - 1 if row == 0 else (5 * row) % high,)).tolist() for row in range(pairs)]
    batch = Batch.from_lists(inputs, outputs)
    return replace(batch, input_count=int(batch.input_lengths.sum()))


def weighted(states: torch.Tensor) -> torch.Tensor:
    """A scalar that depends on every number differently."""
    return (states * torch.arange(states.numel()).view_as(states).sin()).sum()


def gradients(model: Transformer, states: torch.Tensor) -> list[torch.Tensor]:
    return [
        value
        for value in torch.autograd.grad(weighted(states), list(model.parameters()), allow_unused=True)
        if value is not None
    ]


def test_pack_lays_words_side_by_side():
    block = torch.tensor([[5, 6, 7, PAD], [8, PAD, PAD, PAD], [9, 10, 11, 12]])
    spans = pack(block, torch.tensor([3, 1, 4]), 8)
    assert spans.ids.tolist() == [5, 6, 7, 8, 9, 10, 11, 12, *[PAD] * 8]
    assert spans.places.tolist() == [0, 1, 2, 0, 0, 1, 2, 3, *range(8)]
    assert spans.bounds.tolist() == [0, 3, 4, 8, 16] and spans.bounds.dtype == torch.int32
    assert spans.longest == 8 and spans.flat.tolist() == [0, 1, 2, 8, 16, 17, 18, 19, *range(24, 32)]


@pytest.mark.parametrize("count", range(1, 18))
def test_rows_come_in_eights_with_one_to_eight_of_filling(count):
    spans = pack(torch.full((1, count), 5), torch.tensor([count]), count)
    assert len(spans.ids) % 8 == 0 and 1 <= len(spans.ids) - count <= 8
    assert spans.longest >= int(spans.bounds.diff().max())


@pytest.mark.parametrize("shape", [(7, 9, 6), (1, 1, 1), (1, 8, 4), (8, 8, 8), (5, 16, 4), (2, 3, 11)])
def test_equals_the_padded_step(model, shape):
    model.eval()
    batch = make_batch(*shape)
    padded, ours = model.padded_states(batch), packed_states(model, batch.inputs, batch, PLAIN)
    torch.testing.assert_close(ours, padded, atol=1e-5, rtol=1e-4)
    for one, other in zip(gradients(model, ours), gradients(model, padded), strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)


def test_neighbours_do_not_see_each_other(model):
    model.eval()
    batch = make_batch(3, 5, 4)
    other = replace(batch, inputs=batch.inputs.clone(), outputs=batch.outputs.clone())
    other.inputs[1, 0] = 5 + (other.inputs[1, 0] == 5).long()
    other.outputs[1, 0] = 6 + (other.outputs[1, 0] == 6).long()
    one, two = (packed_states(model, each.inputs, each, PLAIN) for each in (batch, other))
    same = batch.token_rows != 1
    torch.testing.assert_close(one[same], two[same])
    assert not torch.allclose(one[~same], two[~same])


def test_dropout_in_training_only(model):
    batch = make_batch(4, 6, 5)
    first, second = (packed_states(model, batch.inputs, batch, PLAIN) for _ in range(2))
    assert not torch.allclose(first, second)
    model.eval()
    first, second = (packed_states(model, batch.inputs, batch, PLAIN) for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the compiler's own making
def test_five_compilations_serve_all_shapes(model, monkeypatch):
    """Dynamo and AOT autograd decide about recompiling; their eager backend spares the C++ compiler."""
    compile_ = torch.compile
    monkeypatch.setattr(torch, "compile", lambda function: compile_(function, backend="aot_eager"))
    monkeypatch.setattr(compiled, "_CACHE", {})
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model.eval()
    for shape in [(4, 16, 8), (1, 8, 4), (8, 8, 8), (2, 24, 4), (16, 8, 16), (3, 40, 12), (11, 16, 16), (1, 8, 8)]:
        batch = make_batch(*shape)
        padded, ours = model.padded_states(batch), packed_states(model, batch.inputs, batch, Way("spread"))
        torch.testing.assert_close(ours, padded, atol=1e-5, rtol=1e-4)
        for one, other in zip(gradients(model, ours), gradients(model, padded), strict=True):
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 5
    assert not torch._dynamo.utils.counters["graph_break"]


@pytest.mark.parametrize("name", ["efficient", "flash"])
@pytest.mark.parametrize("causal", [False, True])
def test_gpu_attentions_take_these_arguments(name, causal):
    """Without a GPU, at least torch's shape functions of the two kernels and of their gradients must accept them."""

    def make(rows: int) -> list[torch.Tensor]:
        return [torch.empty(rows, 64, device="meta", dtype=torch.bfloat16, requires_grad=True) for _ in range(2)]

    def spans() -> Spans:
        nothing = torch.empty(0)
        return Spans(nothing, nothing, torch.empty(6, dtype=torch.int32, device="meta"), nothing, 40)

    (q, _), (k, v) = make(104), make(160)
    mixed = ATTENTIONS[name](q, k, v, spans(), spans(), 4, causal)
    assert mixed.shape == q.shape and mixed.dtype == q.dtype
    found = torch.autograd.grad(mixed.sum(), (q, k, v))
    assert [value.shape for value in found] == [q.shape, k.shape, v.shape]


def test_the_order_of_ways(monkeypatch):
    assert packed.ways() == [Way("efficient"), Way("spread"), Way("efficient", compiled=False)]
    monkeypatch.setenv("HEDLINE_ATTENTION", "flash")
    assert packed.ways()[0] == Way("flash")


class _BrokenBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, outer):
        raise RuntimeError("no kernel for the backward pass")


@pytest.mark.parametrize("kind", ["forward", "backward", "result"])
def test_a_way_that_does_not_work_is_passed_over(model, monkeypatch, capsys, kind):
    def broken(*arguments):
        if kind == "forward":
            raise RuntimeError("no kernel")
        mixed = packed.attend_spread(*arguments)
        return _BrokenBackward.apply(mixed) if kind == "backward" else 2 * mixed

    monkeypatch.setitem(ATTENTIONS, "flash", broken)
    batch = make_batch(6, 9, 7)
    bad = Way("flash", compiled=False)
    assert trial.choose(model, batch, [bad, PLAIN]) == PLAIN
    assert capsys.readouterr().err.count("going on without it") == 1
    assert trial.choose(model, batch, [bad]) is None


def test_the_trial_leaves_no_trace(model):
    batch = make_batch(6, 9, 7)
    before = torch.get_rng_state()
    assert trial.choose(model, batch, [PLAIN]) == PLAIN
    assert torch.equal(torch.get_rng_state(), before)
    assert model.training and all(value.grad is None for value in model.parameters())


def test_first_pairs_are_a_batch_of_their_own(model):
    model.eval()
    batch = make_batch(6, 9, 7)
    few = trial.first_pairs(batch, 2)
    assert few.count == int(batch.output_lengths[:2].sum()) and few.input_count == int(batch.input_lengths[:2].sum())
    whole = packed_states(model, batch.inputs, batch, PLAIN)
    torch.testing.assert_close(packed_states(model, few.inputs, few, PLAIN), whole[: few.count], atol=1e-5, rtol=1e-4)
    assert trial.first_pairs(batch, 6) is batch


def test_a_cpu_trains_as_it_always_did(model, monkeypatch):
    monkeypatch.setattr(trial, "ENOUGH_ROWS", 1)
    batch = make_batch(6, 9, 7)
    assert not trial.worth_packing(model, batch)
    found = []
    for one in (batch, replace(batch, input_count=0)):
        torch.manual_seed(1)
        found.append(model.loss(one)[0])
    assert torch.equal(*found) and not model.tried


def test_the_model_takes_the_chosen_way(model, monkeypatch):
    batch = make_batch(6, 9, 7)
    monkeypatch.setattr("hedline.models.transformer.worth_packing", lambda model, batch: True)
    asked = []
    monkeypatch.setattr("hedline.models.transformer.choose", lambda *arguments: asked.append(1) or PLAIN)
    torch.manual_seed(1)
    losses = [model.loss(batch)[0] for _ in range(2)]
    torch.manual_seed(1)
    inputs = model.hide_controls(batch.inputs)
    torch.testing.assert_close(losses[0], model.loss_of(packed_states(model, inputs, batch, PLAIN), batch))
    assert len(asked) == 1
