"""`hedline evaluate`: decode a set, score it, and put PREFIX and the human headlines beside it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hedline.corpora.evaluation import EvaluationItem
from hedline.decoding.summary import Summary
from hedline.experiments.baselines import run_prefix
from hedline.files import atomic_path
from hedline.metrics.bootstrap import interval, resample_means
from hedline.metrics.extractive import Extractiveness, measure_extractiveness
from hedline.metrics.presets import Preset, find_preset
from hedline.metrics.signature import signature
from hedline.metrics.significance import compare
from hedline.metrics.statistics import SCORE_NAMES, Array
from hedline.progress import Progress
from hedline.tuning.workers import Crew

BATCH = 32
DECODE_FOR: dict[str, dict[str, Any]] = {"duc": {"bytes": 75}, "gigaword": {}}
SCORE_WORDS = {"R": "recall", "P": "precision", "F": "F1"}


@dataclass(frozen=True)
class System:
    """One row of the table: scores (n, metrics) of each headline where it has any, and what its headlines are like."""

    name: str
    scores: Array | None
    text: Extractiveness

    def to_json(self, metrics: Sequence[str]) -> dict[str, Any]:
        """ROUGE in per cent with 95 % intervals, then the rest."""
        if self.scores is None:
            return {"name": self.name, **self.text.to_json()}
        bounds = interval(resample_means(100 * self.scores))
        rouge = {
            metric: {"value": float(value), "low": float(low), "high": float(high)}
            for metric, value, low, high in zip(
                metrics, 100 * self.scores.mean(axis=0), bounds.low, bounds.high, strict=True
            )
        }
        return {"name": self.name, **rouge, **self.text.to_json()}


def decode_set(
    model: str, items: Sequence[EvaluationItem], options: Mapping[str, Any], workers: int = 1
) -> tuple[list[Summary], float]:
    """Headlines for every item, in order, and the seconds the decoding took (loading not counted)."""
    tasks = [(items[start : start + BATCH], dict(options)) for start in range(0, len(items), BATCH)]
    progress = Progress("decoding", len(items), "inputs")
    summaries: list[Summary] = []
    with Crew(partial(_load, model), min(workers, len(tasks))) as crew:
        begin = time.monotonic()
        for batch in crew.map(_summarize, tasks):
            summaries += batch
            progress.advance(len(batch))
    progress.close()
    return summaries, time.monotonic() - begin


def evaluate_outputs(
    name: str, headlines: Sequence[str], items: Sequence[EvaluationItem], preset: str = "gigaword"
) -> dict[str, Any]:
    """A system's headlines against the references, beside PREFIX (75 bytes) and the human headlines, as plain JSON."""
    chosen = find_preset(preset)
    leads = [item.lead for item in items]
    prefix = run_prefix(leads, bytes=75)
    ours = System(name, _scores(headlines, items, chosen), measure_extractiveness(headlines, leads))
    theirs = System("PREFIX", _scores(prefix, items, chosen), measure_extractiveness(prefix, leads))
    human = System("human", None, measure_extractiveness([item.references[0] for item in items], leads))
    scorer = chosen.scorer()
    assert ours.scores is not None
    assert theirs.scores is not None
    tests = compare(ours.scores, theirs.scores)
    return {
        "inputs": len(items),
        "preset": chosen.name,
        "score": SCORE_NAMES[chosen.column],
        "signature": signature(scorer, [len(item.references) for item in items]),
        "systems": [system.to_json(scorer.names) for system in (ours, theirs, human)],
        "against_prefix": {
            metric: {
                "relative": float(100 * difference / max(base, 1e-12)),
                "p": float(p),
            }
            for metric, difference, base, p in zip(
                scorer.names, tests.difference, theirs.scores.mean(axis=0), tests.p_randomization, strict=True
            )
        },
    }


def write_outputs(path: Path, summaries: Sequence[Summary], items: Sequence[EvaluationItem]) -> None:
    """The headlines as JSONL, one record an input (see the interface), whole or not at all."""
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for summary, item in zip(summaries, items, strict=True):
            file.write(json.dumps(summary.to_json(item.id, item.lead), ensure_ascii=False) + "\n")


def describe(result: Mapping[str, Any]) -> str:
    """The table for people."""
    metrics = list(result["against_prefix"])
    lines = [
        f"{result['inputs']:,} inputs, ROUGE {SCORE_WORDS[result['score']]} with 95 % intervals",
        _heading(metrics),
    ]
    lines += [_row(system, metrics) for system in result["systems"]]
    gains = ", ".join(
        f"{metric} {test['relative']:+.1f} % (p {test['p']:.4f})" for metric, test in result["against_prefix"].items()
    )
    lines.append(f"against PREFIX: {gains}")
    if "seconds" in result:
        lines.append(
            f"decoded in {result['seconds']:.1f} s, {result['inputs'] / max(result['seconds'], 1e-9):.1f} a second"
        )
    return "\n".join([*lines, result["signature"]])


def _heading(metrics: Sequence[str]) -> str:
    scores = "".join(f"{metric:>22}" for metric in metrics)
    return f"{'system':<12}{scores}{'Ext. %':>8}{'words':>7}{'bytes':>7}{'new':>6}{'numbers':>9}{'names':>7}"


def _row(system: Mapping[str, Any], metrics: Sequence[str]) -> str:
    cells = [
        f"{system[m]['value']:.2f} [{system[m]['low']:.2f}, {system[m]['high']:.2f}]" if m in system else ""
        for m in metrics
    ]
    scores = "".join(f"{cell:>22}" for cell in cells)
    counts = f"{system['ext']:8.1f}{system['words']:7.2f}{system['bytes']:7.1f}{system['novel_words']:6.2f}"
    return f"{system['name'][:11]:<12}{scores}{counts}{system['bad_numbers']:8.1f}%{system['bad_names']:6.1f}%"


def _scores(headlines: Sequence[str], items: Sequence[EvaluationItem], preset: Preset) -> Array:
    scores = preset.scorer().score_all(headlines, [item.references for item in items])
    return np.asarray(scores[:, :, preset.column])


def _load(model: str) -> Any:
    from hedline.api import load

    return load(model)


def _summarize(summarizer: Any, task: tuple[Sequence[EvaluationItem], dict[str, Any]]) -> list[Summary]:
    items, options = task
    found: list[Summary] = summarizer.summarize([item.lead for item in items], **options)
    return found
