"""Worker processes that each hold a loaded object: an ordered, bounded map, on this machine or on a Ray cluster.

A worker that dies is replaced and its work is done again once; work that kills two workers ends in one sentence.
Workers end with the program that started them, and only that program answers Ctrl-C. On this machine workers are
processes of their own; on a cluster they are Ray actors.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Protocol, TypeVar

from hedline.errors import UserError, require

W = TypeVar("W")
T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2  # tasks under way for each worker: one it works on, one that waits in its queue
TRIES = 2  # times a task is begun before it is given up
ENGINES = ("local", "ray")
# BLAS threads inside each of several processes only get into each other's way.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_END: Any = object()


class Crew(Generic[W]):
    """`count` workers, each with its own `make()`; a context manager that ends them.

    make: must be picklable unless one local worker is asked for, which is this process itself.
    engine: `local` or `ray` (the running cluster, else a local one).
    """

    def __init__(self, make: Callable[[], W], count: int, engine: str = "local") -> None:
        if engine not in ENGINES:
            raise UserError(f"unknown engine {engine!r}; choose local or ray")
        self.count = max(count, 1)
        self._alone = make() if self.count == 1 and engine == "local" else None
        self._runner: _Runner | None = None
        if self._alone is None:
            self._runner = _Ray(make, self.count) if engine == "ray" else _Local(make, self.count)

    def map(self, call: Callable[[W, T], R], tasks: Iterable[T]) -> Iterator[R]:
        """`call(a worker's object, task)` for every task, in order; at most AHEAD tasks a worker are held."""
        if self._runner is None:
            return (call(self._alone, task) for task in tasks)  # type: ignore[arg-type]
        return _in_order(self._runner, call, iter(tasks), AHEAD * self.count)

    def __enter__(self) -> Crew[W]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runner is not None:
            self._runner.close()


@dataclass(eq=False)
class _Task:
    """A call under way; begun: how many workers died over it."""

    call: Callable[[Any, Any], Any]
    argument: Any
    begun: int = 0

    def lost(self, how: str) -> None:
        """Note that a worker died over this task; the second time is the end."""
        self.begun += 1
        if self.begun >= TRIES:
            raise UserError(
                f"worker processes died {TRIES} times over the same work ({how}; out of memory?); "
                "run the same command again with fewer --workers"
            )


class _Runner(Protocol):
    """Where tasks run."""

    def submit(self, task: _Task) -> None:
        """Hand a task to a worker."""

    def collect(self) -> Iterable[tuple[_Task, Any]]:
        """Wait until something happened; the finished tasks with their results. A task's own error is raised."""

    def close(self) -> None:
        """End all workers."""


def _in_order(runner: _Runner, call: Callable[[Any, T], Any], tasks: Iterator[T], ahead: int) -> Iterator[Any]:
    order: deque[_Task] = deque()
    done: dict[_Task, Any] = {}
    while True:
        while len(order) < ahead and (argument := next(tasks, _END)) is not _END:
            order.append(_Task(call, argument))
            runner.submit(order[-1])
        if not order:
            return
        while order[0] not in done:
            done.update(runner.collect())
        yield done.pop(order.popleft())


@dataclass(eq=False)
class _Process:
    """A worker process, our end of its pipe, and its tasks, the oldest first."""

    process: BaseProcess
    pipe: Connection
    tasks: deque[_Task] = field(default_factory=deque)

    def send(self, task: _Task) -> None:
        """Queue a task; a dead worker's pipe is noticed when results are collected."""
        self.tasks.append(task)
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send((task.call, task.argument))

    def end(self) -> None:
        """Stop the process, by force if it does not listen."""
        self.pipe.close()
        self.process.terminate()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class _Local:
    def __init__(self, make: Callable[[], Any], count: int) -> None:
        self._make, self._count = make, count
        self._workers: list[_Process] = []

    def submit(self, task: _Task) -> None:
        idle = min(self._workers, key=lambda worker: len(worker.tasks), default=None)
        if idle is None or (idle.tasks and len(self._workers) < self._count):
            idle = self._start()
        idle.send(task)

    def collect(self) -> list[tuple[_Task, Any]]:
        done = []
        for pipe in wait([worker.pipe for worker in self._workers]):
            worker = next(each for each in self._workers if each.pipe is pipe)
            try:
                failed, value = worker.pipe.recv()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if failed:
                raise value
            done.append((worker.tasks.popleft(), value))
        return done

    def close(self) -> None:
        while self._workers:
            self._workers.pop().end()

    def _replace(self, dead: _Process) -> None:
        """Let a new worker do what a dead one left; the task it worked on must not be the end of a second one."""
        self._workers.remove(dead)
        dead.end()
        if dead.tasks:
            dead.tasks[0].lost(f"exit code {dead.process.exitcode}")
            worker = self._start()
            for task in dead.tasks:
                worker.send(task)

    def _start(self) -> _Process:
        context = get_context("spawn")  # forking a process with BLAS threads may hang
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._make), daemon=True)
        with one_thread_each(), _interrupts_ignored():
            process.start()
        theirs.close()
        self._workers.append(_Process(process, ours))
        return self._workers[-1]


@contextmanager
def one_thread_each() -> Iterator[None]:
    """The environment of a process that is being started."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """While a worker is started: it inherits this, so a Ctrl-C before its first line of ours does not kill it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(pipe: Connection, make: Callable[[], Any]) -> None:
    """The life of a worker: make the object, then answer tasks until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: queue.SimpleQueue[tuple[Callable[[Any, Any], Any], Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, tasks), daemon=True).start()
    try:
        held = make()
        while True:
            call, argument = tasks.get()
            pipe.send((False, call(held, argument)))
    except Exception as error:
        with suppress(OSError):
            pipe.send((True, _portable(error)))
        tasks.get()  # the parent ends this process


def _receive(pipe: Connection, tasks: queue.SimpleQueue[Any]) -> None:
    """Take tasks as they come, so that no sender waits; a closed pipe means that the parent is gone."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """The error itself where it surely travels between processes, else its words and place."""
    if isinstance(error, UserError) or type(error).__module__ == "builtins":
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def connect_ray(workers: int, purpose: str = "--engine ray") -> Any:
    """Ray, connected to the cluster at RAY_ADDRESS, the one this process already uses, or a local one."""
    try:
        import ray
    except ImportError:
        raise require("ray", "cluster", purpose) from None
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS")
        here = {} if address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, logging_level="error", **here)
    return ray


def user_error(error: BaseException | None) -> UserError | None:
    """The user's error that a chain of Ray's errors began with."""
    while error is not None:
        if isinstance(error, UserError):
            return UserError(str(error.args[0]) if error.args else str(error))
        error = getattr(error, "cause", None) or error.__cause__
    return None


class _Held:
    """What an actor holds; an object that cannot be made is told by the first task."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.failure: Exception | None = None
        try:
            self.held = make()
        except Exception as error:
            self.failure = error

    def run(self, call: Callable[[Any, Any], Any], argument: Any) -> Any:
        if self.failure is not None:
            raise self.failure
        return call(self.held, argument)


class _Ray:
    def __init__(self, make: Callable[[], Any], count: int) -> None:
        self._ray = connect_ray(count)
        self._make = make
        processors = int(self._ray.cluster_resources().get("CPU", count))
        self._actors = [self._start() for _ in range(max(1, min(count, processors)))]  # one too many would never start
        self._waiting: dict[Any, tuple[_Task, int]] = {}  # reference: the task and its actor's place

    def _start(self) -> Any:
        return self._ray.remote(num_cpus=1)(_Held).remote(self._make)

    def submit(self, task: _Task) -> None:
        loads = [sum(place == each for _, place in self._waiting.values()) for each in range(len(self._actors))]
        self._send(task, loads.index(min(loads)))

    def _send(self, task: _Task, place: int) -> None:
        reference = self._actors[place].run.remote(task.call, task.argument)
        self._waiting[reference] = (task, place)

    def collect(self) -> list[tuple[_Task, Any]]:
        ready, _ = self._ray.wait(list(self._waiting), num_returns=1)
        task, place = self._waiting[ready[0]]
        try:
            result = self._ray.get(ready[0])
        except self._ray.exceptions.RayActorError:
            self._replace(place)
            return []
        except self._ray.exceptions.RayError as error:
            raise user_error(error) or error from None
        del self._waiting[ready[0]]
        return [(task, result)]

    def _replace(self, place: int) -> None:
        """A new actor for a dead one, which does all that it left; the oldest task was at work."""
        left = [(each, task) for each, (task, where) in self._waiting.items() if where == place]
        left[0][1].lost("the actor died")
        self._actors[place] = self._start()
        for reference, task in left:
            del self._waiting[reference]
            self._send(task, place)

    def close(self) -> None:
        for actor in self._actors:
            with suppress(Exception):
                self._ray.kill(actor)
