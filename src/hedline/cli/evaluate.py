"""Commands that measure systems.

`evaluate` decodes a set and scores it, `baseline` fits and runs the systems of Table 1, `reproduce` makes the paper's
tables and figures beside the published ones, `bench` measures speed here.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hedline.baselines.system import (
    Baseline,
    BaselineSettings,
    Limit,
    find_system,
    is_baseline,
    open_baseline,
    run_prefix,
)
from hedline.bench import BENCHES, BenchOptions, run_benches
from hedline.cli.main import Changes, Form, Options, output_file, print_json
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.options import DecodeOptions, Workers
from hedline.errors import UserError
from hedline.experiments.evaluate import (
    EvaluateSettings,
    decode_set,
    describe,
    evaluate_outputs,
    measured_options,
    write_outputs,
)
from hedline.experiments.record import Request, circumstances
from hedline.experiments.report import Shown
from hedline.files import write_text


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
    output_file(settings.out, [set])
    items = read_evaluation_set(set, settings.limit)
    summaries, seconds = decode_set(model, items, options, workers.count)
    if settings.out is not None:
        write_outputs(settings.out, summaries, items)
    result = evaluate_outputs(Path(model).name, [summary.text for summary in summaries], items, settings.preset)
    result |= {"set": set.name, "model": model, "options": options, "seconds": round(seconds, 2)}
    print_json(result) if form.json else print(describe(result))


def baseline(
    name: Annotated[
        str, typer.Argument(help="prefix, ir, banko, moses, trimmer, topiary, compress or wl; or a fitted folder.")
    ],
    settings: BaselineSettings,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Evaluation set, pairs, or a .txt file of leads; - is stdin. With --fit: more training pairs."
        ),
    ] = None,
) -> None:
    """Headlines by a baseline of the paper, one per line.

    \b
    Examples:
      hedline baseline prefix test.jsonl --bytes 75
      hedline baseline ir --fit train-*.jsonl.xz --out runs/ir
      hedline baseline moses --fit train.jsonl --tune valid.jsonl --out runs/moses
      hedline baseline moses test.jsonl --folder runs/moses --bytes 75 --score
      hedline baseline runs/ir leads.txt --words 12 --out headlines.txt
    """
    files = files or []
    if settings.fit is not None:
        print(fit_baseline(name, [settings.fit, *files], settings))
        return
    from hedline.experiments.evaluate import read_leads

    system = open_system(name, settings)
    if len(files) != 1:
        raise UserError("name one set or file of leads, or --fit PAIRS --out FOLDER to learn")
    output_file(settings.out, files)
    leads = read_leads(files[0], settings.limit)
    show_headlines(write_headlines(system, leads, settings), leads, settings)


def write_headlines(system: Baseline, leads: list[EvaluationItem], settings: BaselineSettings) -> list[str]:
    """The system's headlines within the limits asked for."""
    if settings.chars is None:
        return system.headlines(leads, Limit(settings.bytes, settings.words))
    if system.name != "prefix":
        raise UserError("only prefix takes --chars; give --bytes or --words")
    texts = [item.lead for item in leads]
    return run_prefix(texts, bytes=settings.bytes, chars=settings.chars, words=settings.words)


def fit_baseline(name: str, data: list[Path], settings: BaselineSettings) -> str:
    """Fit a system and say where it lies."""
    if settings.out is None:
        raise UserError("--fit needs --out, the folder to write")
    system, options = find_system(name), settings.fit_options
    if system.fit_options and (unknown := sorted(set(options) - system.fit_options)):
        raise UserError(f"fitting {system.name} takes no --{unknown[0]}; leave it out")
    system.fit(data, settings.out, options)
    return f"{system.name} is in {settings.out}"


def open_system(name: str, settings: BaselineSettings) -> Baseline:
    """Open a system by its name and folder, or by its folder alone."""
    if settings.folder is None and is_baseline(Path(name)):
        system = open_baseline(Path(name))
    else:
        system = find_system(name).open(settings.folder)
    if settings.parser is not None:
        if not hasattr(system, "parser"):
            raise UserError(f"{system.name} needs no parses; leave --parser out")
        system.parser = settings.parser
    return system


def show_headlines(headlines: list[str], leads: list[EvaluationItem], settings: BaselineSettings) -> None:
    """Print the headlines or their scores, or write them to a file."""
    if settings.score:
        from hedline.experiments.systems import describe, score_outputs

        if not all(item.references for item in leads):
            raise UserError("the leads have no references to score against; use an evaluation set or a pairs file")
        print(describe(score_outputs(headlines, leads, settings.preset)))
    if settings.out is not None:
        write_text(settings.out, "".join(f"{headline}\n" for headline in headlines))
    elif not settings.score:
        sys.stdout.writelines(f"{headline}\n" for headline in headlines)


def reproduce(
    name: Annotated[
        str, typer.Argument(help="A table or figure, prototypes, quality, dial, meaning, all, pictures, report.")
    ],
    options: Annotated[Changes, Options(DecodeOptions, only=("words", "bytes", "beam"))],
    request: Request,
    shown: Shown,
) -> None:
    """Regenerate a table or figure; what is already measured under the same conditions is kept.

    With nothing to measure on it prints the stored results. `pictures` draws the stored results, `report` writes
    them all as one page with its pictures. The shipped models stand in for `options` and `transformer` where --models
    has none.

    \b
    Examples:
      hedline reproduce table2 --data data --models runs
      hedline reproduce table1 --models runs --set test.jsonl.xz --set wire2004.jsonl.xz --limit 2000
      hedline reproduce table1 --models runs --set wire2004.jsonl.xz --preset duc --system IR --system MOSES+
      hedline reproduce prototypes --models runs --set test.jsonl.xz
      hedline reproduce table3
      hedline reproduce quality --set test.jsonl.xz --limit 2000
      hedline reproduce meaning
      hedline reproduce pictures
      hedline reproduce report --check
    """
    from hedline.experiments.reproduce import reproduce as measure
    from hedline.experiments.reproduce import write_pictures, write_report

    if shown.check and name != "report":
        raise UserError("--check belongs to `hedline reproduce report`")
    if name == "pictures":
        print("\n".join(f"drew {path}" for path in write_pictures(request.results)))
        return
    if name == "report":
        write_report(request.results, shown.doc, shown.check)
        print(f"{shown.doc} is up to date" if shown.check else f"wrote {shown.doc}")
        return
    for section in measure(name, replace(request, options=options)):
        print((section.markdown() if shown.markdown else section.text()) + "\n")
    if not any(request.results.glob("*.json")):
        told = f"hedline: note: {request.results} holds no results; run this in a checkout, or measure here"
        print(f"{told} with --set (and --data or --models, as the examples of --help do)", file=sys.stderr)
    if name == "all":
        write_report(request.results, shown.doc)


def bench(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(BENCHES)}, or all.")],
    options: BenchOptions,
    form: Form,
) -> None:
    """Speed here, as ratios against a peer or a bound measured in the same run.

    \b
    Examples:
      hedline bench text
      hedline bench text --data pairs.jsonl.xz --limit 20000 --json > text.json
      hedline bench decode --model default --peer default --threads 1
      hedline bench all
    """
    begin = time.monotonic()
    results = run_benches(name, options, sys.stderr if form.json else sys.stdout)
    if form.json:
        print_json({**results, "provenance": circumstances(time.monotonic() - begin)})
