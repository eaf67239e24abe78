"""The line that says how a score was computed, as sacreBLEU prints one: two scores compare if their lines agree."""

from __future__ import annotations

from collections.abc import Sequence

import hedline
from hedline.metrics.rouge import RougeScorer


def limit_text(scorer: RougeScorer) -> str:
    """`75 bytes`, `10 words` or `none`."""
    tokenizer = scorer.tokenizer
    if tokenizer.byte_limit is not None:
        return f"{tokenizer.byte_limit} bytes"
    return "none" if tokenizer.word_limit is None else f"{tokenizer.word_limit} words"


def references_text(counts: Sequence[int]) -> str:
    """Number of references, `1-4` when it differs between summaries."""
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}-{high}"


def signature(scorer: RougeScorer, reference_counts: Sequence[int]) -> str:
    """Metric, stemming, stop words, limit, references, how they are joined, alpha, version."""
    multi = scorer.multi + ("+jackknife" if scorer.jackknife else "")
    fields = {
        "metric": ",".join(name.removeprefix("ROUGE-") for name in scorer.names),
        "stem": "yes" if scorer.tokenizer.stem else "no",
        "stop": "removed" if scorer.tokenizer.stop else "kept",
        "limit": limit_text(scorer),
        "refs": references_text(reference_counts),
        "multi": multi,
        "alpha": f"{scorer.alpha:g}",
        "equals": "ROUGE-1.5.5" if scorer.multi != "mean" else "nothing",
        "hedline": hedline.__version__,
    }
    return "ROUGE|" + "|".join(f"{key}:{value}" for key, value in fields.items())
