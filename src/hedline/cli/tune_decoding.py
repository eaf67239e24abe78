"""`hedline tune-decoding`: a model's length penalty, control tokens and reranking."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def tune_decoding(
    model: Annotated[Path, typer.Argument(help="Model folder; the settings are written into its tuning.json.")],
    sets: Annotated[
        list[Path], typer.Argument(metavar="SET…", help="Evaluation sets or pairs files (never the test set).")
    ],
    limit: Annotated[int, typer.Option(min=1, help="Use the first so many inputs of each set.")] = 500,
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses kept at each step, as in use.")] = 5,
    objective: Annotated[str, typer.Option(help="E.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f'.")] = "",
    preset: Annotated[str, typer.Option(help="gigaword: F1, own length; duc: recall at 75 bytes.")] = "gigaword",
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print tuning.json instead of the table.")] = False,
) -> None:
    """Choose how a model decodes: length penalty, control tokens, reranking; feature weights stay as they are.

    Tries settings one after the other and keeps what scores best over all sets, which count the same. `hedline tune`
    writes the file anew, so run it first.

    \b
    Examples:
      hedline tune-decoding model valid.jsonl
      hedline tune-decoding model valid.jsonl newswire.jsonl --limit 1000
    """
    from hedline.tuning.decoding_choice import DecodingSettings, choose_decoding, heading, line
    from hedline.tuning.tune import OBJECTIVE

    def tell(trial: Any) -> None:
        print(line(trial), file=sys.stderr if json else sys.stdout, flush=True)

    settings = DecodingSettings(limit, beam, objective or OBJECTIVE, preset)
    print(heading(sets), file=sys.stderr if json else sys.stdout)
    result, best = choose_decoding(model, sets, settings, workers or os.cpu_count() or 1, tell)
    if json:
        import json as json_module

        print(json_module.dumps(result, ensure_ascii=False, indent=2))
    else:
        print(f"Kept, and written to {model / 'tuning.json'}:\n{line(best)}")
