"""The decoding benchmark runs end to end on tiny models, and its stand-ins and peers are what they claim to be."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.api import load
from hedline.bench import decode
from hedline.bench import decode as stand_in
from hedline.bench.peers import DISTILBART, PEERS, T5_SMALL, Peer, Shape, convert, write_peer
from hedline.errors import UserError
from hedline.runtime import kernels
from hedline.runtime.folder import ModelFolder, expected_shapes

pytest.importorskip("ctranslate2")
TINY_T5 = Shape("t5-small", 1, 32, 64, 2, 200, True)
TINY_BART = Shape("distilbart-6-6", 1, 32, 64, 2, 200, False)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(stand_in, "ABS", stand_in.ABS | {"D": 8, "H": 16})
    small = {"width": 32, "inner": 64, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    monkeypatch.setattr(stand_in, "TRANSFORMER", small)
    for name, value in {"INPUT_WORDS": 800, "OUTPUT_WORDS": 600, "PIECES": 1500, "FREQUENT": 300}.items():
        monkeypatch.setattr(stand_in, name, value)
    monkeypatch.setattr(stand_in.write_abs, "__defaults__", (600,))
    monkeypatch.setattr(stand_in.write_transformer, "__defaults__", (None, 1500))
    monkeypatch.setattr(decode, "BATCHES", (1, 3))


def test_inputs_are_about_thirty_words_and_differ(tmp_path):
    texts = decode.inputs(None, 40)
    assert len(set(texts)) == 40
    assert all(25 <= len(text.split()) <= 35 for text in texts)
    short = tmp_path / "pairs.jsonl"
    short.write_text('{"lead": "too short"}\n')
    with pytest.raises(UserError, match="too few leads"):
        decode.inputs(short, 4)


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


def test_the_transformer_stand_in_has_35_to_40_million_parameters():
    shapes = expected_shapes("transformer", stand_in.TRANSFORMER, stand_in.PIECES, stand_in.PIECES)
    total = sum(shape[0] * (shape[1] if len(shape) > 1 else 1) for shape in shapes.values())
    assert 35e6 < total < 41e6


@pytest.mark.parametrize("kind", ["abs", "transformer"])
def test_stand_ins_write_the_words_asked_for(tiny, tmp_path, kind):
    texts = decode.inputs(None, 3)
    write = stand_in.write_abs if kind == "abs" else stand_in.write_transformer
    folder = write(texts, tmp_path / kind)
    ModelFolder.open(folder.path).verify()
    results = load(folder.path).summarize(texts, beam=5, exact_words=12, guard_meaning=False)
    assert [len(result.text.split()) for result in results] == [12, 12, 12]


def test_whole_benchmark_in_its_own_process(tiny, monkeypatch):
    """The child reads the real BATCHES; small models keep it quick."""
    result = decode.run(threads=1, limit=32, peers=[TINY_T5])
    (run,) = result["runs"]
    assert run["threads"] == 1
    speeds = run["sentences_per_second"]
    assert set(speeds) == {"1", "32"}
    for table in speeds.values():
        ours = {f"hedline {kind}{way}" for kind in ("abs", "transformer") for way in ("", ", no shortlist")}
        assert set(table) == ours | {"t5-small", "t5-small, mapped", "t5-small, in pieces"}
        assert all(speed > 0 for speed in table.values())
    text = decode.render(result)
    assert "x t5-small, mapped" in text and "batch 32" in text and "CTranslate2" in text


def test_a_model_of_ours_writes_the_same_through_ctranslate2(tiny, tmp_path):
    """The converted model is the same model: its greedy headline is that of our own runtime, piece by piece."""
    texts = decode.inputs(None, 3)
    folder = stand_in.write_transformer(texts, tmp_path / "model").path
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


def test_a_failing_child_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="exit code"):
        decode._fresh({"texts": [], "models": [str(tmp_path / "none")], "peers": [], "real": []}, 1, tmp_path)


@pytest.mark.parametrize("kind", ["abs", "transformer"])
def test_headlines_do_not_depend_on_the_compiled_kernels(tiny, tmp_path, monkeypatch, kind):
    texts = decode.inputs(None, 6)
    write = stand_in.write_abs if kind == "abs" else stand_in.write_transformer
    folder = write(texts, tmp_path / kind)
    compiled = [result.text for result in load(folder.path).summarize(texts, exact_words=8, guard_meaning=False)]
    monkeypatch.setattr(kernels, "compiled", None)
    plain = [result.text for result in load(folder.path).summarize(texts, exact_words=8, guard_meaning=False)]
    assert plain == compiled
    assert all(len(text.split()) == 8 for text in plain)
