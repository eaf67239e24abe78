"""`hedline reproduce` (the paper's tables and figures, beside the published ones) and `hedline bench` (speed here)."""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from hedline.cli.main import Json, changed, print_json, takes
from hedline.decoding.options import DecodeOptions
from hedline.errors import UserError, require
from hedline.experiments.record import Request


@takes(DecodeOptions, after="name", only=("words", "bytes", "beam"))
@takes(Request, after="name")
def reproduce(
    name: Annotated[
        str, typer.Argument(help="A table or figure, prototypes, quality, dial, meaning, all, pictures, report.")
    ],
    doc: Annotated[Path, typer.Option(help="The report that `report` and `all` write.")] = Path("docs/reproduction.md"),
    check: Annotated[bool, typer.Option("--check", help="With report: only say whether the file is stale.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown instead of plain text.")] = False,
    **given: Any,
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

    if check and name != "report":
        raise UserError("--check belongs to `hedline reproduce report`")
    request = Request(**changed(Request, given), options=changed(DecodeOptions, given))
    if name == "pictures":
        print("\n".join(f"drew {path}" for path in write_pictures(request.results)))
        return
    if name == "report":
        write_report(request.results, doc, check)
        print(f"{doc} is up to date" if check else f"wrote {doc}")
        return
    for section in measure(name, request):
        print((section.markdown() if markdown else section.text()) + "\n")
    if name == "all":
        write_report(request.results, doc)


# Each name is a module hedline.bench.<name> with `run(**options) -> dict` (plain JSON) and `render(dict) -> str`.
BENCHES = {
    "text": "tokeniser and normaliser, against NLTK",
    "rouge": "ROUGE, against the Perl script and rouge-score",
    "decode": "headlines per second, against peers",
    "train": "training tokens per second, against the machine's bound",
    "ngram": "n-gram estimation and queries, against KenLM",
    "serve": "1,000 clients of the server, against summarize",
    "start": "one headline from a cold start, against importing numpy",
}


def bench(
    name: str = typer.Argument(..., help=f"One of {', '.join(BENCHES)}, or all."),
    data: Annotated[Path | None, typer.Option(help="Pairs to measure on (JSONL, also .gz, .xz, .zst).")] = None,
    model: str | None = typer.Option(None, help="Model name or folder, where the benchmark needs one."),
    limit: int | None = typer.Option(None, min=1, help="Items to measure on at most."),
    threads: int | None = typer.Option(None, min=1, help="Threads, where the benchmark uses them."),
    peer: str | None = typer.Option(None, help="A transformer of ours that CTranslate2 runs beside (decode)."),
    json: Json = False,
) -> None:
    """Speed here, as ratios against a peer or a bound measured in the same run.

    \b
    Examples:
      hedline bench text
      hedline bench text --data pairs.jsonl.xz --limit 20000 --json > text.json
      hedline bench decode --model default --peer default --threads 1
      hedline bench all
    """
    from hedline.experiments.record import circumstances

    begin = time.monotonic()
    given = {"data": data, "model": model, "limit": limit, "threads": threads, "peer": peer}
    results = measure(name, given, sys.stderr if json else sys.stdout)
    if json:
        print_json({**results, "provenance": circumstances(time.monotonic() - begin)})


def measure(name: str, options: dict[str, Any], told: IO[str] | None = None) -> dict[str, Any]:
    """Run one benchmark, or all; print what each gave to `told` (standard output); give the results by name.

    options that are None are left out. Of `all`, benchmarks that cannot run here are reported and passed over.
    """
    if name != "all" and name not in BENCHES:
        raise UserError(f"there is no benchmark {name!r}: choose one of {', '.join(BENCHES)}, or all")
    results: dict[str, Any] = {}
    for each in BENCHES if name == "all" else [name]:
        try:
            run, render = load_bench(each)
            result = run(**accepted(run, options, each, strict=name != "all"))
        except UserError as error:
            if name != "all":
                raise
            print(f"hedline bench {each}: passed over: {error}", file=sys.stderr)
            continue
        results[each] = result
        print(render(result), file=told, flush=True)
    if not results:
        raise UserError("no benchmark could run here; the lines above say what each one needs")
    return results


def load_bench(name: str) -> tuple[Callable[..., dict[str, Any]], Callable[[dict[str, Any]], str]]:
    """A benchmark's `run` and `render`; a missing optional package is a clear sentence."""
    try:
        module = importlib.import_module(f"hedline.bench.{name}")
    except ModuleNotFoundError as error:
        raise _missing(name, error) from None
    return _guarded(name, module.run), module.render


def _guarded(name: str, run: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """`run`, saying which package is missing when one is."""

    def guarded(**options: Any) -> dict[str, Any]:
        try:
            return run(**options)
        except ModuleNotFoundError as error:
            raise _missing(name, error) from None

    guarded.__signature__ = inspect.signature(run)  # type: ignore[attr-defined]
    return guarded


def _missing(name: str, error: ModuleNotFoundError) -> UserError:
    return require(error.name or "a package", "dev", f"hedline bench {name}")


def accepted(run: Callable[..., Any], options: dict[str, Any], name: str, strict: bool) -> dict[str, Any]:
    """The given options that `run` takes; strict: an option it does not take is the user's mistake."""
    parameters = inspect.signature(run).parameters
    given = {key: value for key, value in options.items() if value is not None}
    unknown = sorted(set(given) - set(parameters))
    if unknown and strict:
        taken = ", ".join(f"--{key}" for key in options if key in parameters) or "no options"
        raise UserError(f"hedline bench {name} has no option --{unknown[0]}; it takes {taken}")
    return {key: value for key, value in given.items() if key in parameters}
