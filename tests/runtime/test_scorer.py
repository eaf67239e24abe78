"""Every family of models has a scorer, which answers what the search asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_folders import feedforward_architecture, random_folder

from hedline.api import load_scorer
from hedline.runtime.feedforward import FeedForwardScorer
from hedline.runtime.recurrent import RecurrentScorer
from hedline.runtime.transformer import TransformerScorer


@pytest.mark.parametrize(
    ("family", "architecture", "kind"),
    [
        ("feedforward", feedforward_architecture("bow"), FeedForwardScorer),
        ("recurrent", {"decoder": "lstm", "D": 6, "H": 8, "Q": 1, "positions": 20}, RecurrentScorer),
        ("recurrent", {"decoder": "rnn", "D": 6, "H": 8, "Q": 1, "positions": 20}, RecurrentScorer),
    ],
)
def test_every_family_has_its_scorer(family: str, architecture: dict, kind: type, tmp_path: Path) -> None:
    scorer = load_scorer(random_folder(tmp_path / "model", family, architecture, 30, 40))
    assert type(scorer) is kind is not TransformerScorer
    state = scorer.start([np.array([5, 6, 7]), np.array([8])], None)
    step = scorer.step(state, np.array([2, 2]))
    np.testing.assert_allclose(np.exp(step.log_probs).sum(axis=1), 1.0, atol=1e-4)
    np.testing.assert_allclose(step.attention.sum(axis=1), 1.0, atol=1e-4)
    assert step.attention[1, 1:].max() == 0.0
