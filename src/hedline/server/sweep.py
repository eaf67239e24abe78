"""Closes connections that only hold memory: no request comes on them, or the client does not read its answer.

uvicorn bounds neither the time in which a request's head arrives nor the bytes that wait for a client to read them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Any

EVERY = 1.0  # seconds between two looks
LONGEST = 30.0  # seconds without a whole head, or without a byte read


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
            await asyncio.sleep(min(EVERY, self.seconds))
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
