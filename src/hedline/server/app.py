"""The application: routes of the API, the page and the measurements, around a queue and its workers."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse

from hedline.server.batching import Queue, QueueFullError, Ticket
from hedline.server.guards import Bodies, ClientGoneError, Keys, Rates
from hedline.server.reports import Metrics, api_schema, docs_page, model_entries
from hedline.server.settings import ServeSettings, split_list
from hedline.server.shapes import Asked, RequestError, option_schema, read_headlines, read_hugging_face
from hedline.server.workers import Crew, model_folders

log = logging.getLogger("hedline.server")
PAGE = Path(__file__).parent / "page"
OPEN_PATHS = ("/health", "/ready")  # answered without a key, as are the page's own files
CONTENT = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Service:
    """All that outlives a request: settings, models, queue, workers, measurements."""

    def __init__(self, settings: ServeSettings) -> None:
        self.settings = settings
        self.models = model_folders(split_list(settings.model))
        self.metrics = Metrics()
        self.keys, self.rates, self.bodies = Keys(settings.keys), Rates(settings.rate), Bodies(settings.max_body)
        self.draining = False
        self.queue: Queue
        self.crew: Crew

    async def open(self) -> None:
        """Make queue and workers, inside the event loop that will use them."""
        given = self.settings
        self.queue = Queue(given.max_queue, given.batch, given.max_wait)
        self.crew = Crew(self.models, given.processes, self.queue, self.metrics, given.timeout)
        self.crew.start()

    async def close(self) -> None:
        """End the workers."""
        await self.crew.stop()

    @property
    def default_model(self) -> str:
        """The model of requests that name none."""
        return next(iter(self.models))

    async def answer(self, asked: Asked, receive: Callable[[], Awaitable[Any]]) -> list[bytes]:
        """The lines that answer a request; its texts leave the line when the client hangs up or time is over."""
        model = asked.model or self.default_model
        if model not in self.models:
            raise RequestError(422, f"model must be one of {', '.join(self.models)}, not {model[:100]!r}", "model")
        if self.draining or not self.crew.ready.is_set():
            state = "is shutting down" if self.draining else "is still loading its model"
            raise RequestError(503, f"the server {state}; try again soon", retry_after=1.0)
        loop = asyncio.get_running_loop()
        tickets = [
            Ticket((model, asked.options), asked.kind, id, lead, loop.create_future())
            for id, lead in zip(asked.ids, asked.texts, strict=True)
        ]
        try:
            self.queue.admit(tickets)
        except QueueFullError as full:
            sentence = f"the server is busy: {self.queue.waiting} texts wait already; try again soon"
            raise RequestError(429, sentence, retry_after=full.retry_after) from None
        try:
            return await self._results(tickets, receive)
        finally:
            self.queue.withdraw(tickets)

    async def _results(self, tickets: list[Ticket], receive: Callable[[], Awaitable[Any]]) -> list[bytes]:
        waiting: asyncio.Future[list[bytes]] = asyncio.gather(*(ticket.future for ticket in tickets))
        leaving: asyncio.Future[None] = asyncio.ensure_future(_hang_up(receive))
        try:
            both: set[asyncio.Future[Any]] = {waiting, leaving}
            done, _ = await asyncio.wait(both, timeout=self.settings.timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
        if waiting in done:
            return waiting.result()
        waiting.cancel()
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio logs it as lost
        if leaving in done:
            raise ClientGoneError
        raise RequestError(504, f"no answer within {self.settings.timeout:g} s; send fewer texts or a smaller beam")


async def _hang_up(receive: Callable[[], Awaitable[Any]]) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def create_app(settings: ServeSettings | None = None) -> FastAPI:
    """The server as an ASGI application; `app.state.service` holds its parts."""
    settings = settings or ServeSettings()
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.open()
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(title="hedline", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.service = service
    _add_answers(app, service)
    _add_reports(app, service)
    if settings.page:
        _add_page(app)
    _add_errors(app)
    app.add_middleware(Gate, service=service)
    if settings.cors_origin:
        from fastapi.middleware.cors import CORSMiddleware

        app.add_middleware(
            CORSMiddleware, allow_origins=split_list(settings.cors_origin), allow_methods=["*"], allow_headers=["*"]
        )
    return app


def _add_answers(app: FastAPI, service: Service) -> None:
    """The routes that make headlines."""
    settings = service.settings

    async def lines(request: Request, read: Callable[[bytes, int, int], Asked]) -> list[bytes]:
        headers = dict(request.scope["headers"])
        client = request.scope["hedline.client"]
        service.rates.check(client)
        body = await service.bodies.read(request.receive, headers)
        try:
            asked = read(body, settings.max_texts, settings.max_width)
            service.rates.charge(client, len(asked.texts))
            request.scope["hedline.texts"] = len(asked.texts)
            return await service.answer(asked, request.receive)
        finally:
            service.bodies.release(body)

    @app.post("/v1/headlines")
    async def headlines(request: Request) -> Response:
        found = await lines(request, read_headlines)
        if "jsonl" in request.headers.get("accept", "") or "ndjson" in request.headers.get("accept", ""):
            return Response(b"".join(line + b"\n" for line in found), media_type="application/jsonl")
        return Response(b'{"headlines": [' + b", ".join(found) + b"]}", media_type="application/json")

    async def summarize(request: Request) -> Response:
        found = await lines(request, read_hugging_face)
        return Response(b"[" + b", ".join(found) + b"]", media_type="application/json")

    app.post("/summarize")(summarize)
    app.post("/")(summarize)  # where Hugging Face's own servers answer


def _add_reports(app: FastAPI, service: Service) -> None:
    """The routes that tell about the server."""

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/ready")
    async def ready() -> Response:
        fine = service.crew.ready.is_set() and not service.draining
        body = {"status": "ready" if fine else "shutting down" if service.draining else "loading"}
        return Response(json.dumps(body), 200 if fine else 503, media_type="application/json")

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        return {"models": model_entries(service.models), "options": option_schema(), "limits": limits(service.settings)}

    @app.get("/metrics")
    async def metrics() -> Response:
        service.metrics.queued.set(service.queue.waiting)
        return PlainTextResponse(service.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @app.get("/openapi.json")
    async def openapi() -> dict[str, Any]:
        return api_schema(service.settings)

    @app.get("/docs")
    async def docs() -> Response:
        return Response(docs_page(service.settings), media_type="text/html", headers=PAGE_HEADERS)


def limits(settings: ServeSettings) -> dict[str, Any]:
    """What a client should know before it sends a lot."""
    return {"body_bytes": settings.max_body, "texts": settings.max_texts, "width": settings.max_width}


def _add_page(app: FastAPI) -> None:
    """The web page: one file each for content, looks and behaviour, all from here."""

    def serve(name: str) -> Callable[[], Awaitable[Response]]:
        async def file() -> Response:
            path = PAGE / name
            return Response(path.read_bytes(), media_type=CONTENT[path.suffix], headers=PAGE_HEADERS)

        return file

    for path in sorted(PAGE.iterdir()):
        if path.suffix in CONTENT:
            app.get("/" if path.name == "index.html" else f"/page/{path.name}")(serve(path.name))


def _add_errors(app: FastAPI) -> None:
    """Every error is one sentence in JSON."""

    async def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestError)
        return error_response(error)

    async def not_found(request: Request, error: Exception) -> Response:
        return error_response(RequestError(404, f"there is nothing at {request.url.path[:200]}; see /docs"))

    async def wrong_method(request: Request, error: Exception) -> Response:
        return error_response(RequestError(405, f"{request.url.path[:200]} does not take {request.method}; see /docs"))

    app.add_exception_handler(RequestError, refuse)
    app.add_exception_handler(404, not_found)
    app.add_exception_handler(405, wrong_method)


def error_response(error: RequestError) -> Response:
    """An error as an answer, with the time to wait where waiting helps."""
    headers = {} if error.retry_after is None else {"Retry-After": str(max(1, math.ceil(error.retry_after)))}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(error.body(), error.status, headers, "application/json")


class Gate:
    """Around every request: checks the key, measures, logs one line without texts and keys."""

    def __init__(self, app: Any, service: Service) -> None:
        self.app, self.service = app, service
        self.known = ("/v1/headlines", "/summarize", "/v1/models", "/metrics", "/openapi.json", "/docs", *OPEN_PATHS)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.monotonic(), 499
        metrics = self.service.metrics

        async def noted(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        metrics.in_flight.add(1)
        try:
            if error := self._refused(scope):
                await error_response(error)(scope, receive, noted)
            else:  # a HEAD is answered as a GET; the body is left out by the protocol below
                inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
                await self.app(inner, receive, noted)
        except ClientGoneError:
            metrics.left.add()
        finally:
            metrics.in_flight.add(-1)
            self._note(scope, status, time.monotonic() - started)

    def _refused(self, scope: Any) -> RequestError | None:
        """The reason to turn a request away at the door; marks the others with who asks."""
        address = (scope.get("client") or ("unknown", 0))[0]
        path, scope["hedline.client"] = scope["path"], address
        is_page = scope["method"] in ("GET", "HEAD") and (path == "/" or path.startswith("/page/"))
        if path in OPEN_PATHS or is_page:
            return None
        try:
            scope["hedline.client"] = self.service.keys.check(dict(scope["headers"])) or address
        except RequestError as error:
            return error
        return None

    def _note(self, scope: Any, status: int, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self.known else "page" if scope["path"] == "/" else "other"
        metrics = self.service.metrics
        metrics.requests.add(1, path, str(status))
        metrics.seconds.observe(seconds, path)
        if reason := REASONS.get(status):
            metrics.refused.add(1, reason)
        log.info(
            "%s %s %d %.0f ms, %d texts", scope["method"], path, status, 1e3 * seconds, scope.get("hedline.texts", 0)
        )


REASONS = {401: "key", 408: "slow body", 413: "too large", 422: "wrong", 429: "busy", 503: "not ready", 504: "timeout"}
