"""The n-gram benchmark counts what it was given."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hedline.bench.ngram import render
from hedline.bench.ngram import run as bench
from hedline.errors import UserError
from hedline.text.vocab import Vocabulary

WORDS = ["<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Training headlines `a b` and `a c`, valid headlines `a <unk>` and `a b`: hand-computed in test_estimate."""
    folder = tmp_path / "data"
    folder.mkdir()
    Vocabulary(WORDS).save(folder / "vocab.output.txt")
    settings = {
        "format": 1,
        "fingerprint": "f00d",
        "vocabulary": {"input": 7, "output": 7},
        "settings": {"units": "words"},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    for split, outputs in (("train", [4, 5, 4, 6]), ("valid", [4, 1, 4, 5])):
        for side in ("input", "output"):
            np.save(folder / f"{split}.{side}s.npy", np.array(outputs, dtype=np.uint16))
            np.save(folder / f"{split}.{side}_offsets.npy", np.array([0, 2, 4]))
    return folder


def test_bench_counts_what_it_was_given(data: Path) -> None:
    pytest.importorskip("kenlm")
    result = bench(limit=200, order=3)
    assert result["tokens"] == 200 * 14 and result["seconds"] >= 0 and result["peak_gigabytes"] > 0
    assert result["largest_difference"] < 1e-5 and "2,800 tokens" in render(result)
    assert bench(data, limit=1, order=2)["tokens"] == 3
    with pytest.raises(UserError, match="takes one made by"):
        bench(data / "vocab.output.txt")
