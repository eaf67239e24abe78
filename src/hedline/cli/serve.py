"""`hedline serve`: the HTTP API and the web page."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import typer

from hedline.server.settings import ServeSettings, variable


def serve(**given: Any) -> None:
    """Serve headlines over HTTP, and a web page at /.

    Every flag is also an environment variable. Stop it with Ctrl-C or SIGTERM: what is in flight is finished.

    \b
    Examples:
      hedline serve
      hedline serve --host 0.0.0.0 --port 80 --workers 4 --api-key "$KEY"
      curl http://127.0.0.1:8000/v1/headlines -d '{"texts": ["The city council voted to close the old bridge."]}'
    """
    from hedline.server.run import serve as run

    run(ServeSettings(**given))


def _parameters() -> list[inspect.Parameter]:
    """One option of the command for each field of the settings."""
    found = []
    for each in fields(ServeSettings):
        option = typer.Option(each.default, help=each.metadata["help"], envvar=variable(each.name))
        kind = type(each.default)
        found.append(inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind))
    return found


serve.__signature__ = inspect.Signature(_parameters(), return_annotation=None)  # type: ignore[attr-defined]
