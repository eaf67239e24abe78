"""`hedline tune` (a model's feature weights, by minimum error rate training) and `hedline tune-decoding`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.main import Changes, Form, Options, print_json
from hedline.decoding.options import DecodeOptions, Workers
from hedline.tuning.grid import DecodingSettings
from hedline.tuning.tune import Places, Settings

Model = Annotated[Path, typer.Argument(help="Model folder; tuning.json is written into it.")]
Set = Annotated[Path, typer.Argument(help="Evaluation set or pairs file to tune on (never the test set).")]
# What tuning decides, or what has no meaning for it.
DECIDED = ("beam", "nbest", "fill", "rerank", "length_penalty", "abstractiveness", "tuned", "diversity")
Search = Annotated[Changes, Options(DecodeOptions, but=(*DECIDED, "guard_names", "guard_meaning"))]


def tune(
    model: Model, set: Set, settings: Settings, decode: Search, workers: Workers, places: Places, form: Form
) -> None:
    """Tune a model for ROUGE: ABS to ABS+. Feature weights, length, filling of a limit, beam and reranking.

    Decodes, collects the n-best lists, finds the best weights on all of them, and repeats until nothing changes. Then
    PREFIX, the untuned model and what was found are judged on further inputs; nothing is written that is not above the
    untuned model there. An interrupted run continues where it was when the same command is given again. With
    `--preset duc` the result is kept beside the other one, and used for limits of at most 75 bytes.

    \b
    Examples:
      hedline tune model valid.jsonl
      hedline tune model duc2003.jsonl --preset duc --limit 424 --check 200
      hedline tune model valid.jsonl --objective "R-1 + 2*R-2" --bounds "reorder=-5:0,length=0"
      hedline tune model valid.jsonl --features log_prob,unigram,bigram,trigram,reorder,length,unsupported
    """
    from hedline.tuning import grid
    from hedline.tuning import rounds as report
    from hedline.tuning.tune import tune as run

    settings = replace(settings, decode=decode)
    print(report.header(settings.names), file=sys.stderr)

    def tell(this: Any) -> None:
        print(report.line(this), file=sys.stderr, flush=True)

    def tell_trial(trial: Any) -> None:
        if trial.name == "PREFIX":
            print(grid.heading([set]), file=sys.stderr)
        print(grid.line(trial), file=sys.stderr, flush=True)

    result, tuning = run(model, set, settings, places.work, workers.count, tell, tell_trial)
    if places.zmert is not None:
        from hedline.tuning.zmert import export_zmert

        export_zmert(places.zmert, tuning, settings, set)
    where = f"Written to {model / 'tuning.json'}"
    if not result["written"]:
        where = "Nothing was written: nothing found is above the untuned model on the judging inputs"
    print_json(result) if form.json else print(f"{report.closing(result)}\n{where}")


def tune_decoding(
    model: Annotated[Path, typer.Argument(help="Model folder; the settings are written into its tuning.json.")],
    sets: Annotated[
        list[Path], typer.Argument(metavar="SET…", help="Evaluation sets or pairs files (never the test set).")
    ],
    settings: DecodingSettings,
    workers: Workers,
    form: Form,
) -> None:
    """Choose how a model decodes: length penalty, control tokens, reranking; feature weights stay as they are.

    Tries settings one after the other and keeps what scores best over all sets, which count the same. `hedline tune`
    writes the file anew, so run it first.

    \b
    Examples:
      hedline tune-decoding model valid.jsonl
      hedline tune-decoding model valid.jsonl newswire.jsonl --limit 1000
    """
    from hedline.tuning.grid import choose_decoding, heading, line

    told = sys.stderr if form.json else sys.stdout

    def tell(trial: Any) -> None:
        print(line(trial), file=told, flush=True)

    print(heading(sets), file=told)
    result, best = choose_decoding(model, sets, settings, workers.count, tell)
    print_json(result) if form.json else print(f"Kept, and written to {model / 'tuning.json'}:\n{line(best)}")
