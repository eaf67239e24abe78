"""`hedline evaluate`: decode a set and score it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedline.cli.main import Changes, Form, Options, output_file, print_json
from hedline.corpora.sets import read_evaluation_set
from hedline.decoding.options import DecodeOptions, Workers
from hedline.experiments.evaluate import (
    EvaluateSettings,
    decode_set,
    describe,
    evaluate_outputs,
    measured_options,
    write_outputs,
)


def evaluate(
    model: Annotated[str, typer.Argument(help="Model folder, fitted baseline, or the name of a shipped model.")],
    set: Annotated[Path, typer.Argument(help="Evaluation set or pairs file.")],
    settings: EvaluateSettings,
    workers: Workers,
    form: Form,
    given: Annotated[Changes, Options(DecodeOptions, but=("nbest", "diversity"))],
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
    options = measured_options(settings.preset, given)
    DecodeOptions(**options)  # a wrong one is told before anything is loaded
    output_file(settings.out)
    items = read_evaluation_set(set, settings.limit)
    summaries, seconds = decode_set(model, items, options, workers.count)
    if settings.out is not None:
        write_outputs(settings.out, summaries, items)
    result = evaluate_outputs(Path(model).name, [summary.text for summary in summaries], items, settings.preset)
    result |= {"set": set.name, "model": model, "options": options, "seconds": round(seconds, 2)}
    print_json(result) if form.json else print(describe(result))
