"""Running a server: the socket, the signals, and what is printed when it is ready."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from hedline.errors import UserError, require
from hedline.server.guards import BODIES, MOST_IDLE, Sweeper
from hedline.server.settings import ServeSettings


def serve(settings: ServeSettings) -> None:
    """Serve until SIGTERM or Ctrl-C; what is in flight then is finished."""
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise require(error.name or "fastapi", "serve", "hedline serve") from None
    from hedline.server.app import create_app

    raise_file_limit()
    app = create_app(settings)
    listener = bind(settings.host, settings.port)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=settings.log.upper(), stream=sys.stderr)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # ours names no query and no address
        log_level="warning",
        server_header=False,
        backlog=4096,
        proxy_headers=bool(settings.trusted_proxy),
        forwarded_allow_ips=settings.trusted_proxy or None,
        timeout_graceful_shutdown=max(1, round(settings.grace)) if settings.grace else None,
        timeout_keep_alive=30,
    )
    server = _server(uvicorn, config, app.state.service)
    # uvicorn handles SIGTERM while it serves and then puts this back: a second one must not kill what is ending well.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        asyncio.run(_run(server, listener, app.state.service, settings))
    finally:
        listener.close()
    if app.state.service.crew.broken:
        raise UserError(f"the server stopped: {app.state.service.crew.broken}")


def raise_file_limit() -> None:
    """Let this process hold as many connections as the machine allows; 1,024 files are the usual start."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 1 << 16) if hard > 0 else 1 << 16, hard))


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; an address that cannot be had is a clear sentence."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, proto)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.set_inheritable(False)
    except (OSError, UnicodeError) as error:  # a name that is too long is a UnicodeError
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"cannot listen on {host}:{port}: {reason}; choose another --host or --port") from None
    return listener


def _server(uvicorn: Any, config: Any, service: Any) -> Any:
    """uvicorn's server, telling the service when it shuts down; a signal ends it with exit code 0."""

    class Server(uvicorn.Server):  # type: ignore[misc]
        should_exit: bool

        def handle_exit(self, sig: int, frame: Any) -> None:
            self.force_exit = bool(self.should_exit) and sig == signal.SIGINT
            self.should_exit = True

        async def shutdown(self, sockets: Any = None) -> None:
            service.draining = True
            await super().shutdown(sockets)

    return Server(config)


async def _run(server: Any, listener: socket.socket, service: Any, settings: ServeSettings) -> None:
    """Serve, and say when the models are loaded."""
    sweeper = Sweeper(server.server_state.connections, min(settings.timeout, MOST_IDLE), BODIES * settings.max_body)
    beside = [
        asyncio.create_task(_announce(server, listener, service, settings)),
        asyncio.create_task(sweeper.run()),
    ]
    try:
        await server.serve(sockets=[listener])
    finally:
        for task in beside:
            task.cancel()


async def _announce(server: Any, listener: socket.socket, service: Any, settings: ServeSettings) -> None:
    """Print the address once requests are answered; stop the server when its models cannot be loaded."""
    while not server.started:
        await asyncio.sleep(0.01)

    def stop() -> None:
        server.should_exit = True

    service.crew.on_broken = stop
    await service.crew.ready.wait()
    host, port = listener.getsockname()[:2]
    where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    models = ", ".join(service.models)
    count = settings.processes
    processes = "1 worker" if count == 1 else f"{count} workers"
    print(f"hedline: ready: {where} ({models}; {processes}, process {os.getpid()})", flush=True)
    if not service.settings.keys and host not in ("127.0.0.1", "::1"):
        print("hedline: anyone who reaches this address may use it; --api-key asks for a key", file=sys.stderr)
