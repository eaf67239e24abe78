"""The peers of the decoding benchmark are what they claim to be."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.api import load
from hedline.bench import decode
from hedline.bench.peers import DISTILBART, PEERS, T5_SMALL, Peer, Shape, convert, write_peer

pytest.importorskip("ctranslate2")
TINY_T5 = Shape("t5-small", 1, 32, 64, 2, 200, True)
TINY_BART = Shape("distilbart-6-6", 1, 32, 64, 2, 200, False)


@pytest.mark.parametrize("shape", [TINY_T5, TINY_BART], ids=lambda shape: shape.name)
def test_peers_write_exactly_the_forced_number_of_tokens(tmp_path, shape):
    peer = Peer(write_peer(shape, tmp_path), threads=1)
    outputs = peer.headlines([["t1", "t2", "t3"], ["t4"]], beam=5, tokens=12)
    assert [len(tokens) for tokens in outputs] == [12, 12]


def test_peers_have_the_sizes_of_the_originals():
    """Parameters of the published models: t5-small 60.5 M (with its tied table counted once), distilbart-6-6 230 M."""

    def parameters(shape: Shape) -> int:
        attention, feed = 4 * shape.width**2, 2 * shape.width * shape.inner
        return shape.vocabulary * shape.width + shape.layers * (3 * attention + 2 * feed)

    assert parameters(T5_SMALL) == pytest.approx(60.5e6, rel=0.02)
    assert parameters(DISTILBART) == pytest.approx(230e6, rel=0.03)
    assert [shape.name for shape in PEERS] == ["t5-small", "distilbart-6-6"]


def test_a_model_of_ours_writes_the_same_through_ctranslate2(tiny, tmp_path):
    """The converted model is the same model: its greedy headline is that of our own runtime, piece by piece."""
    texts = decode.inputs(None, 3)
    folder = decode.write_transformer(texts, tmp_path / "model").path
    peer, scorer = Peer(convert(folder, tmp_path), threads=1), load(folder).scorer
    names = (folder / "vocab.input.txt").read_text(encoding="utf-8").split("\n")
    ids = np.arange(300, 312)
    (written,) = peer.headlines([[names[i] for i in ids]], beam=1, tokens=5)
    state, last, ours = scorer.start([ids], None), np.array([scorer.start_id]), []
    for _ in written:
        step = scorer.step(state, last)
        scores = step.log_probs[0].copy()
        scores[[scorer.end_id, scorer.unknown_id]] = -np.inf
        last, state = np.array([scores.argmax()]), step.state
        ours.append(names[int(last[0])])
    assert sum(a == b for a, b in zip(ours, written, strict=True)) >= 3  # both round to int8, each in its own way
