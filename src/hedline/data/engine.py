"""Blocks to chunk files on this machine: one process reads, the others tokenise; results come back in order."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hedline.data.blocks import Block, Source, all_blocks
from hedline.data.chunk import make_chunk
from hedline.data.chunkfile import Summary, load_summary, save_chunk
from hedline.data.settings import PrepareSettings
from hedline.errors import UserError

Made = tuple[Path, Summary]
In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Task:
    """What a worker must know besides its block: where chunks go, whose they are, and how to make them."""

    folder: Path
    key: str
    settings: PrepareSettings


def make_one(block: Block, task: Task) -> Made:
    """Make a block's chunk file, or find it already made by an interrupted run."""
    path = task.folder / block.name
    summary = load_summary(path, task.key) if path.exists() else None
    return path, summary or save_chunk(path, make_chunk(block, task.settings), task.key)


def ordered_map(function: Callable[[In], Out], items: Iterator[In], workers: int) -> Iterator[Out]:
    """Results in the order of the items; a single item is done in this process."""
    first = list(islice(items, 2))
    if workers <= 1 or len(first) < 2:
        yield from map(function, chain(first, items))
    else:
        yield from _map_in_pool(function, _pour(first, items), workers)


def _map_in_pool(function: Callable[[In], Out], items: Iterator[In], workers: int) -> Iterator[Out]:
    """At most two items a worker are in flight, so memory does not grow with the corpus."""
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_die_with, initargs=(os.getpid(),))
    waiting: deque[Future[Out]] = deque()
    try:
        for item in items:
            with _interrupts_ignored():
                waiting.append(pool.submit(function, item))
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise UserError(
            "a worker process was killed (out of memory?); run the same command again with fewer --workers: it resumes"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """While a worker may be started: it inherits this, so a Ctrl-C before its first line of ours does not kill it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _die_with(parent: int) -> None:
    """Leave when the parent is gone: a killed `prepare` must not leave workers waiting for ever.

    Ctrl-C reaches the whole group; only the parent answers it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _pour(first: list[In], rest: Iterator[In]) -> Iterator[In]:
    """First the items already taken, letting go of each, then the others."""
    while first:
        yield first.pop(0)
    yield from rest


class Engine(Protocol):
    """Where the work runs."""

    def chunks(self, sources: Sequence[Source], task: Task) -> Iterator[Made]:
        """Chunk files of all blocks, in the order of the corpus."""

    def map(self, function: Callable[[In], Any], items: Iterator[In]) -> Iterator[Any]:
        """Results (JSON values) in the order of the items."""


@dataclass(frozen=True)
class LocalEngine:
    """Processes on this machine."""

    workers: int

    def chunks(self, sources: Sequence[Source], task: Task) -> Iterator[Made]:
        """Chunk files of all blocks, in the order of the corpus."""
        blocks = all_blocks(sources, task.settings.block_records)
        return ordered_map(partial(make_one, task=task), blocks, self.workers)

    def map(self, function: Callable[[In], Any], items: Iterator[In]) -> Iterator[Any]:
        """Results (JSON values) in the order of the items."""
        return ordered_map(function, items, self.workers)


def open_engine(name: str, workers: int) -> Engine:
    """The engine called `local` or `ray`."""
    if workers < 1:
        raise UserError(f"--workers must be 1 or more, not {workers}")
    if name == "local":
        return LocalEngine(workers)
    if name == "ray":
        from hedline.data.cluster import RayEngine

        return RayEngine(workers)
    raise UserError(f"unknown engine {name!r}; choose local or ray")
