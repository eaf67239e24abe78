"""The batched model against the paper's formulas written out word by word, and its gradients."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from hedline.errors import UserError
from hedline.models import softmax as compiled
from hedline.models.batch import Batch, pick_rows, spread_rows
from hedline.models.encoders import FeedForwardShape
from hedline.models.model import build_model, shared_words
from hedline.models.nnlm import FeedForward, Regularization

VIN, VOUT = 17, 13
INPUTS = [[5, 6, 7, 8, 9, 10, 11], [4], [12, 13, 4], [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4]]
HEADLINES = [[4, 5, 6], [7], [], [12, 11, 10, 9, 8, 7, 1]]
OPTIONS = [
    {},
    {"share_context": True},
    {"positions": 4},
    {"keys": "taps"},
    {"values": "taps"},
    {"heads": 2},
    {"share_context": True, "positions": 9, "keys": "taps", "values": "taps", "heads": 3},
    {"Q": 0},
]
SHAPES = [
    *(FeedForwardShape(encoder=encoder, D=3, H=6, C=2) for encoder in ("none", "bow", "conv")),
    FeedForwardShape(encoder="conv", D=3, H=6, C=4, L=1, Q=1),
    *(FeedForwardShape(**{"encoder": "attention", "D": 3, "H": 6, "C": 3, **option}) for option in OPTIONS),
]


def make(shape: FeedForwardShape) -> FeedForward:
    torch.manual_seed(5)
    model = FeedForward(shape, VIN, VOUT).double()
    for value in model.parameters():
        value.data += 0.3 * torch.randn_like(value)
    return model


def formula(tensors: dict[str, np.ndarray], shape: FeedForwardShape, x: list[int], context: list[int]) -> np.ndarray:
    """log p(next word) exactly as §3 writes it, one word, numpy loops."""
    h = np.tanh(tensors["U.weight"] @ np.concatenate([tensors["E.weight"][y] for y in context]) + tensors["U.bias"])
    logits = tensors["V.weight"] @ h + tensors["V.bias"]
    if shape.encoder != "none":
        logits = logits + tensors["W.weight"] @ encode(tensors, shape, x, context)
    return logits - np.log(np.exp(logits).sum())


def encode(tensors, shape, x, context):
    words = np.array([tensors["encoder.F.weight"][word] for word in x])
    if shape.encoder == "bow":
        return words.mean(axis=0)
    if shape.encoder == "conv":
        return convolve(tensors, shape, words)
    keys = window(words, tensors.get("encoder.key_taps.weight")) if shape.keys == "taps" else words.copy()
    for i in range(len(x)):
        if shape.positions:
            keys[i] = keys[i] + tensors["encoder.position.weight"][min(i, shape.positions - 1)]
    plain = np.full((2 * shape.Q + 1, shape.H), 1 / (2 * shape.Q + 1))
    values = window(words, tensors.get("encoder.value_taps.weight", plain))
    table = tensors["E.weight"] if shape.share_context else tensors["encoder.G.weight"]
    query = tensors["encoder.P.weight"] @ np.concatenate([table[y] for y in context])
    parts = []
    for part in np.split(np.arange(shape.H), shape.heads):
        p = np.exp(keys[:, part] @ query[part])
        parts.append((p / p.sum()) @ values[:, part])
    return np.concatenate(parts)


def window(words, taps):
    half = len(taps) // 2
    found = np.zeros_like(words)
    for i in range(len(words)):
        for q in range(-half, half + 1):
            if 0 <= i + q < len(words):
                found[i] += taps[q + half] * words[i + q]
    return found


def convolve(tensors, shape, words):
    x = words
    for layer in range(shape.L):
        filters, bias = tensors[f"encoder.Q.{layer}.weight"], tensors[f"encoder.Q.{layer}.bias"]
        bar = np.zeros_like(x)
        for i in range(len(x)):
            bar[i] = bias
            for q in range(-shape.Q, shape.Q + 1):
                if 0 <= i + q < len(x):
                    bar[i] += filters[:, :, q + shape.Q] @ x[i + q]
        x = np.tanh(np.array([bar[i : i + 2].max(axis=0) for i in range(0, len(bar), 2)]))
    return x.max(axis=0)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_batched_equals_word_by_word(shape):
    model = make(shape).eval()
    tensors = {name: value.detach().numpy() for name, value in model.folder_tensors().items()}
    expected = 0.0
    for x, headline in zip(INPUTS, HEADLINES, strict=True):
        context = [2] * shape.C
        for word in [*headline, 3]:
            expected -= formula(tensors, shape, x, context)[word]
            context = [*context[1:], word]
    total, count = model.loss(Batch.from_lists(INPUTS, HEADLINES))
    assert count == sum(len(headline) + 1 for headline in HEADLINES)
    assert total.item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_padding_never_leaks(shape):
    """Each pair alone gives the same loss as in company, and what stands behind an end changes nothing."""
    model = make(shape).eval()
    together = model.loss(Batch.from_lists(INPUTS, HEADLINES))[0].item()
    alone = sum(model.loss(Batch.from_lists([x], [y]))[0].item() for x, y in zip(INPUTS, HEADLINES, strict=True))
    assert together == pytest.approx(alone, rel=1e-12)
    batch = Batch.from_lists(INPUTS, HEADLINES)
    beyond = torch.arange(batch.outputs.shape[1])[None, :] >= batch.output_lengths[:, None]
    assert beyond.any() and (batch.inputs == 0).any()
    batch.outputs[beyond] = torch.randint(4, VOUT, (int(beyond.sum()),))
    if model.encoder is not None:
        model.encoder.F.weight.data[0] = 9.0  # what stands for padding in inputs has a vector too
    assert model.loss(batch)[0].item() == pytest.approx(together, rel=1e-12)


def test_a_convolution_starts_at_the_words_themselves():
    """The middle tap of every filter is the identity; without the noise each layer takes the larger of two words."""
    torch.manual_seed(0)
    encoder = FeedForward(FeedForwardShape(encoder="conv", D=3, H=40, C=2, Q=2), VIN, VOUT).encoder
    for weight in encoder.filters():
        middle = weight[:, :, 2].detach()
        assert torch.diagonal(middle).mean().item() == pytest.approx(1.0, abs=0.05)
        for tap in (0, 1, 3, 4):
            assert abs(torch.diagonal(weight[:, :, tap]).mean().item()) < 0.05
        assert abs((middle - torch.diag(torch.diagonal(middle))).mean().item()) < 0.01


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_word_states_are_the_states_picked(shape):
    """What the loss computes for scored words alone equals the whole padded grid; one word of a pair works too."""
    model = make(shape).eval()
    batch = Batch.from_lists(INPUTS, HEADLINES)
    grid, _ = model.states(model.read(batch.inputs, batch.input_lengths), batch.outputs)
    for rows, positions in [
        (batch.token_rows, batch.token_positions),
        (torch.tensor([3, 0]), torch.tensor([5, 2])),
    ]:
        found = model.word_states(batch.inputs, batch.input_lengths, batch.outputs, rows, positions)
        torch.testing.assert_close(found, grid[rows, positions], rtol=1e-12, atol=1e-12)


def test_picked_rows_give_their_gradient_back():
    grid = torch.randn(5, 3, dtype=torch.double, requires_grad=True)
    places = torch.tensor([4, 0, 2])
    assert torch.equal(pick_rows(grid, places), grid[places])
    assert torch.equal(spread_rows(grid[places], places, 5)[[1, 3]], torch.zeros(2, 3, dtype=torch.double))
    assert torch.autograd.gradcheck(lambda value: pick_rows(value, places), (grid,))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler on a CPU")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiled_word_states_equal_eager_ones_at_any_size(monkeypatch):
    """One compilation serves batches of other widths, heights and sizes."""
    monkeypatch.setattr(compiled, "_CACHE", {})
    torch._dynamo.reset()
    model = FeedForward(FeedForwardShape(D=3, H=6, C=2), VIN, VOUT).train()
    eager, quick = FeedForward.word_states, compiled.compiled(FeedForward.word_states, None, varying=2)
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    for batch in (
        Batch.from_lists(INPUTS, HEADLINES),
        Batch.from_lists(INPUTS[:3], HEADLINES[:3]),
        Batch.from_lists(INPUTS[2:] * 3, HEADLINES[2:] * 3),
    ):
        gradients = []
        for way in (eager, quick):
            model.zero_grad()
            places = (batch.token_rows, batch.token_positions)
            way(model, batch.inputs, batch.input_lengths, batch.outputs, *places).square().sum().backward()
            gradients.append([value.grad for value in model.parameters() if value.grad is not None])
        torch.testing.assert_close(gradients[0], gradients[1])
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == before + 1


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_by_finite_differences(shape):
    model = make(shape).eval()
    batch = Batch.from_lists(INPUTS[:3], HEADLINES[:3])
    names = [name for name, value in model.named_parameters()]

    def loss(*values):
        state = dict(zip(names, values, strict=True))
        return torch.func.functional_call(_Loss(model), {f"model.{k}": v for k, v in state.items()}, (batch,))

    values = tuple(value.detach().clone().requires_grad_() for value in model.parameters())
    assert torch.autograd.gradcheck(loss, values, eps=1e-6, atol=1e-5, fast_mode=True)


class _Loss(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, batch):
        return self.model.loss(batch)[0]


@pytest.mark.parametrize("encoder", ["bow", "conv", "attention"])
def test_empty_input_is_finite(encoder):
    model = make(FeedForwardShape(encoder=encoder, D=3, H=6, C=2)).eval()
    total, _ = model.loss(Batch.from_lists([[], [5, 6]], [[4], [5]]))
    total.backward()
    assert torch.isfinite(total)
    assert all(torch.isfinite(value.grad).all() for value in model.parameters() if value.grad is not None)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 8, 9])
def test_convolution_of_short_inputs(length):
    shape = FeedForwardShape(encoder="conv", D=3, H=6, C=2)
    model = make(shape).eval()
    x = list(range(4, 4 + length))
    tensors = {name: value.detach().numpy() for name, value in model.folder_tensors().items()}
    memory = model.read(torch.tensor([x]), torch.tensor([length]))
    words = tensors["encoder.F.weight"][x]
    np.testing.assert_allclose(memory.values[0, 0].detach().numpy(), convolve(tensors, shape, words), rtol=1e-12)


def test_folder_tensors_round_trip():
    shape = SHAPES[-2]
    model, other = make(shape), FeedForward(shape, VIN, VOUT).double()
    other.load_folder_tensors(model.folder_tensors())
    batch = Batch.from_lists(INPUTS, HEADLINES)
    assert torch.equal(model.eval().loss(batch)[0], other.eval().loss(batch)[0])


def test_smoothing_and_dropout_only_in_training():
    torch.manual_seed(0)
    shape = FeedForwardShape(D=3, H=6, C=2)
    plain = FeedForward(shape, VIN, VOUT)
    regular = FeedForward(shape, VIN, VOUT, Regularization(0.5, 0.1))
    regular.load_state_dict(plain.state_dict())
    batch = Batch.from_lists(INPUTS, HEADLINES)
    exact = plain.loss(batch)[0].item()
    assert regular.train().loss(batch)[0].item() != pytest.approx(exact)
    assert regular.eval().loss(batch)[0].item() == pytest.approx(exact, rel=1e-6)


def test_shared_copies_use_the_output_rows():
    vocab_in = ["<pad>", "<unk>", "<s>", "</s>", "rain", "fog", "snow"]
    vocab_out = ["<pad>", "<unk>", "<s>", "</s>", "snow", "rain"]
    assert shared_words(vocab_in, vocab_out).tolist() == [-1, -1, -1, -1, 5, -1, 4]
    model = build_model("feedforward", {"D": 3, "H": 4, "share_copy": True}, vocab_in, vocab_out)
    tensors = model.folder_tensors()
    assert torch.equal(tensors["encoder.F.weight"][4], tensors["W.weight"][5])
    assert torch.equal(tensors["encoder.F.weight"][5], model.encoder.F.weight[5])
    reopened = build_model("feedforward", {"D": 3, "H": 4, "share_copy": True}, vocab_in, vocab_out)
    reopened.load_folder_tensors(tensors)
    batch = Batch.from_lists([[4, 5, 6]], [[4, 5]])
    torch.testing.assert_close(model.loss(batch)[0], reopened.loss(batch)[0])


@pytest.mark.parametrize(
    ("table", "words"),
    [({"encoder": "gru"}, "gru"), ({"D": 0}, "D"), ({"H": "8"}, "H"), ({"heads": 3}, "heads"), ({"X": 1}, "X")],
)
def test_wrong_architectures_say_so(table, words):
    with pytest.raises(UserError, match=words):
        FeedForwardShape.read(table)
