"""Informed starts: frequencies in the bias, a model that copies before its first step."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hedline.models.batch import Batch
from hedline.models.encoders import FeedForwardShape
from hedline.models.model import shared_words
from hedline.models.nnlm import FAINT, FRAMES, SHARE, FeedForward, start_at_frequencies, start_copying
from hedline.training.config import (
    PAPER,
    automatic,
)

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]
SHARED = [f"word{number}" for number in range(120)]
INPUT = [*SPECIALS, *SHARED, "lead1", "lead2"]
OUTPUT = [*SPECIALS, "head1", *reversed(SHARED)]
LEAD = [INPUT.index(f"word{number}") for number in (63, 74, 75, 69, 86, 65, 95, 68, 69, 67, 110, 111, 112)]


def make(encoder: str, **options) -> FeedForward:
    torch.manual_seed(7)
    return FeedForward(FeedForwardShape(encoder=encoder, **{"D": 64, "H": 128} | options), len(INPUT), len(OUTPUT))


def started(encoder: str, **options) -> FeedForward:
    model = make(encoder, **options)
    start_copying(model, shared_words(INPUT, OUTPUT), 6.0)
    return model.eval()


@pytest.mark.parametrize(("encoder", "least"), [("bow", 0.7), ("conv", 0.55), ("attention", 0.9)])
def test_words_of_the_input_are_likely_from_the_start(encoder, least):
    def share(model):
        memory = model.read(torch.tensor([LEAD]), torch.tensor([len(LEAD)]))
        states, _ = model.states(memory, torch.tensor([[3]]))
        found = torch.softmax(model.output(states)[0, 0], dim=-1)
        return float(found[[OUTPUT.index(INPUT[word]) for word in set(LEAD)]].sum())

    with torch.no_grad():
        assert share(started(encoder)) > least > 0.2 > share(make(encoder).eval())


@pytest.mark.parametrize("sizes", [(64, 128), (128, 128), (96, 64)])
def test_attention_starts_at_the_word_just_written(sizes):
    model = started("attention", D=sizes[0], H=sizes[1])
    headline = [OUTPUT.index(INPUT[word]) for word in LEAD[2:7]]
    memory = model.read(torch.tensor([LEAD]), torch.tensor([len(LEAD)]))
    _, weights = model.states(memory, torch.tensor([[*headline, 3]]))
    assert weights is not None
    assert weights[0, 1:].argmax(dim=-1).tolist() == [2, 3, 4, 5, 6]  # place 3 and 8 are one word: the first is nearer


def test_what_has_no_twin_and_a_model_without_encoder_stay_random():
    plain, copying = make("attention"), started("attention")
    for word in ("lead1", "lead2"):
        row = INPUT.index(word)
        assert torch.equal(copying.encoder.F.weight[row], plain.encoder.F.weight[row] * 6)
    assert torch.equal(copying.encoder.G.weight[OUTPUT.index("head1")], plain.encoder.G.weight[OUTPUT.index("head1")])
    before, after = make("none").state_dict(), started("none").state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


@torch.no_grad()
def test_a_convolution_starts_as_the_union_of_its_words_codes():
    """Without the noise in the filters: enc₂ holds what a word marks, wherever it stands, and nothing else."""
    model = started("conv")
    for layer in model.encoder.Q:
        layer.weight.zero_()[:, :, model.shape.Q] = torch.eye(model.shape.H)
    mark = model.encoder.F.weight[LEAD].amax(dim=0) > 0.5
    top = model.read(torch.tensor([LEAD]), torch.tensor([len(LEAD)])).values[0, 0]
    assert 0.2 < mark.float().mean() < 0.5
    assert top[mark].min() > 0.5 > 0.1 > top[~mark].max()
    assert torch.allclose(model.output.weight[:, model.shape.H :].norm(dim=1), torch.tensor(6.0))


def test_frequent_words_and_words_without_twin_mark_nothing_in_a_convolution():
    plain, copying = make("conv").encoder.F.weight, started("conv").encoder.F.weight
    for word in ("<unk>", "word0", f"word{FRAMES - 1}", "lead1"):
        assert torch.equal(copying[INPUT.index(word)], plain[INPUT.index(word)] * FAINT)
    assert (copying[INPUT.index(f"word{FRAMES}")] == 1).sum() == 128 // SHARE


def test_shared_rows_and_contexts_are_respected():
    shape = FeedForwardShape(D=16, H=32, share_copy=True, share_context=True, heads=4, keys="taps", values="taps")
    copies = shared_words(INPUT, OUTPUT)
    model = FeedForward(shape, len(INPUT), len(OUTPUT), copies=torch.from_numpy(copies))
    start_copying(model, copies, 2.0)
    loss, count = model.loss(Batch.from_lists([LEAD], [[5, 6]]))
    assert torch.isfinite(loss) and count == 3
    assert torch.equal(model.input_table(), model.encoder.F.weight)


def test_bias_starts_at_the_word_frequencies():
    model = FeedForward(FeedForwardShape(encoder="bow", D=4, H=6), 8, 8)
    start_at_frequencies(model.output, np.array([4, 4, 5, 4, 6], np.uint16), headlines=2)
    weights = np.array([1, 1, 1, 2, 3, 1, 1, 1])  # </s> ends two headlines; what was never seen counts once
    assert model.output.bias.exp().tolist() == pytest.approx((weights / weights.sum()).tolist())
    assert not PAPER.frequencies and not PAPER.copying
    assert automatic("fast", 1000, False).copying and not automatic("best", 1000, False).copying
