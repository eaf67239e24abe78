"""`hedline doctor`: is this installation healthy?"""

from __future__ import annotations

import json
from typing import Annotated

import typer


def doctor(
    model: Annotated[
        str | None, typer.Option(help="Check this model too (name or folder), and take its headline and speed.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check the installation, the models' checksums, a known sentence and the speed.

    The exit code is 0 only if all is well, else 1.

    \b
    Examples:
      hedline doctor
      hedline doctor --json | jq .healthy
      hedline doctor --model runs/mine
    """
    from hedline.health import diagnose, healthy, to_json, to_text

    checks = diagnose(model)
    print(json.dumps(to_json(checks), ensure_ascii=False, indent=2) if json_ else to_text(checks))
    if not healthy(checks):
        raise typer.Exit(1)
