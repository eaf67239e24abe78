"""`hedline subset`: a smaller data folder out of a prepared one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def subset(
    data: Annotated[Path, typer.Argument(help="Data folder made by `hedline prepare`.")],
    out: Annotated[Path, typer.Option(help="New data folder.")],
    min_support: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of the headline's content words in the lead.")
    ] = 0.0,
    input_words: Annotated[int | None, typer.Option(min=5, help="Keep this many input words.")] = None,
    output_words: Annotated[int | None, typer.Option(min=5, help="Keep this many output words.")] = None,
    every_split: Annotated[bool, typer.Option("--every-split", help="Filter valid and test pairs too.")] = False,
) -> None:
    """A smaller data folder: only well-supported training pairs, smaller vocabularies.

    \b
    Example:
      hedline subset data --out small --min-support 0.4 --input-words 30000 --output-words 20000
    """
    from hedline.data.subset import SubsetSettings, make_subset

    kept = make_subset(data, out, SubsetSettings(min_support, input_words, output_words, every_split))
    typer.echo(f"{out}: " + ", ".join(f"{split} {pairs:,} pairs" for split, pairs in kept.items()))
