"""`hedline perplexity`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedline.errors import require


def perplexity(
    model: Annotated[str, typer.Argument(help="A model folder, or a shipped model's name.")],
    data: Annotated[Path, typer.Argument(help="A data folder with the model's vocabularies.")],
    split: Annotated[str, typer.Option(help="train, valid or test.")] = "valid",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Perplexity of a trained model on prepared data, with and without unknown words.

    \b
    Examples:
      hedline perplexity model data
      hedline perplexity model data --split test --json
    """
    from hedline.api import find_model

    try:
        from hedline.training.perplexity import perplexity_of_folder
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise require("torch", "train", "measuring perplexity") from None
    found = perplexity_of_folder(find_model(model), data, split, device)
    if as_json:
        import json
        from dataclasses import asdict

        print(json.dumps({"model": model, "data": str(data), "split": split, **asdict(found)}))
    else:
        print(f"{model} on {split} of {data}: perplexity {found}, {found.words:,} words")
