"""`hedline tune`: minimum error rate training of a model's feature weights."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.option import option

Model = Annotated[Path, typer.Argument(help="Model folder; tuning.json is written into it.")]
Set = Annotated[Path, typer.Argument(help="Evaluation set or pairs file to tune on (never the test set).")]
Limit = Annotated[int, option("Use the first so many inputs.", min=1)]
Beam = Annotated[int, option("Hypotheses kept and collected for each input.", min=1)]
Objective = Annotated[str, option("E.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f', bleu.")]
PresetName = Annotated[str, option("gigaword: F1, own length; duc: recall at 75 bytes.")]
Rounds = Annotated[int, option("Decode at most so often.", min=1)]
Features = Annotated[str, option("Features to tune, separated by commas, log_prob first.")]
Bounds = Annotated[str, option("Ranges of weights, e.g. reorder=-5:0,length=0.")]
Start = Annotated[str, option("First weights, e.g. unigram=1,bigram=0.5; the others are 0.")]
Seed = Annotated[int, option("Fixes everything random.", min=0)]
Restarts = Annotated[int, option("Random starts in every round.", min=0)]
Smoothing = Annotated[int, option("Intervals averaged on each side of a candidate.", min=0)]
Check = Annotated[
    int | None,
    option(
        "Inputs after the tuning ones that decide how far to go toward the weights found; automatic: as many as are "
        "tuned on, at most 500.",
        min=0,
    ),
]
LengthPenalty = Annotated[
    float | None, option("The search's, in every round and afterwards; automatic: 1.8.", min=0, max=5)
]
Words = Annotated[int | None, option("Decode at most so many words.", min=1)]
Bytes = Annotated[int | None, option("Decode at most so many bytes (duc: 75).", min=1)]
Mode = Annotated[str, option("abstractive, extractive or compressive.")]
Workers = Annotated[int, option("Processes; 0: one for each core.", min=0)]
Work = Annotated[Path | None, option("Where an unfinished run is kept (default: MODEL/.tuning).")]
Zmert = Annotated[Path | None, option("Also write all lists in Z-MERT's formats to this folder.")]
Json = Annotated[bool, option("Print tuning.json instead of the report.", "--json")]


def tune(
    model: Model,
    set: Set,
    limit: Limit = 500,
    beam: Beam = 50,
    objective: Objective = "",
    preset: PresetName = "gigaword",
    rounds: Rounds = 15,
    features: Features = "",
    bounds: Bounds = "",
    start: Start = "",
    seed: Seed = 1,
    restarts: Restarts = 12,
    smoothing: Smoothing = 0,
    check: Check = None,
    length_penalty: LengthPenalty = None,
    words: Words = None,
    bytes: Bytes = None,
    mode: Mode = "abstractive",
    workers: Workers = 0,
    work: Work = None,
    zmert: Zmert = None,
    json: Json = False,
) -> None:
    """Tune a model's features for ROUGE: ABS to ABS+.

    Decodes, collects the n-best lists, finds the best weights on all of them, and repeats until nothing changes. An
    interrupted run continues where it was when the same command is given again.

    \b
    Examples:
      hedline tune model valid.jsonl
      hedline tune model duc2003.jsonl --preset duc --limit 624
      hedline tune model valid.jsonl --objective "R-1 + 2*R-2" --bounds "reorder=-5:0,length=0"
      hedline tune model valid.jsonl --features log_prob,unigram,bigram,trigram,reorder,length,unsupported
    """
    from hedline.decoding.engine import LENGTH_PENALTY
    from hedline.tuning import report
    from hedline.tuning.tune import OBJECTIVE, Settings
    from hedline.tuning.tune import tune as run

    decode: dict[str, Any] = {"words": words, "bytes": bytes, "mode": mode}
    settings = Settings(
        limit, beam, objective or OBJECTIVE, preset, rounds=rounds, restarts=restarts, smoothing=smoothing, seed=seed,
        decode={name: value for name, value in decode.items() if value is not None},
        check=min(limit, 500) if check is None else check,
        length_penalty=LENGTH_PENALTY if length_penalty is None else length_penalty,
        **_named(features, bounds, start),
    )  # fmt: skip
    print(report.header(settings.features), file=sys.stderr)
    result, tuning = run(
        model, set, settings, work, workers or os.cpu_count() or 1,
        tell=lambda this: print(report.line(this), file=sys.stderr, flush=True),
    )  # fmt: skip
    if zmert is not None:
        from hedline.tuning.export import export_zmert

        export_zmert(zmert, tuning, settings, set)
    print(_json(result) if json else f"{report.closing(result)}\nWritten to {model / 'tuning.json'}")


def _named(features: str, bounds: str, start: str) -> dict[str, Any]:
    """Options given as text, read; those not given are left to their defaults."""
    from hedline.decoding.features import ABS_WEIGHTS
    from hedline.tuning.bounds import parse_bounds, parse_weights

    options: dict[str, Any] = {"bounds": parse_bounds(bounds)}
    if features:
        options["features"] = tuple(name.strip() for name in features.split(","))
    if start:
        options["start"] = {**ABS_WEIGHTS, **parse_weights(start)}
    return options


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=2)
