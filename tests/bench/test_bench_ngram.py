"""The n-gram benchmark counts what it was given."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedline.bench.ngram import render
from hedline.bench.ngram import run as bench
from hedline.errors import UserError
from small_data import write_counted


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_counted(tmp_path / "data")


def test_bench_counts_what_it_was_given(data: Path) -> None:
    pytest.importorskip("kenlm")
    result = bench(limit=200, order=3)
    assert result["tokens"] == 200 * 14 and result["seconds"] >= 0 and result["peak_gigabytes"] > 0
    assert result["largest_difference"] < 1e-5 and "2,800 tokens" in render(result)
    assert bench(data, limit=1, order=2)["tokens"] == 3
    with pytest.raises(UserError, match="takes one made by"):
        bench(data / "vocab.output.txt")
