"""Worker processes that load, die, hang and are replaced."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from hedline.api import find_model
from hedline.errors import UserError
from hedline.server.batching import Queue, Ticket
from hedline.server.reports import Metrics
from hedline.server.shapes import RequestError
from hedline.server.workers import Crew, Worker, WorkerLostError, model_folders

LEAD = "The city council voted on Tuesday to close the old harbour bridge for six months of repairs."
ABS = {"abs": str(find_model("abs"))}


def with_crew(test: Callable[[Crew], Awaitable[None]], models: dict[str, str] | None = None) -> Crew:
    async def run() -> Crew:
        crew = Crew(models or ABS, 1, Queue(100, 8, 0.0), Metrics(), 30.0)
        crew.start()
        try:
            await asyncio.wait_for(test(crew), 120)
        finally:
            await crew.stop()
        assert not crew.pids or not any(map(alive, crew.pids))
        return crew

    return asyncio.run(run())


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ask(crew: Crew, lead: str = LEAD, options: str = "{}") -> Ticket:
    ticket = Ticket(("abs", options), "summary_text", "1", lead, asyncio.get_running_loop().create_future())
    crew.queue.admit([ticket])
    return ticket


def test_a_worker_killed_while_idle_is_replaced() -> None:
    async def test(crew: Crew) -> None:
        first = await ask(crew).future
        (pid,) = crew.pids
        os.kill(pid, signal.SIGKILL)
        assert await ask(crew).future == first
        assert crew.pids != [pid] and not alive(pid)

    crew = with_crew(test)
    assert list(crew.metrics.replaced.values.values()) == [1]


def test_texts_of_a_worker_killed_at_work_are_searched_again() -> None:
    async def test(crew: Crew) -> None:
        answer = await ask(crew).future
        tickets = [ask(crew, LEAD, '{"beam": 60, "nbest": 50}') for _ in range(8)]
        while crew.queue.waiting:
            await asyncio.sleep(0.001)
        os.kill(crew.pids[0], signal.SIGKILL)
        lines = await asyncio.gather(*(ticket.future for ticket in tickets))
        assert all(line.startswith(b'{"summary_text"') for line in lines) and answer

    with_crew(test)


def test_a_text_that_kills_every_worker_fails_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(self: Worker, job: bytes, seconds: float) -> list[bytes]:
        self.process.kill()
        return self._receive(seconds).split(b"\n")

    async def test(crew: Crew) -> None:
        await crew.ready.wait()
        monkeypatch.setattr(Worker, "ask", die)
        with pytest.raises(RequestError, match="ended by signal 9, twice, while it searched this text") as caught:
            await ask(crew).future
        assert caught.value.status == 500

    with_crew(test)


def test_a_worker_that_hangs_is_replaced() -> None:
    async def test(crew: Crew) -> None:
        answer = await ask(crew).future
        os.kill(crew.pids[0], signal.SIGSTOP)
        crew.timeout = 0.2
        ticket = ask(crew)
        while not crew.metrics.replaced.values[()]:
            await asyncio.sleep(0.01)
        crew.timeout = 30.0
        assert await ticket.future == answer

    with_crew(test)


def test_a_model_that_cannot_be_loaded_stops_the_crew(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")

    async def test(crew: Crew) -> None:
        stopped = asyncio.Event()
        crew.on_broken = stopped.set
        await stopped.wait()
        assert not crew.ready.is_set()

    assert "config.json" in with_crew(test, {"broken": str(folder)}).broken


def test_workers_that_never_get_ready_stop_the_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Worker) -> None:
        raise WorkerLostError("ended with exit code 1")

    monkeypatch.setattr(Worker, "until_ready", fail)

    async def test(crew: Crew) -> None:
        stopped = asyncio.Event()
        crew.on_broken = stopped.set
        await stopped.wait()

    assert with_crew(test).broken == "no worker gets ready: the last one ended with exit code 1"


def test_a_crew_stops_while_it_loads() -> None:
    async def test(crew: Crew) -> None:
        await asyncio.sleep(0.05)

    with_crew(test)


def test_a_worker_ends_when_its_server_is_gone() -> None:
    worker = Worker(ABS)
    worker.until_ready()
    worker.pipe.close()
    worker.process.join(30)
    assert worker.process.exitcode == 0


def test_models_are_named_after_their_folders(tmp_path: Path) -> None:
    assert list(model_folders(("abs", "default"))) == ["abs", "default"]
    assert list(model_folders(())) == ["default"]
    with pytest.raises(UserError, match="there is no model"):
        model_folders((str(tmp_path),))
