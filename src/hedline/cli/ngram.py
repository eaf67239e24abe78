"""`hedline ngram`: the Kneser-Ney language model of Table 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hedline.errors import UserError


def ngram(
    data: Annotated[Path, typer.Argument(help="Data folder made by `hedline prepare`.")],
    order: Annotated[int, typer.Option(help="Longest n-gram.")] = 5,
    split: Annotated[str, typer.Option(help="Split to measure: valid, test or train.")] = "valid",
    arpa: Annotated[Path | None, typer.Option(help="Also write the model as an ARPA file.")] = None,
    from_arpa: Annotated[Path | None, typer.Option(help="Read this ARPA file instead of estimating.")] = None,
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Estimate an interpolated modified Kneser-Ney model on the training headlines and print its perplexity.

    \b
    Examples:
      hedline ngram data --order 5
      hedline ngram data --order 3 --split test --arpa headlines.arpa
      hedline ngram data --from-arpa other.arpa
    """
    from hedline.ngram.report import measure_ngram

    if format not in {"text", "json"}:
        raise UserError(f"no output format is called {format!r}; choose text or json")
    report = measure_ngram(data, order, split, arpa, from_arpa)
    print(json.dumps(report.as_json(), indent=2) if format == "json" else report.text())
