"""Who may ask, how often, and how much: keys, rates, the bytes of bodies held at once, and connections that do nothing.

uvicorn bounds neither the time in which a request's head arrives nor the bytes that wait for a client to read them, so
the sweeper closes connections that only hold memory: no request comes on them, or the client does not read its answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from hedline.server.shapes import RequestError

MOST_CLIENTS = 10_000  # remembered for their rate; the one longest silent is forgotten first
BODIES = 32  # times the largest body: bytes of all bodies that may be held at once
BURST = 10.0  # seconds' worth of texts that a client may send at once
BODY_SECONDS = 30.0  # a body must arrive within it

Receive = Callable[[], Awaitable[Any]]
SWEEP_EVERY = 1.0  # seconds between two looks
MOST_IDLE = 30.0  # seconds without a whole head, or without a byte read


class Keys:
    """The keys that open the server. Only digests are kept, and every comparison takes the same time."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._digests = [_digest(key) for key in keys]

    def check(self, headers: dict[bytes, bytes]) -> str:
        """The client's name by its key (empty where no key is needed); a wrong or missing key is refused."""
        if not self._digests:
            return ""
        given = headers.get(b"x-api-key", b"")
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if not given and scheme.lower() == b"bearer":
            given = token.strip()
        digest = _digest(given.decode("latin-1"))
        found = [hmac.compare_digest(digest, each) for each in self._digests]  # all of them: no early end
        if not any(found):
            sentence = "a key is needed: send it as the header Authorization: Bearer KEY, or X-API-Key: KEY"
            raise RequestError(401, sentence if not given else "this key is not known here")
        return f"key {found.index(True)}"


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


class Rates:
    """Texts per second for each client: a bucket that fills at the rate and may run into debt once."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        """rate: texts per second, 0 for no limit."""
        self.rate, self.clock = rate, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # client: texts left, when

    def check(self, client: str) -> None:
        """Refuse a client that has used up what it may send."""
        if self.rate and (left := self._left(client)) <= 0:
            raise RequestError(
                429,
                f"too many texts: this server takes {self.rate:g} a second from each client; wait and try again",
                retry_after=-left / self.rate + 1 / self.rate,
            )

    def charge(self, client: str, texts: int) -> None:
        """Count texts that were taken."""
        if not self.rate:
            return
        self._buckets[client] = (self._left(client) - texts, self.clock())
        self._buckets.move_to_end(client)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)

    def _left(self, client: str) -> float:
        full = max(self.rate * BURST, 1.0)
        left, when = self._buckets.get(client, (full, self.clock()))
        return min(left + (self.clock() - when) * self.rate, full)


class Bodies:
    """Reads request bodies in bounded memory: each at most `most` bytes, all together BODIES times that."""

    def __init__(self, most: int) -> None:
        self.most, self.held = most, 0

    async def read(self, receive: Receive, headers: dict[bytes, bytes]) -> bytes:
        """The whole body; its bytes count as held until `release`."""
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self.most:
            raise self._too_large()
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGoneError
                    part = message.get("body", b"")
                    size, self.held = size + len(part), self.held + len(part)
                    if size > self.most:
                        raise self._too_large()
                    if self.held > BODIES * self.most:
                        raise RequestError(429, "the server holds too many large requests; try again", retry_after=1.0)
                    parts.append(part)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            self.held -= size
            raise RequestError(408, f"the body did not arrive within {BODY_SECONDS:g} s") from None
        except BaseException:
            self.held -= size
            raise

    def release(self, body: bytes) -> None:
        """The bytes are not held any more."""
        self.held -= len(body)

    def _too_large(self) -> RequestError:
        return RequestError(413, f"the body is larger than {self.most:,} bytes; send fewer texts at once")


class ClientGoneError(Exception):
    """The client hung up."""


class Sweeper:
    """Looks at all connections of a server now and then."""

    def __init__(
        self,
        connections: Collection[Any],
        seconds: float,
        most_bytes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """connections: uvicorn's; seconds: patience with one that does nothing; most_bytes: unread of all together."""
        self.connections, self.seconds, self.most_bytes, self.clock = connections, seconds, most_bytes, clock
        self._seen: dict[Any, tuple[float, tuple[str, int]]] = {}  # connection: since when it is in this state

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(min(SWEEP_EVERY, self.seconds))
            self.sweep()

    def sweep(self) -> None:
        """One look at every connection."""
        now, seen = self.clock(), {}
        for connection in list(self.connections):
            if (state := _idle_state(connection)) is None:
                continue
            since, before = self._seen.get(connection, (now, state))
            seen[connection] = (since if before == state else now, state)
            if before == state and now - since >= self.seconds:
                connection.transport.abort()
        self._seen = seen
        self._bound_unread()

    def _bound_unread(self) -> None:
        """Close those with the most unread bytes until all together are few enough."""
        sizes = [(each.transport.get_write_buffer_size(), each) for each in list(self.connections)]
        total = sum(size for size, _ in sizes)
        for size, connection in sorted(sizes, key=lambda each: -each[0]):
            if total <= self.most_bytes:
                return
            connection.transport.abort()
            total -= size


def _idle_state(connection: Any) -> tuple[str, int] | None:
    """What a connection waits for, with what changes when it goes on; None while its request is being answered."""
    if unread := connection.transport.get_write_buffer_size():
        return "reading", unread
    request = getattr(connection, "cycle", None)
    if request is None or request.response_complete:
        return "request", id(request)
    return None
