"""`hedline stats`: the paper's corpus paragraph for prepared data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def stats(
    folder: Annotated[Path, typer.Argument(help="A data folder made by `hedline prepare`.")],
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Print the paper's corpus paragraph for prepared data, and what each filter removed.

    \b
    Examples:
      hedline stats data
      hedline stats data --format json
    """
    from hedline.data.report import Report
    from hedline.errors import UserError

    if format not in {"text", "json"}:
        raise UserError(f"--format cannot be {format!r}; choose text or json")
    report = Report.of(folder)
    print(report.text() if format == "text" else json.dumps(report.stats, ensure_ascii=False, indent=2))
