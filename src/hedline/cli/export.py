"""`hedline export`: a trained model folder made small and quick for shipping."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    model: Annotated[Path, typer.Argument(help="The trained model folder.")],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    int8: Annotated[bool, typer.Option("--int8/--float", help="Round weights to 8 bits, or keep float32.")] = True,
    data: Annotated[
        Path | None, typer.Option(help="The data folder it was trained on: learns the shortlist from it.")
    ] = None,
    frequent: Annotated[int, typer.Option(min=1, help="Shortlist: words always allowed.")] = 1000,
    companions: Annotated[int, typer.Option(min=0, help="Shortlist: words each input word calls up.")] = 64,
) -> None:
    """Quantise a trained model for shipping and give it a shortlist.

    \b
    Examples:
      hedline export runs/abs --out abs --data data
      hedline export runs/abs --out abs-exact --float
    """
    from hedline.runtime.companions import ShortlistOptions
    from hedline.runtime.export import export_folder, folder_size, rounding_error, shortlist_from_data
    from hedline.runtime.folder import ModelFolder

    source = ModelFolder.open(model)
    options = ShortlistOptions(frequent=frequent, companions=companions)
    shortlist = shortlist_from_data(source, data, options) if data is not None else None
    exported = export_folder(source, out, int8, shortlist)
    print(f"{out}: {folder_size(exported) / 1e6:.1f} MB (was {folder_size(source) / 1e6:.1f} MB)", end="")
    print(f", rounding error at most {rounding_error(source, exported):.2%} of a layer's weights" if int8 else "")
    if exported.shortlist is None:
        print("no shortlist: give --data to learn one; until then every word of the vocabulary is scored")
