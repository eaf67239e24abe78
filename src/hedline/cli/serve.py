"""`hedline serve` (the HTTP API and the web page) and `hedline doctor` (is this installation healthy?)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from hedline.cli.main import Form, Options, print_json
from hedline.server.settings import ServeSettings, variable
from hedline.settings import setting


def serve(settings: Annotated[ServeSettings, Options(ServeSettings, variable=variable)]) -> None:
    """Serve headlines over HTTP, and a web page at /.

    Every flag is also an environment variable. Stop it with Ctrl-C or SIGTERM: what is in flight is finished.

    \b
    Examples:
      hedline serve
      hedline serve --host 0.0.0.0 --port 80 --workers 4 --api-key "$KEY"
      curl http://127.0.0.1:8000/v1/headlines -d '{"texts": ["The city council voted to close the old bridge."]}'
    """
    from hedline.server.run import serve as run

    run(settings)


@dataclass(frozen=True)
class DoctorSettings:
    """What is looked at beside the installation and its models."""

    model: str | None = setting(None, "Check this model too (name or folder), and take its headline and speed.")


def doctor(settings: DoctorSettings, form: Form) -> None:
    """Check the installation, the models' checksums, a known sentence and the speed.

    The exit code is 0 only if all is well, else 1.

    \b
    Examples:
      hedline doctor
      hedline doctor --json | jq .healthy
      hedline doctor --model runs/mine
    """
    from hedline.doctor import diagnose, healthy, to_json, to_text

    checks = diagnose(settings.model)
    print_json(to_json(checks)) if form.json else print(to_text(checks))
    if not healthy(checks):
        raise typer.Exit(1)
