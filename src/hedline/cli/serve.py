"""`hedline serve`: the HTTP API and the web page."""

from __future__ import annotations

from typing import Any

from hedline.cli.main import takes
from hedline.server.settings import ServeSettings, variable


@takes(ServeSettings, variable=variable)
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
