from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hedline.server.batching import ATTEMPTS, Queue, QueueFullError, Ticket


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def in_loop(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    def run() -> None:
        asyncio.run(test())  # type: ignore[arg-type]

    run.__name__ = test.__name__
    return run


def ticket(lead: str, options: str = "{}") -> Ticket:
    return Ticket(("model", options), "record", "1", lead, asyncio.get_running_loop().create_future())


def leads(tickets: list[Ticket]) -> list[str]:
    return sorted(each.lead for each in tickets)


@in_loop
async def test_texts_with_the_same_options_are_taken_together() -> None:
    queue = Queue(100, 8, 0.0)
    queue.admit([ticket("a")])
    queue.admit([ticket("b", '{"beam": 3}')])
    queue.admit([ticket("c")])
    assert leads(await queue.take()) == ["a", "c"]
    assert leads(await queue.take()) == ["b"]
    assert queue.waiting == 0


@in_loop
async def test_a_single_text_is_not_behind_a_request_of_many() -> None:
    queue = Queue(1000, 4, 0.0)
    queue.admit([ticket(f"bulk {i:03}") for i in range(100)])
    await queue.take()
    queue.admit([ticket("a single")])
    taken = [leads(await queue.take()) for _ in range(2)]
    assert any("a single" in batch for batch in taken)


@in_loop
async def test_a_request_of_many_is_not_starved_by_single_ones() -> None:
    queue = Queue(1000, 4, 0.0)
    many = [ticket(f"bulk {i:03}") for i in range(20)]
    queue.admit(many)
    taken = 0
    for _ in range(20):
        queue.admit([ticket(f"single {i}") for i in range(2)])
        taken += sum(each in many for each in await queue.take())
    assert taken == 20


@in_loop
async def test_a_batch_holds_the_first_text_and_those_of_its_length() -> None:
    queue = Queue(100, 2, 0.0)
    for lead in ("x" * 50, "y", "z" * 48, "w" * 3):
        queue.admit([ticket(lead)])
    assert leads(await queue.take()) == ["x" * 50, "z" * 48]
    assert leads(await queue.take()) == ["w" * 3, "y"]


@in_loop
async def test_nobody_is_let_in_beyond_the_bound_and_a_request_enters_whole_or_not() -> None:
    queue = Queue(3, 2, 0.0)
    queue.admit([ticket("a"), ticket("b")])
    with pytest.raises(QueueFullError) as caught:
        queue.admit([ticket("c"), ticket("d")])
    assert queue.waiting == 2 and caught.value.retry_after >= 1
    queue.admit([ticket("e")])


@in_loop
async def test_a_text_waits_for_company_but_not_longer_than_allowed() -> None:
    queue = Queue(100, 8, 0.05)
    queue.admit([ticket("the first comes out of silence")])
    assert len(await asyncio.wait_for(queue.take(), 5)) == 1
    taking = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.admit([ticket("a")])
    await asyncio.sleep(0.005)
    assert not taking.done()
    queue.admit([ticket("b")])
    assert leads(await taking) == ["a", "b"]


@in_loop
async def test_a_client_that_is_alone_never_waits_for_company() -> None:
    queue = Queue(100, 8, 1000.0)
    for number in range(3):
        queue.admit([ticket(f"text {number}")])
        assert leads(await asyncio.wait_for(queue.take(), 5)) == [f"text {number}"]
        queue.served(1)
    queue.admit([ticket("dies with its worker")])
    batch = await asyncio.wait_for(queue.take(), 5)
    assert queue.put_back(batch) == [] and queue.waiting == 1
    assert await asyncio.wait_for(queue.take(), 5) == batch
    queue.served(1)
    queue.admit([ticket("alone again")])
    assert leads(await asyncio.wait_for(queue.take(), 5)) == ["alone again"]


@in_loop
async def test_a_full_batch_does_not_wait() -> None:
    queue = Queue(100, 2, 1000.0)
    queue.admit([ticket("a"), ticket("b")])
    assert leads(await asyncio.wait_for(queue.take(), 5)) == ["a", "b"]


@in_loop
async def test_free_workers_share_what_waits() -> None:
    queue = Queue(100, 8, 0.01)
    takers = [asyncio.create_task(queue.take()) for _ in range(2)]
    await asyncio.sleep(0)
    queue.admit([ticket(str(i)) for i in range(4)])
    assert [len(batch) for batch in await asyncio.gather(*takers)] == [2, 2]


@in_loop
async def test_who_hangs_up_leaves_the_line() -> None:
    queue = Queue(2, 8, 0.0)
    gone = [ticket("a"), ticket("b")]
    queue.admit(gone)
    queue.withdraw(gone)
    assert queue.waiting == 0 and all(each.future.cancelled() for each in gone)
    queue.admit([ticket("c"), ticket("d")])
    assert leads(await queue.take()) == ["c", "d"]


@in_loop
async def test_texts_of_a_dead_worker_are_tried_alone_and_then_given_up() -> None:
    queue = Queue(100, 8, 1000.0)
    queue.admit([ticket("a"), ticket("b")])
    taken = await queue.take()
    queue.admit([ticket("one that waits for company")])
    assert queue.put_back(taken) == []
    first = await asyncio.wait_for(queue.take(), 5)
    second = await asyncio.wait_for(queue.take(), 5)
    assert len(first) == len(second) == 1
    lost = first
    for _ in range(ATTEMPTS - 1):
        lost = queue.put_back(first)
    assert lost == first and queue.waiting == 1


@in_loop
async def test_the_time_to_wait_follows_the_rate() -> None:
    clock = Clock()
    queue = Queue(100, 8, 0.0, clock)
    for _ in range(200):
        clock.now += 1.0
        queue.served(10)
    assert queue.seconds_for(100) == pytest.approx(10, rel=0.05)
    assert queue.seconds_for(1) == 1.0 and queue.seconds_for(10**6) == 60.0


@in_loop
async def test_a_cancelled_worker_takes_nothing_with_it() -> None:
    queue = Queue(100, 8, 0.0)
    taking = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    queue.admit([ticket("a")])
    assert leads(await asyncio.wait_for(queue.take(), 5)) == ["a"]
