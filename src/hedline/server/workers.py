"""Worker processes: each holds the models and answers one batch after the other; one that dies or hangs is replaced.

Jobs and answers go through a pipe as JSON bytes. A worker ends when its pipe closes, so none outlives the server.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from hedline.pool import one_thread_each
from hedline.server.batching import FAILED, FINE, WRONG, Queue, Ticket, answer_job, write_job
from hedline.server.reports import Metrics
from hedline.server.shapes import RequestError

log = logging.getLogger("hedline.server")
READY, BROKEN = b"ready", b"broken "
LOADING = 120.0  # seconds a worker may take to load its models
MOST_FAILURES = 3  # workers in a row that did not get ready, after which the server stops


class WorkerLostError(Exception):
    """A worker died or hung; text: how."""


class BrokenModelError(Exception):
    """A worker could not load its models; text: why."""


class Worker:
    """One process, as the server sees it. All methods block; they run in a thread of the crew."""

    def __init__(self, models: Mapping[str, str]) -> None:
        """Start a process; models: name to folder."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        with one_thread_each():
            self.process = context.Process(target=_serve_pipe, args=(theirs, dict(models)), daemon=True)
            self.process.start()
        theirs.close()

    def until_ready(self) -> None:
        """Wait until the models are loaded."""
        message = self._receive(LOADING)
        if message != READY:
            raise BrokenModelError(message.removeprefix(BROKEN).decode("utf-8", "replace"))

    def ask(self, job: bytes, seconds: float) -> list[bytes]:
        """The lines that answer a job."""
        try:
            self.pipe.send_bytes(job)
        except OSError:
            raise WorkerLostError("had died before its work") from None
        return self._receive(seconds).split(b"\n")

    def _receive(self, seconds: float) -> bytes:
        ready = wait([self.pipe, self.process.sentinel], seconds)
        if not ready:
            raise WorkerLostError(f"did not answer within {seconds:g} s")
        if self.pipe not in ready:
            raise WorkerLostError(self._how_it_ended())
        try:
            return self.pipe.recv_bytes()
        except (EOFError, OSError):
            raise WorkerLostError(self._how_it_ended()) from None

    def _how_it_ended(self) -> str:
        self.process.join(1.0)
        code = self.process.exitcode
        return f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"

    def end(self, seconds: float = 0.0) -> None:
        """Close the pipe, on which the process ends by itself; kill it where it does not in time."""
        self.pipe.close()
        self.process.join(seconds)
        if self.process.exitcode is None:
            self.process.kill()
        self.process.join()


def _serve_pipe(pipe: Connection, models: Mapping[str, str]) -> None:
    """Inside the process: load, say so, and answer jobs until the pipe closes."""
    from hedline.api import load
    from hedline.errors import UserError

    for number in (signal.SIGINT, signal.SIGTERM):  # the server decides when this process ends
        signal.signal(number, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        try:
            loaded = {name: load(folder) for name, folder in models.items()}
            for summarizer in loaded.values():
                summarizer("The first search of a process reads the weights from the disk, so it is done here.")
        except UserError as error:
            pipe.send_bytes(BROKEN + str(error).encode("utf-8", "replace"))
            return
        pipe.send_bytes(READY)
        while True:
            pipe.send_bytes(answer_job(pipe.recv_bytes(), loaded))


class Crew:
    """The worker processes of a server: each takes batches from the queue, dead ones are replaced."""

    def __init__(self, models: Mapping[str, str], size: int, queue: Queue, metrics: Metrics, timeout: float) -> None:
        """models: name to folder; size: processes; timeout: seconds a batch may take."""
        self.models, self.size, self.queue, self.metrics, self.timeout = models, size, queue, metrics, timeout
        self.ready = asyncio.Event()
        self.broken = ""
        self.on_broken: Callable[[], Any] = lambda: None
        self._threads = ThreadPoolExecutor(size, "hedline-worker")
        self._seats: list[asyncio.Task[None]] = []
        self._live: set[Worker] = set()
        self._failures = 0
        self._closing = False

    def start(self) -> None:
        """Start the processes; they load on their own time, then `ready` is set."""
        self._seats = [asyncio.create_task(self._fill_seat()) for _ in range(self.size)]

    async def stop(self) -> None:
        """End all processes."""
        self._closing = True
        for seat in self._seats:
            seat.cancel()
        for worker in list(self._live):
            worker.process.kill()  # its thread wakes up
        await asyncio.gather(*self._seats, return_exceptions=True)
        await asyncio.to_thread(self._threads.shutdown)
        for worker in list(self._live):
            worker.end()

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers now."""
        return [worker.process.pid for worker in self._live if worker.process.pid]

    async def _fill_seat(self) -> None:
        """Keep one worker running."""
        while not self.broken:
            worker = await self._in_thread(self._start_worker)
            try:
                await self._in_thread(worker.until_ready)
                self._failures = 0
                self.metrics.workers.add(1)
                self.ready.set()
                try:
                    await self._work(worker)
                finally:
                    self.metrics.workers.add(-1)
            except WorkerLostError as error:
                log.warning("a worker %s; starting another", error)
                self.metrics.replaced.add()
                self._count_failure(f"no worker gets ready: the last one {error}")
            except BrokenModelError as error:
                self._give_up(str(error))
            await self._in_thread(worker.end)
            self._live.discard(worker)

    def _start_worker(self) -> Worker:
        """In a thread: a new process, known to `stop` even if nobody waits for it any more."""
        worker = Worker(self.models)
        self._live.add(worker)
        if self._closing:
            worker.process.kill()
        return worker

    def _count_failure(self, why: str) -> None:
        self._failures += 1
        if self._failures >= MOST_FAILURES * self.size:
            self._give_up(why)

    def _give_up(self, why: str) -> None:
        if not self.broken:
            self.broken = why
            self.on_broken()

    async def _work(self, worker: Worker) -> None:
        """Answer batches until the worker is lost."""
        died = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(worker.process.sentinel, died.set)
        try:
            while True:
                tickets = await self._next_batch(died)
                await self._answer(worker, tickets)
                self._failures = 0
        finally:
            loop.remove_reader(worker.process.sentinel)

    async def _next_batch(self, died: asyncio.Event) -> list[Ticket]:
        """A batch from the queue; stops waiting when the idle worker dies."""
        taking, dying = asyncio.ensure_future(self.queue.take()), asyncio.ensure_future(died.wait())
        try:
            await asyncio.wait({taking, dying}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            dying.cancel()
            if not taking.done():
                taking.cancel()
        if not taking.done():
            await asyncio.wait({taking})
        if taking.cancelled():
            raise WorkerLostError("died while it had nothing to do")
        return taking.result()

    async def _answer(self, worker: Worker, tickets: list[Ticket]) -> None:
        """Have one batch searched and give the answers out."""
        now = time.monotonic()
        for ticket in tickets:
            self.metrics.waited.observe(now - ticket.arrived)
        self.metrics.batches.observe(len(tickets))
        model, options = tickets[0].key
        job = write_job(model, options, [(ticket.kind, ticket.id, ticket.lead) for ticket in tickets])
        try:
            lines = await self._in_thread(worker.ask, job, self.timeout)
        except WorkerLostError as error:
            for ticket in self.queue.put_back(tickets):
                settle(ticket, FAILED + f"a worker process {error}, twice, while it searched this text".encode())
            raise
        self.queue.served(len(tickets))
        self.metrics.texts.add(len(tickets))
        for ticket, line in zip(tickets, lines, strict=True):
            settle(ticket, line)

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)


def settle(ticket: Ticket, line: bytes) -> None:
    """Give a ticket its answer, unless its client has gone."""
    if ticket.future.done():
        return
    mark, rest = line[:1], line[1:]
    if mark == FINE:
        ticket.future.set_result(rest)
    elif mark == WRONG:
        ticket.future.set_exception(RequestError(422, rest.decode("utf-8", "replace"), "options"))
    else:
        ticket.future.set_exception(RequestError(500, rest.decode("utf-8", "replace")))


def model_folders(names: tuple[str, ...]) -> dict[str, str]:
    """The folders of the models to serve, by name; a missing one is a clear sentence."""
    from hedline.api import find_model

    folders = {}
    for name in names or (None,):
        path = find_model(name)
        folders[path.name or str(path)] = str(path.resolve())
    return folders
