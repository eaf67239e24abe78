"""`hedline score` (ROUGE of outputs against references) and `hedline compare` (is one system better than another?)."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

# Scoring has no work for several threads: those that OpenBLAS starts with numpy would only burn processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hedline.cli.main import Changes, Form, Options, print_json
from hedline.metrics.resampling import Draws
from hedline.metrics.rouge import Measured, Preset, find_preset, with_limits
from hedline.settings import REQUIRED, again, setting


@dataclass(frozen=True)
class Scored:
    """How headlines are scored, where nothing else is asked for."""

    preset: str = again(
        Measured, "preset", "duc: recall of the first 75 bytes; gigaword: F1 of the whole headline. Stemmed."
    )


def score(
    outputs: Annotated[Path, typer.Argument(help="Headlines to score: lines of text, or JSONL with `headline`.")],
    references: Annotated[list[Path], typer.Argument(help="Text files, line by line; or a JSONL evaluation set.")],
    scored: Scored,
    draws: Annotated[Draws, Options(Draws, only=("confidence", "resamples"))],
    given: Annotated[Changes, Options(Preset)],
    form: Form,
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
    from hedline.metrics.score import score_files

    report = score_files(outputs, references, asked(scored.preset, given), draws)
    if report.note:
        print(f"hedline: {report.note}", file=sys.stderr)
    show(report, form)


def asked(preset: str, given: Changes) -> Preset:
    """A preset with what was asked otherwise."""
    limited = with_limits(find_preset(preset), given.pop("bytes", None), given.pop("words", None))
    return replace(limited, **given)


class Result(Protocol):
    """What a scoring command gives back."""

    def to_text(self) -> str:
        """For people."""

    def to_json(self) -> dict[str, Any]:
        """For programs."""


def show(result: Result, form: Form) -> None:
    """Print a result for people or for programs."""
    print_json(result.to_json()) if form.json else print(result.to_text())


@dataclass(frozen=True, kw_only=True)
class Compared(Scored):
    """What systems are compared by."""

    references: tuple[Path, ...] = setting(
        REQUIRED, "Repeat for several files of references.", names=("--references", "-r")
    )


def compare(
    systems: Annotated[
        list[Path],
        typer.Argument(help="Files of headlines, or folders of models or baselines; the first is the baseline."),
    ],
    settings: Compared,
    draws: Annotated[Draws, Options(Draws, but=("confidence",))],
    given: Annotated[Changes, Options(Preset, only=("metrics", "bytes", "words", "stem", "multi"))],
    form: Form,
) -> None:
    """Differences to the first system, with paired-bootstrap and approximate-randomisation p-values.

    \b
    Examples:
      hedline compare prefix.txt abs.txt --references references.txt
      hedline compare abs.txt abs-plus.txt other.txt -r ref0.txt -r ref1.txt --preset duc
      hedline compare a.jsonl b.jsonl -r set.jsonl --json
      hedline compare runs/ir runs/moses -r set.jsonl
    """
    from hedline.experiments.evaluate import decoded_files
    from hedline.metrics.score import compare_files

    options = asked(settings.preset, given)
    with decoded_files(systems, settings.references, settings.preset) as files:
        show(compare_files(files, settings.references, options, draws), form)
