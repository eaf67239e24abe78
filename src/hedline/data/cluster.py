"""The same work on a cluster with Ray Data: one task a source file; byte for byte the local engine's output.

Every node must see the sources and the output's folder under the same path (a shared file system).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hedline.data.blocks import Source, source_blocks
from hedline.data.engine import Made, Task, make_one
from hedline.errors import UserError, require

In = TypeVar("In")
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
            cause = _user_error(error)
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
    try:
        import ray
        import ray.data
    except ImportError:
        raise require("ray", "cluster", "--engine ray") from None
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS")
        here = {} if address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, logging_level="error", **here)
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray


def _user_error(error: BaseException | None) -> UserError | None:
    """The user's error a chain of Ray's errors began with."""
    while error is not None:
        if isinstance(error, UserError):
            return UserError(str(error.args[0]) if error.args else str(error))
        error = getattr(error, "cause", None) or error.__cause__
    return None
