"""`hedline evaluate`: decode a set and score it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.main import Json, changed, output_file, print_json, takes
from hedline.decoding.options import DecodeOptions


@takes(DecodeOptions, after="json", but=("nbest", "diversity"))
def evaluate(
    model: Annotated[str, typer.Argument(help="Model folder, fitted baseline, or the name of a shipped model.")],
    set: Annotated[Path, typer.Argument(help="Evaluation set or pairs file.")],
    preset: Annotated[str, typer.Option(help="gigaword: F1, own length; duc: recall at 75 bytes.")] = "gigaword",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N inputs.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the headlines to this JSONL file.")] = None,
    json: Json = False,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
    **settings: Any,
) -> None:
    """Decode a set and score it: ROUGE with intervals, Ext. %, lengths, unsupported numbers and names.

    PREFIX (the first 75 bytes of the input) stands beside it, and what the human headlines are like.
    --preset duc measures as the paper does, so the guard of meaning, which its systems lack, is off there.

    \b
    Examples:
      hedline evaluate model test.jsonl
      hedline evaluate model duc2004.jsonl --preset duc
      hedline evaluate model test.jsonl --limit 500 --no-tuned --out abs.jsonl
      hedline evaluate model test.jsonl --mode extractive --beam 10 --json
      hedline evaluate runs/moses test.jsonl --preset duc
    """
    from hedline.corpora.sets import read_evaluation_set
    from hedline.experiments.evaluate import decode_set, describe, evaluate_outputs, measured_options, write_outputs

    options = measured_options(preset, changed(DecodeOptions, settings))
    DecodeOptions(**options)  # a wrong one is told before anything is loaded
    output_file(out)
    items = read_evaluation_set(set, limit)
    summaries, seconds = decode_set(model, items, options, workers or os.cpu_count() or 1)
    if out is not None:
        write_outputs(out, summaries, items)
    result = evaluate_outputs(Path(model).name, [summary.text for summary in summaries], items, preset)
    result |= {"set": set.name, "model": model, "options": options, "seconds": round(seconds, 2)}
    print_json(result) if json else print(describe(result))
