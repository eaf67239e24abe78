"""The torch scorer gives the numpy scorer's answers, for every encoder, option and decoder."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hedline.api import load_scorer
from hedline.models.model import build_model, open_model, save_model
from hedline.runtime.folder import ModelFolder
from torch_scorer import torch_scorer

WORDS = ["<pad>", "<unk>", "<s>", "</s>", *(f"word{number}" for number in range(20))]
BASE = {"D": 5, "H": 12, "C": 3, "Q": 1}
CASES = [
    *(("feedforward", {"encoder": encoder, **BASE}) for encoder in ("none", "bow", "conv", "attention")),
    ("feedforward", {"encoder": "attention", **BASE, "share_context": True, "heads": 3}),
    ("feedforward", {"encoder": "attention", **BASE, "positions": 4, "keys": "taps", "values": "taps"}),
    ("feedforward", {"encoder": "attention", **BASE, "share_copy": True, "heads": 2, "positions": 3}),
    ("recurrent", {"decoder": "rnn", "D": 5, "H": 12, "Q": 1, "positions": 4}),
    ("recurrent", {"decoder": "lstm", "D": 5, "H": 12, "Q": 2, "positions": 4}),
]


@pytest.mark.parametrize(("family", "architecture"), CASES, ids=lambda value: str(value))
@pytest.mark.parametrize("shortlist", [False, True])
def test_same_as_numpy(tmp_path, family, architecture, shortlist):
    torch.manual_seed(3)
    model = build_model(family, architecture, WORDS[:-2], WORDS)
    for value in model.parameters():
        value.data += 0.2 * torch.randn_like(value)
    texts = {"vocab.input.txt": "\n".join(WORDS[:-2]) + "\n", "vocab.output.txt": "\n".join(WORDS) + "\n"}
    save_model(model, tmp_path, "words", texts, {}, "a card")
    ours, theirs = torch_scorer(open_model(tmp_path)[0]), load_scorer(ModelFolder.open(tmp_path))
    random = np.random.default_rng(0)
    inputs = [random.integers(4, 20, size).astype(np.int64) for size in (7, 2, 12)]
    candidates = [np.array([3, 5, 6, 9]), np.array([3, 20, 11]), np.arange(3, 22)] if shortlist else None
    states = [scorer.start(inputs, candidates) for scorer in (ours, theirs)]
    rows = np.array([0, 0, 2, 1])
    states = [scorer.select(state, rows) for scorer, state in zip((ours, theirs), states, strict=True)]
    last = np.full(4, 2, np.int64)
    for step in range(4):
        one, two = (scorer.step(state, last) for scorer, state in zip((ours, theirs), states, strict=True))
        np.testing.assert_allclose(one.log_probs, two.log_probs, rtol=2e-4, atol=2e-5)
        np.testing.assert_allclose(np.exp(one.log_probs).sum(axis=1), 1, rtol=1e-4)
        np.testing.assert_allclose(one.attention, two.attention, rtol=2e-4, atol=1e-5)
        last = np.array([5, 6, 3 + step, 7], np.int64)
        states = [one.state, two.state]
        if step == 1:
            order = np.array([3, 0, 1, 2])
            states = [scorer.select(state, order) for scorer, state in zip((ours, theirs), states, strict=True)]
