"""The benchmark runs, compares what it says, and its texts are those of a headline set."""

from __future__ import annotations

import pytest

from hedline.bench.rouge import make_texts, render, run
from hedline.metrics.rouge import RougeScorer


@pytest.mark.slow
def test_a_small_run_measures_us_and_whoever_is_installed():
    result = run(limit=30)
    text = render(result)
    assert result["seconds"]["hedline"] > 0
    assert set(result["times_faster"]) | set(result["skipped"]) == {"ROUGE-1.5.5.pl", "rouge-score"}
    assert "30 summaries" in text
    items = make_texts(30)
    means = RougeScorer().corpus([item[0] for item in items], [item[1:] for item in items])
    assert result["ours"]["ROUGE-1"] == round(100 * float(means[0, 2]), 3)
    assert 10 < result["ours"]["ROUGE-1"] < 60, "made-up texts should overlap about as headlines do"
