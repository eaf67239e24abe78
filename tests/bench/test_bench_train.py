"""The training benchmark runs, and its numbers hang together."""

from __future__ import annotations

import pytest

from hedline.bench import train as bench

TINY = bench.Size(D=4, H=6, inputs=60, outputs=50, batch=8, pairs=64, steps=2, square=64)


def test_runs_small_and_renders(monkeypatch):
    monkeypatch.setattr(bench, "CPU", TINY)
    result = bench.run(threads=1)
    assert set(result["training"]) == {"attention", "bow", "conv", "none"}
    speeds = [*result["training"].values(), *result["softmax"].values()]
    assert all(speed > 0 for speed in speeds)
    flops = 6 * TINY.outputs * 2 * TINY.H * result["training"]["attention"]
    assert result["share_of_peak"] == pytest.approx(flops / (result["peak_tflops"] * 1e12))
    text = bench.render(result)
    assert "the three products alone" in text and "% of the peak" in text
