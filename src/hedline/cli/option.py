"""One line for an option of a command: its help first, then what is special about it."""

from __future__ import annotations

import typer


def option(text: str, *names: str, **limits: float) -> typer.models.OptionInfo:
    """A command's option. text: its help; names: as it is written, when not after its parameter; limits: min, max."""
    info: typer.models.OptionInfo = typer.Option(*names, help=text, **limits)  # type: ignore[call-overload]
    return info
