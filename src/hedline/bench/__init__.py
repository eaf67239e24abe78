"""`hedline bench`: which benchmarks there are, what each may be asked, and running one or all of them."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hedline.decoding.options import Checked
from hedline.errors import UserError, require
from hedline.settings import setting

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


@dataclass(frozen=True)
class BenchOptions(Checked):
    """What a benchmark may be asked; what is None is the benchmark's own choice."""

    data: Path | None = setting(None, "Pairs to measure on (JSONL, also .gz, .xz, .zst).")
    model: str | None = setting(None, "Model name or folder, where the benchmark needs one.")
    limit: int | None = setting(None, "Items to measure on at most.", least=1)
    threads: int | None = setting(None, "Threads, where the benchmark uses them.", least=1)
    peer: str | None = setting(None, "A transformer of ours that CTranslate2 runs beside (decode).")


def run_benches(name: str, options: BenchOptions, told: IO[str] | None = None) -> dict[str, Any]:
    """Run one benchmark, or all; print what each gave to `told` (standard output); give the results by name.

    Of `all`, benchmarks that cannot run here are reported and passed over.
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


def accepted(run: Callable[..., Any], options: BenchOptions, name: str, strict: bool) -> dict[str, Any]:
    """The given options that `run` takes; strict: an option it does not take is the user's mistake."""
    parameters, every = inspect.signature(run).parameters, vars(options)
    given = {key: value for key, value in every.items() if value is not None}
    unknown = sorted(set(given) - set(parameters))
    if unknown and strict:
        taken = ", ".join(f"--{key}" for key in every if key in parameters) or "no options"
        raise UserError(f"hedline bench {name} has no option --{unknown[0]}; it takes {taken}")
    return {key: value for key, value in given.items() if key in parameters}
