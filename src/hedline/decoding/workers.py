"""Processes that each hold a loaded model and summarise chunks of texts."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hedline.decoding.stream import Job, open_job
from hedline.decoding.summary import Summary

# BLAS threads inside each of several processes only get into each other's way.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_work: Callable[[list[str]], list[Summary]] | None = None


@contextmanager
def worker_pool(job: Job, workers: int) -> Iterator[Callable[[list[str]], Callable[[], list[Summary]]]]:
    """A function that hands a chunk to a free process and returns a function that waits for its result."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        pool = multiprocessing.get_context("spawn").Pool(workers, _enter, (job,))
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value
    try:
        yield lambda texts: pool.apply_async(_run, (texts,)).get
    finally:
        pool.terminate()
        pool.join()


def _enter(job: Job) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers Ctrl-C, and ends the processes
    _work = open_job(job)


def _run(texts: list[str]) -> list[Summary]:
    if _work is None:
        raise RuntimeError("the worker has not loaded its model")
    return _work(texts)
