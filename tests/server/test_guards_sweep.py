"""Connections that only hold memory are closed: slow heads, silence, unread answers."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

from hedline.server.guards import Sweeper

from .conftest import LEAD, Running, stop


class Transport:
    """As much of a transport as is looked at."""

    def __init__(self, unread: int = 0) -> None:
        self.unread, self.aborted = unread, False

    def get_write_buffer_size(self) -> int:
        return 0 if self.aborted else self.unread

    def abort(self) -> None:
        self.aborted = True


@dataclass
class Request:
    response_complete: bool = False


@dataclass(eq=False)
class Connection:
    transport: Transport = field(default_factory=Transport)
    cycle: Request | None = None


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def sweep_for(sweeper: Sweeper, clock: Clock, seconds: int, each: Callable[[int], Any] = lambda second: None) -> None:
    for second in range(seconds):
        each(second)
        sweeper.sweep()
        clock.now += 1


def test_one_without_a_request_is_closed_and_one_that_is_answered_is_not() -> None:
    clock = Clock()
    silent, served, finished = Connection(), Connection(cycle=Request()), Connection(cycle=Request(True))
    sweeper = Sweeper([silent, served, finished], 10, 1000, clock)
    sweep_for(sweeper, clock, 10)
    assert not silent.transport.aborted
    sweep_for(sweeper, clock, 2)
    assert silent.transport.aborted and finished.transport.aborted and not served.transport.aborted


def test_one_that_asks_again_and_again_stays() -> None:
    clock, connection = Clock(), Connection()

    def ask(second: int) -> None:
        if second % 4 == 0:
            connection.cycle = Request(response_complete=True)
            kept.append(connection.cycle)

    kept: list[Request] = []
    sweep_for(Sweeper([connection], 10, 1000, clock), clock, 60, ask)
    assert not connection.transport.aborted


def test_an_answer_that_is_not_read_is_given_up_and_one_that_is_read_slowly_is_not() -> None:
    clock = Clock()
    stuck, slow = Connection(Transport(500)), Connection(Transport(500))

    def read(second: int) -> None:
        slow.transport.unread -= 1

    sweep_for(Sweeper([stuck, slow], 10, 10_000, clock), clock, 20, read)
    assert stuck.transport.aborted and not slow.transport.aborted


def test_all_unread_bytes_together_are_bounded() -> None:
    sizes = (400, 300, 200, 100)
    connections = [Connection(Transport(size), Request()) for size in sizes]
    Sweeper(connections, 10, 350, Clock()).sweep()
    assert [each.transport.aborted for each in connections] == [True, True, False, False]


@pytest.mark.slow
def test_a_server_closes_slow_heads_and_goes_on_answering(starting: Callable[..., Running]) -> None:
    running = starting("--workers", "1", "--timeout", "2")
    address = urlsplit(running.url).hostname, urlsplit(running.url).port
    slow, silent, stuck = (socket.create_connection(address, 10) for _ in range(3))
    slow.sendall(b"POST /v1/headlines HTTP/1.1\r\nHost: x\r\n")
    body = json.dumps({"texts": "a " * 900_000}).encode()
    stuck.sendall(b"POST /v1/headlines HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    end = time.monotonic() + 5
    while time.monotonic() < end:
        assert running.post("/v1/headlines", {"texts": LEAD})[0] == 200
        try:
            slow.sendall(b"X-A: b\r\n")
        except OSError:
            break
        time.sleep(0.2)
    else:
        raise AssertionError("a head that never ends was waited for")
    assert _ended(silent)
    for each in (slow, silent, stuck):
        each.close()


def _ended(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/v1/models", "/page/page.css"])
def test_head_is_answered_as_get_without_a_body(server: Running, path: str) -> None:
    assert server.request("HEAD", path, None) == (200, b"")
    assert server.request("HEAD", "/v1/headlines", None)[0] == 405


def test_clients_that_hang_up_leave_nothing_in_the_log(starting: Callable[..., Running]) -> None:
    running = starting("--workers", "1")
    address = urlsplit(running.url).hostname, urlsplit(running.url).port
    body = json.dumps({"texts": [LEAD] * 20}).encode()
    for _ in range(20):
        with socket.create_connection(address, 10) as client:
            client.sendall(b"POST /v1/headlines HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert running.post("/v1/headlines", {"texts": LEAD})[0] == 200
    assert running.metric("hedline_hung_up_total") > 0
    code, logged = stop(running)
    assert code == 0 and "ERROR" not in logged and "Traceback" not in logged
