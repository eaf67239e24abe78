"""`hedline reproduce` (the paper's tables and figures, beside the published ones) and `hedline bench` (speed here)."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Annotated

import typer

from hedline.bench.run import BENCHES, BenchOptions, run_benches
from hedline.cli.main import Changes, Form, Options, print_json
from hedline.decoding.options import DecodeOptions
from hedline.errors import UserError
from hedline.experiments.record import Request, circumstances
from hedline.experiments.report import Shown


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
