"""Z-MERT's formats: what is written is read back, the original's own files are understood, bad lines are named."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from hedline.errors import UserError
from hedline.tuning import zmert
from hedline.tuning.zmert import Candidate, Parameter


def test_params_come_back(tmp_path: Path) -> None:
    path = tmp_path / "params.txt"
    parameters = [
        Parameter("log_prob", 1.0, tuned=False),
        Parameter("unigram", 0.1 + 0.2),
        Parameter("reorder", -0.5, high=0.0, random=(-2.0, 0.0)),
    ]
    zmert.write_params(path, parameters, "absval 1 log_prob")
    assert zmert.read_params(path) == (parameters, "absval 1 log_prob")
    assert "unigram ||| 0.30000000000000004 Opt -Inf +Inf -1 1\n" in path.read_text()


def test_the_layout_of_the_original_system_is_read(tmp_path: Path) -> None:
    path = tmp_path / "params.txt"
    path.write_text("LM  ||| 1.0 Fix 0.0 +Inf -1 +1\nooo ||| 0.0 Opt -Inf 0 -1 +1\n\nnormalization = none\n")
    parameters, normalization = zmert.read_params(path)
    assert [p.name for p in parameters] == ["LM", "ooo"]
    assert parameters[0].bounds() == (1.0, 1.0)
    assert parameters[1].bounds() == (-math.inf, 0.0)
    assert normalization == "none"


def test_decoder_config_comes_back_and_settings_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "decoder.txt"
    weights = {"log_prob": 1.0, "phrase model 0": -13.382831610766107}
    zmert.write_decoder_config(path, weights)
    path.write_text("top_n=12\n" + path.read_text())
    assert zmert.read_decoder_config(path) == weights


def test_nbest_comes_back_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "nbest.out"
    values = np.random.default_rng(0).normal(size=(3, 4))
    zmert.write_nbest(path, [Candidate(i // 2, f"bridge ||| closed\n {i}", values[i], i / 3) for i in range(3)])
    read = zmert.read_nbest(path, features=4)
    assert [c.text for c in read] == [f"bridge | | | closed {i}" for i in range(3)]
    assert [c.index for c in read] == [0, 0, 1]
    assert np.array_equal([c.features for c in read], values)
    assert [c.score for c in read] == [0, 1 / 3, 2 / 3]


def test_nbest_is_read_compressed_and_without_scores(tmp_path: Path) -> None:
    path = tmp_path / "nbest.gz"
    path.write_bytes(gzip.compress(b"0 ||| a b ||| 1 -2.5\n0 |||  ||| 0 0\n"))
    first, empty = zmert.read_nbest(path)
    assert first.score is None
    assert empty.text == ""


def test_references_come_back_and_short_ones_repeat(tmp_path: Path) -> None:
    prefix = tmp_path / "ref"
    assert zmert.write_references(prefix, [("one", "two"), ("three",)]) == 2
    assert zmert.read_references(prefix) == [("one", "two"), ("three", "three")]
    assert (tmp_path / "ref.1").read_text() == "two\nthree\n"


def test_references_without_a_dot_and_from_one(tmp_path: Path) -> None:
    (tmp_path / "ref1").write_text("a\n\nc\n")
    (tmp_path / "ref2").write_text("d\ne\nf\n")
    assert zmert.read_references(tmp_path / "ref") == [("a", "d"), ("", "e"), ("c", "f")]


def test_config_comes_back_without_comments(tmp_path: Path) -> None:
    path = tmp_path / "ZMERT_cfg.txt"
    zmert.write_config(path, {"r": "ref", "rps": 4, "m": "BLEU 4 closest"})
    path.write_text("### common\n" + path.read_text() + "-N 500   # size\n")
    assert zmert.read_config(path) == {"r": "ref", "rps": "4", "m": "BLEU 4 closest", "N": "500"}


@pytest.mark.parametrize(
    ("reader", "content", "where"),
    [
        (zmert.read_params, "a ||| 1 Opt 0\n", ":1: expected"),
        (zmert.read_params, "a ||| x Opt 0 1 0 1\n", ":1: 'x' is not a number"),
        (zmert.read_params, "\n", "names no parameters"),
        (zmert.read_nbest, "0 ||| a ||| 1 2\n0 ||| b ||| 1\n", ":2: 1 feature values where 2"),
        (zmert.read_nbest, "zero ||| a ||| 1\n", ":1: expected"),
        (zmert.read_nbest, "0 ||| a ||| one\n", ":1: 'one' is not a number"),
        (zmert.read_config, "r ref\n", ":1: expected"),
        (zmert.read_decoder_config, "uni high\n", ":1: 'high'"),
        (zmert.read_nbest, b"0 ||| \xff ||| 1\n", "cannot read"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, reader, content: str | bytes, where: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as error:
        reader(path)
    assert where in str(error.value)


def test_missing_or_uneven_references_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no reference files"):
        zmert.read_references(tmp_path / "ref")
    (tmp_path / "ref.0").write_text("a\nb\n")
    (tmp_path / "ref.1").write_text("a\n")
    with pytest.raises(UserError, match="different numbers"):
        zmert.read_references(tmp_path / "ref")
