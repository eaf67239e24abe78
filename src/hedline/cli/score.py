"""`hedline score`: ROUGE of outputs against references."""

from __future__ import annotations

import json as json_module
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

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


class Format(StrEnum):
    """What is printed."""

    text = "text"
    json = "json"


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
    bytes: Annotated[
        int | None, typer.Option(min=0, help="Cut both sides to so many bytes, as -b; 0: no limit.")
    ] = None,
    words: Annotated[
        int | None, typer.Option(min=0, help="Cut both sides to so many words, as -l; 0: no limit.")
    ] = None,
    multi: Annotated[
        Multi,
        typer.Option(help="Several references: pool hits and counts (-f A), best recall (-f B), or mean of scores."),
    ] = Multi.pool,
    alpha: Annotated[float, typer.Option(min=0.0, max=1.0, help="Weight of precision in F, as -p.")] = 0.5,
    jackknife: Annotated[bool, typer.Option(help="Mean over the sets that leave one reference out.")] = False,
    confidence: Annotated[float, typer.Option(help="Per cent of the interval, as -c.")] = 95.0,
    resamples: Annotated[int, typer.Option(min=2, help="Bootstrap resamples, as -r.")] = 1000,
    format: Annotated[Format, typer.Option(help="A table, or JSON.")] = Format.text,
) -> None:
    """Recall, precision and F as ROUGE-1.5.5 computes them, with intervals and a signature.

    References that carry the inputs (a `lead` field) also give Ext. %, new words, and numbers and names without
    support.

    \b
    Examples:
      hedline score headlines.txt references.txt
      hedline score headlines.txt ref0.txt ref1.txt ref2.txt ref3.txt --preset duc
      hedline score headlines.jsonl set.jsonl --metric 1 --metric SU4 --no-stem --format json
    """
    from dataclasses import replace

    # Scoring has no work for several threads: those that OpenBLAS starts with numpy would only burn processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from hedline.metrics.files import score_files
    from hedline.metrics.presets import find_preset, with_limits

    options = with_limits(find_preset(preset.value), bytes, words)
    options = replace(options, metrics=tuple(metric), stem=stem, stop=stop, multi=multi.value)
    options = replace(options, alpha=alpha, jackknife=jackknife)
    show(score_files(outputs, references, options, confidence=confidence, resamples=resamples), format)


class Result(Protocol):
    """What a scoring command gives back."""

    def to_text(self) -> str:
        """For people."""

    def to_json(self) -> dict[str, Any]:
        """For programs."""


def show(result: Result, format: Format) -> None:
    """Print a result in the format asked for."""
    if format is Format.json:
        print(json_module.dumps(result.to_json(), ensure_ascii=False, indent=2))
    else:
        print(result.to_text())
