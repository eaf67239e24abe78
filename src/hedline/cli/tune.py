"""`hedline tune`: minimum error rate training of a model's feature weights."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def tune(
    model: Annotated[Path, typer.Argument(help="Model folder; tuning.json is written into it.")],
    set: Annotated[Path, typer.Argument(help="Evaluation set or pairs file to tune on (never the test set).")],
    limit: Annotated[int, typer.Option(min=1, help="Use the first so many inputs.")] = 500,
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept and collected for each input.")] = 50,
    objective: Annotated[str, typer.Option(help="E.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f', bleu.")] = "",
    preset: Annotated[str, typer.Option(help="gigaword: F1, own length; duc: recall at 75 bytes.")] = "gigaword",
    rounds: Annotated[int, typer.Option(min=1, help="Decode at most so often.")] = 15,
    features: Annotated[str, typer.Option(help="Features to tune, separated by commas, log_prob first.")] = "",
    bounds: Annotated[str, typer.Option(help="Ranges of weights, e.g. reorder=-5:0,length=0.")] = "",
    start: Annotated[str, typer.Option(help="First weights, e.g. unigram=1,bigram=0.5; the others are 0.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="Fixes everything random.")] = 1,
    restarts: Annotated[int, typer.Option(min=0, help="Random starts in every round.")] = 12,
    smoothing: Annotated[int, typer.Option(min=0, help="Intervals averaged on each side of a candidate.")] = 0,
    check: Annotated[
        int,
        typer.Option(min=0, help="Inputs after the tuning ones that decide how far to go toward the tuned weights."),
    ] = 500,
    length_penalty: Annotated[
        float | None, typer.Option(min=0, max=5, help="The search's, in every round and afterwards; automatic: 1.8.")
    ] = None,
    words: Annotated[int | None, typer.Option(min=1, help="Decode at most so many words.")] = None,
    bytes: Annotated[int | None, typer.Option(min=1, help="Decode at most so many bytes (duc: 75).")] = None,
    mode: Annotated[str, typer.Option(help="abstractive, extractive or compressive.")] = "abstractive",
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
    work: Annotated[Path | None, typer.Option(help="Where an unfinished run is kept (default: MODEL/.tuning).")] = None,
    zmert: Annotated[Path | None, typer.Option(help="Also write all lists in Z-MERT's formats to this folder.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print tuning.json instead of the report.")] = False,
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
        check=check, length_penalty=LENGTH_PENALTY if length_penalty is None else length_penalty,
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
