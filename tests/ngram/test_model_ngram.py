"""An n-gram model's perplexity."""

from __future__ import annotations

import numpy as np
import pytest
from hand_models import model_of


def test_perplexity_with_and_without_unknown_words() -> None:
    model = model_of("a b / a c", order=2)
    flat, offsets = model.encode([["a", "zzz"], ["a", "b"]])
    measured = model.perplexity(flat, offsets)
    logs = np.log([0.6, 0.05, 0.3, 0.6, 0.35, 0.65])
    assert (measured.targets, measured.unknown) == (6, 1)
    assert measured.closed == pytest.approx(np.exp(-logs.mean()), rel=1e-6)
    assert measured.known == pytest.approx(np.exp(-np.delete(logs, 1).mean()), rel=1e-6)
