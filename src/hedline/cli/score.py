"""`hedline score` (ROUGE of outputs against references) and `hedline compare` (is one system better than another?)."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from hedline.cli.main import Json, print_json

DEFAULT_METRICS = ["1", "2", "L"]


class PresetName(StrEnum):
    """Named settings."""

    duc = "duc"
    gigaword = "gigaword"


class Multi(StrEnum):
    """How several references become one score."""

    pool = "pool"
    best = "best"
    mean = "mean"


def score(
    outputs: Annotated[Path, typer.Argument(help="Headlines to score: lines of text, or JSONL with `headline`.")],
    references: Annotated[list[Path], typer.Argument(help="Text files, line by line; or a JSONL evaluation set.")],
    preset: Annotated[
        PresetName, typer.Option(help="duc: recall of the first 75 bytes; gigaword: F1 of the whole headline. Stemmed.")
    ] = PresetName.gigaword,
    metric: Annotated[
        list[str], typer.Option(help="1 … 9, L, W1.2, S4, SU4, S*, SU*; repeat for several.")
    ] = DEFAULT_METRICS,
    stem: Annotated[
        bool, typer.Option("--stem/--no-stem", help="WordNet exceptions and Porter, as the script's -m.")
    ] = True,
    stop: Annotated[bool, typer.Option("--remove-stop-words", help="Remove SMART's common words, as -s.")] = False,
    bytes: Annotated[int | None, typer.Option(min=0, help="Cut both sides to N bytes, as -b; 0: no limit.")] = None,
    words: Annotated[int | None, typer.Option(min=0, help="Cut both sides to N words, as -l; 0: no limit.")] = None,
    multi: Annotated[
        Multi,
        typer.Option(help="Several references: pool hits and counts (-f A), best recall (-f B), or mean of scores."),
    ] = Multi.pool,
    alpha: Annotated[float, typer.Option(min=0.0, max=1.0, help="Weight of precision in F, as -p.")] = 0.5,
    jackknife: Annotated[bool, typer.Option(help="Mean over the sets that leave one reference out.")] = False,
    unicode: Annotated[
        bool, typer.Option("--unicode", help="Count words of every script; has a signature of its own.")
    ] = False,
    confidence: Annotated[float, typer.Option(help="Per cent of the interval, as -c.")] = 95.0,
    resamples: Annotated[int, typer.Option(min=2, help="Bootstrap resamples, as -r.")] = 1000,
    json: Json = False,
) -> None:
    """Recall, precision and F as ROUGE-1.5.5 computes them, with intervals and a signature.

    References that carry the inputs (a `lead` field) also give Ext. %, new words, and numbers and names without
    support.

    \b
    Examples:
      hedline score headlines.txt references.txt
      hedline score headlines.txt ref0.txt ref1.txt ref2.txt ref3.txt --preset duc
      hedline score headlines.jsonl set.jsonl --metric 1 --metric SU4 --no-stem --json
    """
    from dataclasses import replace

    # Scoring has no work for several threads: those that OpenBLAS starts with numpy would only burn processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from hedline.metrics.rouge import find_preset, with_limits
    from hedline.metrics.score import score_files

    options = with_limits(find_preset(preset.value), bytes, words)
    options = replace(options, metrics=tuple(metric), stem=stem, stop=stop, multi=multi.value)
    options = replace(options, alpha=alpha, jackknife=jackknife, unicode=unicode)
    report = score_files(outputs, references, options, confidence=confidence, resamples=resamples)
    if report.note:
        print(f"hedline: {report.note}", file=sys.stderr)
    show(report, json)


class Result(Protocol):
    """What a scoring command gives back."""

    def to_text(self) -> str:
        """For people."""

    def to_json(self) -> dict[str, Any]:
        """For programs."""


def show(result: Result, json: bool) -> None:
    """Print a result for people or for programs."""
    print_json(result.to_json()) if json else print(result.to_text())


def compare(
    systems: Annotated[
        list[Path],
        typer.Argument(help="Files of headlines, or folders of models or baselines; the first is the baseline."),
    ],
    references: Annotated[
        list[Path], typer.Option("--references", "-r", help="Repeat for several files of references.")
    ],
    preset: Annotated[
        PresetName, typer.Option(help="duc: recall of the first 75 bytes; gigaword: F1 of the whole headline.")
    ] = PresetName.gigaword,
    metric: Annotated[
        list[str], typer.Option(help="1 … 9, L, W1.2, S4, SU4, S*, SU*; repeat for several.")
    ] = DEFAULT_METRICS,
    stem: Annotated[bool, typer.Option("--stem/--no-stem", help="Stem as the script's -m.")] = True,
    bytes: Annotated[int | None, typer.Option(min=0, help="Cut both sides to N bytes; 0: no limit.")] = None,
    words: Annotated[int | None, typer.Option(min=0, help="Cut both sides to N words; 0: no limit.")] = None,
    multi: Annotated[Multi, typer.Option(help="How several references become one score.")] = Multi.pool,
    resamples: Annotated[int, typer.Option(min=2, help="Bootstrap resamples.")] = 1000,
    trials: Annotated[int, typer.Option(min=1, help="Trials of the approximate randomisation.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the approximate randomisation.")] = 12345,
    json: Json = False,
) -> None:
    """Differences to the first system, with paired-bootstrap and approximate-randomisation p-values.

    \b
    Examples:
      hedline compare prefix.txt abs.txt --references references.txt
      hedline compare abs.txt abs-plus.txt other.txt -r ref0.txt -r ref1.txt --preset duc
      hedline compare a.jsonl b.jsonl -r set.jsonl --json
      hedline compare runs/ir runs/moses -r set.jsonl
    """
    from dataclasses import replace

    from hedline.experiments.evaluate import decoded_files
    from hedline.metrics.rouge import find_preset, with_limits
    from hedline.metrics.score import compare_files

    options = replace(find_preset(preset.value), metrics=tuple(metric), stem=stem, multi=multi.value)
    with decoded_files(systems, references, preset.value) as files:
        result = compare_files(
            files,
            references,
            with_limits(options, bytes, words),
            resamples=resamples,
            trials=trials,
            seed=seed,
        )
    show(result, json)
