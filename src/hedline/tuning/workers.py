"""Processes that each hold a loaded object and stay until told to go.

A worker ends itself when the program that started it is gone, so a killed run leaves nothing behind. With one worker
the work is done in this process.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.pool
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

W = TypeVar("W")
T = TypeVar("T")
R = TypeVar("R")

# BLAS threads inside each of several processes only get into each other's way.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Crew(Generic[W]):
    """`count` workers, each with its own `make()`; a context manager. `make` must be picklable when count > 1."""

    def __init__(self, make: Callable[[], W], count: int) -> None:
        self._pool = _start(make, count) if count > 1 else None
        self._alone = None if self._pool else make()

    def map(self, call: Callable[[W, T], R], tasks: Iterable[T]) -> Iterator[R]:
        """`call(worker's object, task)` for every task, in order."""
        if self._pool is None:
            return (call(self._alone, task) for task in tasks)  # type: ignore[arg-type]
        return self._pool.imap(partial(_work, call), tasks)

    def __enter__(self) -> Crew[W]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


_object: Any = None
_failure: Exception | None = None


def _start(make: Callable[[], Any], count: int) -> multiprocessing.pool.Pool:
    """The pool; spawned, because forking a process with BLAS threads may hang."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        return multiprocessing.get_context("spawn").Pool(count, _enter, (make,))
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def _enter(make: Callable[[], Any]) -> None:
    global _object, _failure
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _object = make()
    except Exception as error:  # a pool starts a failing worker again for ever; the first task reports it instead
        _failure = error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(call: Callable[[Any, Any], Any], task: Any) -> Any:
    if _failure is not None:
        raise _failure
    return call(_object, task)
