"""Where the work of `prepare` runs: blocks become chunk files, and the results come back in order.

On this machine one process reads and the others tokenise. On a cluster Ray Data runs one task for each source file; the
output is byte for byte that of the local engine. Every node must see the sources and the output's folder under the same
path (a shared file system).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hedline.data.chunks import Summary, load_summary, make_chunk, save_chunk
from hedline.data.settings import Block, PrepareSettings, Source, all_blocks, source_blocks
from hedline.errors import UserError
from hedline.pool import Crew, connect_ray, user_error

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
    """The function on worker processes; it is sent to each of them once."""
    with Crew(partial(_keep, function), workers) as crew:
        yield from crew.map(_call, items)


def _keep(function: Callable[[In], Out]) -> Callable[[In], Out]:
    """What a worker process holds."""
    return function


def _call(function: Callable[[In], Out], item: In) -> Out:
    return function(item)


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
        return RayEngine(workers)
    raise UserError(f"unknown engine {name!r}; choose local or ray")


Row = dict[str, Any]


@dataclass(frozen=True)
class RayEngine:
    """Ray Data on the cluster this process is connected to, or on a local Ray of `workers` cores."""

    workers: int

    def chunks(self, sources: Sequence[Source], task: Task) -> Iterator[Made]:
        """Chunk files of all blocks, in the order of the corpus (their names tell it)."""
        rows = [{"file": file} for file in range(len(sources))]
        work = partial(_make_file, sources=list(sources), task=_absolute(task), here=str(Path.cwd()))
        made = self._run(rows, lambda data: data.flat_map(work))
        for row in sorted(made, key=lambda row: str(row["name"])):
            yield task.folder / row["name"], json.loads(row["summary"])

    def map(self, function: Callable[[In], Any], items: Iterator[In]) -> Iterator[Any]:
        """Results (JSON values) in the order of the items."""
        held = list(items)
        rows = [{"index": index} for index in range(len(held))]
        work = partial(_apply, function=function, items=held, here=str(Path.cwd()))
        done = self._run(rows, lambda data: data.map(work))
        for row in sorted(done, key=lambda row: int(row["index"])):
            yield json.loads(row["result"])

    def _run(self, rows: list[Row], plan: Callable[[Any], Any]) -> list[Row]:
        """Run a plan over rows; a user's error inside a task comes out as itself."""
        ray = _connect(self.workers)
        data = ray.data.from_items(rows, override_num_blocks=len(rows))
        try:
            taken: list[Row] = plan(data).take_all()
            return taken
        except ray.exceptions.RayError as error:
            cause = user_error(error)
            if cause is None:
                raise
            raise cause from None


def _make_file(row: Row, sources: list[Source], task: Task, here: str) -> Iterator[Row]:
    os.chdir(here)  # sources may be named relative to where the command was given
    file = int(row["file"])
    for block in source_blocks(file, sources[file], task.settings.block_records):
        path, summary = make_one(block, task)
        yield {"name": path.name, "summary": json.dumps(summary)}


def _apply(row: Row, function: Callable[[Any], Any], items: list[Any], here: str) -> Row:
    os.chdir(here)
    return {"index": row["index"], "result": json.dumps(function(items[int(row["index"])]))}


def _absolute(task: Task) -> Task:
    """Workers run in another folder than this process."""
    return Task(Path(task.folder).absolute(), task.key, task.settings)


def _connect(workers: int) -> Any:
    """Ray with its data library, without progress bars of its own."""
    ray = connect_ray(workers)
    from ray import data

    data.DataContext.get_current().enable_progress_bars = False
    return ray
