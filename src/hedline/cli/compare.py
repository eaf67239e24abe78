"""`hedline compare`: is one system better than another on the same inputs?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedline.cli.score import DEFAULT_METRICS, Format, Multi, PresetName, show


def compare(
    systems: Annotated[list[Path], typer.Argument(help="Two or more files of headlines; the first is the baseline.")],
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
    bytes: Annotated[int | None, typer.Option(min=0, help="Cut both sides to so many bytes; 0: no limit.")] = None,
    words: Annotated[int | None, typer.Option(min=0, help="Cut both sides to so many words; 0: no limit.")] = None,
    multi: Annotated[Multi, typer.Option(help="How several references become one score.")] = Multi.pool,
    resamples: Annotated[int, typer.Option(min=2, help="Bootstrap resamples.")] = 1000,
    trials: Annotated[int, typer.Option(min=1, help="Trials of the approximate randomisation.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the approximate randomisation.")] = 12345,
    format: Annotated[Format, typer.Option(help="A table, or JSON.")] = Format.text,
) -> None:
    """Differences to the first system, with paired-bootstrap and approximate-randomisation p-values.

    \b
    Examples:
      hedline compare prefix.txt abs.txt --references references.txt
      hedline compare abs.txt abs-plus.txt other.txt -r ref0.txt -r ref1.txt --preset duc
      hedline compare a.jsonl b.jsonl -r set.jsonl --format json
    """
    from dataclasses import replace

    from hedline.metrics.files import compare_files
    from hedline.metrics.presets import find_preset, with_limits

    options = replace(find_preset(preset.value), metrics=tuple(metric), stem=stem, multi=multi.value)
    result = compare_files(
        systems,
        references,
        with_limits(options, bytes, words),
        resamples=resamples,
        trials=trials,
        seed=seed,
    )
    show(result, format)
