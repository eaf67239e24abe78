"""`hedline evaluate`: decode a set and score it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer


def evaluate(
    model: Annotated[str, typer.Argument(help="Model folder, or the name of a shipped model.")],
    set: Annotated[Path, typer.Argument(help="Evaluation set or pairs file.")],
    preset: Annotated[str, typer.Option(help="gigaword: F1, own length; duc: recall at 75 bytes.")] = "gigaword",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many inputs.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the headlines to this JSONL file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
    words: Annotated[int | None, typer.Option(min=1, help="At most so many words.")] = None,
    exact_words: Annotated[int | None, typer.Option(min=1, help="Exactly so many words.")] = None,
    bytes: Annotated[int | None, typer.Option(min=1, help="At most so many bytes (duc: 75).")] = None,
    chars: Annotated[int | None, typer.Option(min=1, help="At most so many characters.")] = None,
    mode: Annotated[str, typer.Option(help="abstractive, extractive or compressive.")] = "abstractive",
    decoder: Annotated[str, typer.Option(help="beam, greedy or exact.")] = "beam",
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept at each step.")] = 5,
    abstractiveness: Annotated[float | None, typer.Option(help="1: ABS, 0: ABS+ as tuned, -1: more copying.")] = None,
    length_penalty: Annotated[float | None, typer.Option(help="Exponent of the length normalisation.")] = None,
    rerank: Annotated[str | None, typer.Option(help="mbr or none, as in summarize; the model's way otherwise.")] = None,
    guard_names: Annotated[
        bool | None, typer.Option("--guard-names/--no-guard-names", help="As in summarize; the model's way otherwise.")
    ] = None,
    full_vocabulary: Annotated[bool, typer.Option("--full-vocabulary", help="No shortlist.")] = False,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
) -> None:
    """Decode a set and score it: ROUGE with intervals, Ext. %, lengths, unsupported numbers and names.

    PREFIX (the first 75 bytes of the input) stands beside it, and what the human headlines are like.

    \b
    Examples:
      hedline evaluate model test.jsonl
      hedline evaluate model duc2004.jsonl --preset duc
      hedline evaluate model test.jsonl --limit 500 --abstractiveness 1 --out abs.jsonl
      hedline evaluate model test.jsonl --mode extractive --beam 10 --json
    """
    from hedline.corpora.evaluation import read_evaluation_set
    from hedline.experiments.evaluate import DECODE_FOR, decode_set, describe, evaluate_outputs, write_outputs
    from hedline.metrics.presets import find_preset

    asked: dict[str, Any] = {
        "words": words, "exact_words": exact_words, "bytes": bytes, "chars": chars, "mode": mode, "decoder": decoder,
        "beam": beam, "abstractiveness": abstractiveness, "full_vocabulary": full_vocabulary,
        "length_penalty": length_penalty, "rerank": rerank, "guard_names": guard_names,
    }  # fmt: skip
    given = {name: value for name, value in asked.items() if value is not None}
    options = {**DECODE_FOR[find_preset(preset).name], **given}
    items = read_evaluation_set(set, limit)
    summaries, seconds = decode_set(model, items, options, workers or os.cpu_count() or 1)
    if out is not None:
        write_outputs(out, summaries, items)
    result = evaluate_outputs(Path(model).name, [summary.text for summary in summaries], items, preset)
    result |= {"set": set.name, "model": model, "options": options, "seconds": round(seconds, 2)}
    if json:
        import json as json_module

        print(json_module.dumps(result, ensure_ascii=False, indent=2))
    else:
        print(describe(result))
