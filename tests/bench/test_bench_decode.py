"""The decoding benchmark runs end to end on tiny models, and its stand-ins and peers are what they claim to be."""

from __future__ import annotations

import pytest

from hedline.api import load
from hedline.bench import decode
from hedline.bench import decode as stand_in
from hedline.bench.peers import Shape
from hedline.errors import UserError
from hedline.runtime import kernels
from hedline.runtime.folder import ModelFolder, expected_shapes

pytest.importorskip("ctranslate2")
TINY_T5 = Shape("t5-small", 1, 32, 64, 2, 200, True)
TINY_BART = Shape("distilbart-6-6", 1, 32, 64, 2, 200, False)


def test_inputs_are_about_thirty_words_and_differ(tmp_path):
    texts = decode.inputs(None, 40)
    assert len(set(texts)) == 40
    assert all(25 <= len(text.split()) <= 35 for text in texts)
    short = tmp_path / "pairs.jsonl"
    short.write_text('{"lead": "too short"}\n')
    with pytest.raises(UserError, match="too few leads"):
        decode.inputs(short, 4)


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
