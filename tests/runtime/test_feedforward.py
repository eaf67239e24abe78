"""Parts of the feed-forward encoders against plain sums."""

from __future__ import annotations

import numpy as np

from hedline.runtime.feedforward import by_heads, convolved, pooled, weighted_neighbours

DICE = np.random.default_rng(5)


def test_parts_of_the_encoders() -> None:
    words = DICE.normal(size=(5, 4)).astype(np.float32)
    split = by_heads(words, 2).reshape(5, 2, 4)
    np.testing.assert_array_equal(split.sum(axis=1), words)
    assert not split[:, 0, 2:].any() and not split[:, 1, :2].any()
    weight, bias = DICE.normal(size=(12, 4)).astype(np.float32), DICE.normal(size=4).astype(np.float32)
    padded = np.pad(words, ((1, 1), (0, 0)))
    wanted = [padded[place : place + 3].ravel() @ weight + bias for place in range(5)]
    np.testing.assert_allclose(convolved(words, weight, bias), wanted, rtol=1e-5, atol=1e-5)
    pairs = [np.maximum(words[0], words[1]), np.maximum(words[2], words[3]), words[4]]
    np.testing.assert_allclose(pooled(words), np.tanh(pairs), rtol=1e-6)
    taps = DICE.normal(size=(3, 4)).astype(np.float32)
    wanted = [(padded[place : place + 3] * taps).sum(axis=0) for place in range(5)]
    np.testing.assert_allclose(weighted_neighbours(words[None], taps)[0], wanted, rtol=1e-5, atol=1e-5)
