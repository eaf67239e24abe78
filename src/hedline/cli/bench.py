"""`hedline bench`: speed on this machine, against peers, each benchmark loaded only when it runs."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.errors import UserError
from hedline.files import write_json

# Each name is a module hedline.bench.<name> with `run(**options) -> dict` (plain JSON) and `render(dict) -> str`.
BENCHES = {
    "text": "tokeniser and normaliser, against NLTK",
    "rouge": "ROUGE, against the Perl script and rouge-score",
    "decode": "headlines a second, against peers",
    "train": "training tokens a second, against the machine's bound",
    "ngram": "n-gram estimation and queries, against KenLM",
}


def bench(
    name: str = typer.Argument(..., help=f"One of {', '.join(BENCHES)}, or all."),
    data: Annotated[Path | None, typer.Option(help="Pairs to measure on (JSONL, also .gz, .xz, .zst).")] = None,
    model: str | None = typer.Option(None, help="Model name or folder, where the benchmark needs one."),
    limit: int | None = typer.Option(None, min=1, help="Items to measure on at most."),
    threads: int | None = typer.Option(None, min=1, help="Threads, where the benchmark uses them."),
    json: Annotated[Path | None, typer.Option(help="Also write the numbers to this JSON file.")] = None,
) -> None:
    """Speed here, as ratios against a peer or a bound measured in the same run.

    \b
    Examples:
      hedline bench text
      hedline bench text --data pairs.jsonl.xz --limit 20000 --json text.json
      hedline bench all
    """
    results = measure(name, {"data": data, "model": model, "limit": limit, "threads": threads})
    if json is not None:
        write_json(json, results)


def measure(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Run one benchmark, or all; print each; give the results by name.

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
        print(render(result), flush=True)
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
    return UserError(f"hedline bench {name} needs {error.name}, which is not installed: pip install 'hedline[dev]'")


def accepted(run: Callable[..., Any], options: dict[str, Any], name: str, strict: bool) -> dict[str, Any]:
    """The given options that `run` takes; strict: an option it does not take is the user's mistake."""
    parameters = inspect.signature(run).parameters
    given = {key: value for key, value in options.items() if value is not None}
    unknown = sorted(set(given) - set(parameters))
    if unknown and strict:
        taken = ", ".join(f"--{key}" for key in options if key in parameters) or "no options"
        raise UserError(f"hedline bench {name} has no option --{unknown[0]}; it takes {taken}")
    return {key: value for key, value in given.items() if key in parameters}
