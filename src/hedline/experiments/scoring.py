"""Scores of a system's headlines, as plain JSON values: ROUGE with intervals, Ext. %, lengths, support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hedline.corpora.evaluation import EvaluationItem
from hedline.metrics.bootstrap import interval, resample_means
from hedline.metrics.extractive import measure_extractiveness
from hedline.metrics.presets import find_preset
from hedline.metrics.signature import signature
from hedline.metrics.statistics import SCORE_NAMES

Scores = dict[str, Any]


def score_outputs(outputs: Sequence[str], items: Sequence[EvaluationItem], preset: str = "gigaword") -> Scores:
    """ROUGE-1, -2 and -L in per cent with 95 % intervals, the share of copied words, mean lengths.

    preset: `gigaword` gives F1 at full length, `duc` recall at 75 bytes.
    """
    chosen = find_preset(preset)
    scorer = chosen.scorer()
    scores = 100 * scorer.score_all(outputs, [item.references for item in items])[:, :, chosen.column]
    bounds = interval(resample_means(scores))
    rouge = {
        name: {"value": round(float(value), 3), "low": round(float(low), 3), "high": round(float(high), 3)}
        for name, value, low, high in zip(scorer.names, scores.mean(axis=0), bounds.low, bounds.high, strict=True)
    }
    extractiveness = measure_extractiveness(outputs, [item.lead for item in items])
    return {
        "items": len(items),
        "score": SCORE_NAMES[chosen.column],
        **rouge,
        **{name: round(value, 3) for name, value in extractiveness.to_json().items()},
        "signature": signature(scorer, [len(item.references) for item in items]),
    }


def describe(scores: Scores) -> str:
    """Scores as a few lines of text."""
    names = {"R": "recall", "P": "precision", "F": "F1"}
    lines = [f"{scores['items']:,} headlines, {scores['words']:.2f} words and {scores['bytes']:.1f} bytes in the mean"]
    for name in (name for name in scores if name.startswith("ROUGE")):
        found = scores[name]
        lines.append(
            f"  {name} {names[scores['score']]} {found['value']:.2f}  [{found['low']:.2f}, {found['high']:.2f}]"
        )
    lines.append(f"  Ext. {scores['ext']:.1f} % of the words stand in the input")
    return "\n".join([*lines, scores["signature"]])
