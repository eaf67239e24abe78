"""Who is refused: wrong keys, clients that send too much, bodies that are too large."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hedline.server import guards
from hedline.server.guards import Bodies, ClientGoneError, Keys, Rates
from hedline.server.shapes import RequestError


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_keys_everyone_may_ask() -> None:
    assert Keys(()).check({}) == ""


def test_a_key_is_taken_from_either_header() -> None:
    keys = Keys(("one", "zwei ß"))
    assert keys.check({b"x-api-key": b"one"}) == "key 0"
    assert keys.check({b"authorization": b"bearer one"}) == "key 0"
    for headers in ({}, {b"x-api-key": b"on"}, {b"authorization": b"Basic one"}, {b"authorization": b"Bearer "}):
        with pytest.raises(RequestError) as caught:
            keys.check(headers)
        assert caught.value.status == 401


def test_every_key_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    real = guards.hmac.compare_digest
    monkeypatch.setattr(guards.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or real(a, b))
    Keys(("a", "b", "c")).check({b"x-api-key": b"a"})
    assert len(compared) == 3 and all(len(a) == len(b) == 32 for a, b in compared)


def test_a_client_that_sends_too_much_waits_as_long_as_it_is_told() -> None:
    clock = Clock()
    rates = Rates(2.0, clock)
    rates.check("a")
    rates.charge("a", 25)  # five more than the burst of twenty
    with pytest.raises(RequestError) as caught:
        rates.check("a")
    assert caught.value.status == 429 and caught.value.retry_after == pytest.approx(3.0)
    rates.check("b")
    clock.now += 3.0
    rates.check("a")


def test_silent_clients_are_forgotten() -> None:
    rates = Rates(1.0, Clock())
    for number in range(guards.MOST_CLIENTS + 5):
        rates.charge(str(number), 1)
    assert len(rates._buckets) == guards.MOST_CLIENTS


def read(bodies: Bodies, messages: list[dict[str, Any]], headers: dict[bytes, bytes] | None = None) -> bytes:
    left = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(left)

    return asyncio.run(bodies.read(receive, headers or {}))


def part(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_is_joined_and_counted_until_it_is_released() -> None:
    bodies = Bodies(100)
    body = read(bodies, [part(b"ab", True), part(b"c")])
    assert body == b"abc" and bodies.held == 3
    bodies.release(body)
    assert bodies.held == 0


def test_a_body_too_large_is_refused_before_it_is_held() -> None:
    bodies = Bodies(10)
    for messages, headers in (([], {b"content-length": b"11"}), ([part(b"x" * 6, True), part(b"x" * 6)], {})):
        with pytest.raises(RequestError) as caught:
            read(bodies, messages, headers)
        assert caught.value.status == 413 and bodies.held == 0


def test_all_bodies_together_are_bounded() -> None:
    bodies = Bodies(10)
    bodies.held = 10 * guards.BODIES
    with pytest.raises(RequestError) as caught:
        read(bodies, [part(b"x")])
    assert caught.value.status == 429 and bodies.held == 10 * guards.BODIES


def test_a_client_that_leaves_halfway_holds_nothing() -> None:
    bodies = Bodies(10)
    with pytest.raises(ClientGoneError):
        read(bodies, [part(b"x", True), {"type": "http.disconnect"}])
    assert bodies.held == 0
