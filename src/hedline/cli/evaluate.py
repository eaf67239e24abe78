"""`hedline evaluate`: decode a set and score it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.main import Json, changed, output_file, print_json, takes
from hedline.corpora.sets import read_evaluation_set
from hedline.decoding.options import DecodeOptions
from hedline.experiments.evaluate import (
    EvaluateSettings,
    decode_set,
    describe,
    evaluate_outputs,
    measured_options,
    write_outputs,
)


@takes(DecodeOptions, after="json", but=("nbest", "diversity"))
@takes(EvaluateSettings, after="set")
def evaluate(
    model: Annotated[str, typer.Argument(help="Model folder, fitted baseline, or the name of a shipped model.")],
    set: Annotated[Path, typer.Argument(help="Evaluation set or pairs file.")],
    json: Json = False,
    **given: Any,
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
    settings = EvaluateSettings(**changed(EvaluateSettings, given))
    options = measured_options(settings.preset, changed(DecodeOptions, given))
    DecodeOptions(**options)  # a wrong one is told before anything is loaded
    output_file(settings.out)
    items = read_evaluation_set(set, settings.limit)
    summaries, seconds = decode_set(model, items, options, settings.workers or os.cpu_count() or 1)
    if settings.out is not None:
        write_outputs(settings.out, summaries, items)
    result = evaluate_outputs(Path(model).name, [summary.text for summary in summaries], items, settings.preset)
    result |= {"set": set.name, "model": model, "options": options, "seconds": round(seconds, 2)}
    print_json(result) if json else print(describe(result))
