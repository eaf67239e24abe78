"""The systems of the tables: which model folder, under which decoding options, and how rows of them are measured.

A row decodes an evaluation set with a system and scores the headlines: ROUGE with intervals, Ext. %, lengths, support.
What is measured already is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from hedline.baselines.system import Limit, find_system, prefix
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError
from hedline.experiments.evaluate import decode_set
from hedline.experiments.record import EvaluationSet, Request, Results, Row, identify
from hedline.files import read_json
from hedline.metrics.measures import SCORE_NAMES
from hedline.metrics.resampling import interval, resample_means
from hedline.metrics.rouge import find_preset, signature
from hedline.metrics.support import measure_extractiveness


@dataclass(frozen=True)
class System:
    """A row of a table.

    label: its name there; folder: the model's folder below the models folder, None for PREFIX; options: what
    differs from the default search; tuned: False leaves the tuned weights of ABS+ aside (plain ABS); plus: only a model
    with tuned weights can be this row (ABS+); unfitted: the name of a baseline that needs no folder.
    """

    label: str
    folder: str | None
    options: Mapping[str, Any] = field(default_factory=dict)
    tuned: bool = True
    plus: bool = False
    unfitted: str = ""

    def find(self, request: Request) -> Path | None:
        """The model's folder; None for a system without one, and where it was not built or not tuned."""
        folder = request.model(self.folder) if self.folder else None
        return None if folder and self.plus and not (folder / "tuning.json").is_file() else folder

    def decode_options(self, common: Mapping[str, Any]) -> dict[str, Any]:
        """All options of this row: the run's common ones, then its own; the paper's systems guard no meaning."""
        return {"guard_meaning": False, **common, **({} if self.tuned else {"tuned": False}), **self.options}


# Two models go by the paper's name: its attention exactly as printed, and the one with our options (learnt windows,
# positions, shared vectors) that is shipped. Every table shows both.
ABS_SYSTEMS = {
    "ABS printed": System("ABS as printed", "printed", tuned=False),
    "ABS+ printed": System("ABS+ as printed", "printed", plus=True),
    "ABS options": System("ABS with our options", "options", tuned=False),
    "ABS+ options": System("ABS+ with our options", "options", plus=True),
}


def headlines(
    model: Path | None, items: Sequence[EvaluationItem], options: Mapping[str, Any], workers: int = 1
) -> list[str]:
    """A system's headlines; no model is PREFIX, 75 bytes unless a limit is among the options."""
    if model is None:
        limits = {name: options[name] for name in ("bytes", "chars", "words") if options.get(name)}
        return [prefix(item.lead, **(limits or {"bytes": 75})) for item in items]
    summaries, _ = decode_set(str(model), items, options, workers)
    return [summary.text for summary in summaries]


def ready(name: str) -> bool:
    """Whether a baseline and what it needs (a parser, say) are installed."""
    try:
        find_system(name).open(None).headlines([], Limit())
    except UserError:
        return False
    return True


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


def decode_row(
    key: str,
    folder: Path,
    options: dict[str, Any],
    chosen: EvaluationSet,
    request: Request,
    results: Results,
    row: Callable[[list[str]], Row],
    **others: str,
) -> None:
    """Decode a set under these options unless the row is there already.

    row: what is kept of the headlines; others: what it depends on besides, for its identity.
    """
    who = chosen.identify(options, folder, request, **others)
    results.measure(key, who, lambda: headlines(folder, chosen.items, options, request.workers), row)


def measure_row(
    key: str,
    system: System,
    chosen: EvaluationSet,
    request: Request,
    results: Results,
    preset: str,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Decode and score one row unless it is there already or its model is not.

    key: the row's name in the results; preset: which ROUGE counts; extra: what the row holds besides.
    """
    folder = system.find(request)
    if system.folder and folder is None:
        return
    if system.unfitted and not ready(system.unfitted):
        return
    options = {**find_preset(preset).limits, **system.decode_options(request.options)}  # asked for as it is measured

    def decode() -> list[str]:
        if not system.unfitted:
            return headlines(folder, chosen.items, options, request.workers)
        limit = Limit(options.get("bytes"), options.get("words"))
        return find_system(system.unfitted).open(None).headlines(chosen.items, limit)

    def row(outputs: list[str]) -> Row:
        return {**score_outputs(outputs, chosen.items, preset), **(extra or {})}

    results.measure(key, chosen.identify(options, folder, request, preset=preset), decode, row)


def tuned_on(folder: Path, preset: str) -> dict[str, Any] | None:
    """Which inputs a model's weights were tuned on: the file's name, its first input (from 0) and how many."""
    stored = read_json(folder / "tuning.json") if (folder / "tuning.json").is_file() else {}
    tuning = stored.get("presets", {}).get(preset, stored)
    if not isinstance(tuning.get("set"), dict):
        return None
    chosen = tuning["set"]
    skipped = int(tuning.get("settings", {}).get("skip") or 0)
    return {"file": str(chosen["name"]).partition(".")[0], "first": skipped, "inputs": chosen["inputs"]}


Measure = Callable[[str, Path, dict[str, Any]], Row]


def measure_systems(
    name: str, systems: Mapping[str, System], inputs: str, request: Request, measure: Measure
) -> Results:
    """The results of experiment `name`: a row for each system whose model was built.

    inputs: what is decoded, in words (part of a row's identity); measure: from a row's key, its model folder and its
    decoding options to the row.
    """
    request.check_models()
    results = request.open(name)
    for key, system in systems.items():
        folder = system.find(request)
        if folder is None:
            continue
        options = system.decode_options(request.options)
        who = identify({"options": options}, inputs, folder, request)
        results.measure(key, who, partial(measure, key, folder, options), lambda row: row)
    return results
