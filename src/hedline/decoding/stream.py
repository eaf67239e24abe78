"""Files and pipes of any size: read line by line, searched in chunks, written in order, in constant memory."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from hedline.decoding.summary import Summary
from hedline.errors import UserError, require

T = TypeVar("T")
R = TypeVar("R")
CHUNK = 256  # texts a worker gets at once


class Record(NamedTuple):
    """One text to summarise, with the id its result carries."""

    id: str
    lead: str


@dataclass(frozen=True)
class Reading:
    """How lines are read: `text`, `jsonl` or `auto` (JSON when the first line is an object), and its lead field."""

    kind: str = "auto"
    lead_field: str = "lead"
    where: str = "standard input"


def read_records(lines: Iterable[bytes], reading: Reading) -> Iterator[Record]:
    """Records of text or JSONL lines; ids are the records' own, else line numbers."""
    lines = iter(lines)
    first = next(lines, None)
    if first is None:
        return
    kind = reading.kind
    if kind == "auto":
        kind = "jsonl" if _is_object(first) else "text"
    for number, line in enumerate(chain([first], lines), 1):
        text = line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff" if number == 1 else "")
        yield _record(text, number, reading) if kind == "jsonl" else Record(str(number), text)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _record(text: str, number: int, reading: Reading) -> Record:
    place = f"{reading.where}, line {number}"
    if not text.strip():
        return Record(str(number), "")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise UserError(f"{place} is not JSON; repair it, or say --input-format text") from None
    if not isinstance(value, dict) or not isinstance(value.get(reading.lead_field), str):
        raise UserError(f"{place} has no text field {reading.lead_field!r}; name the right one with --lead-field")
    return Record(str(value.get("id", number)), value[reading.lead_field])


class Job(NamedTuple):
    """What a worker needs to summarise: the model's path, the options, texts searched at once.

    load: `hedline.api.load`, handed in since the search knows no models; by name, so that a process can import it.
    """

    model: str
    options: Any
    batch: int
    load: Callable[[str], Any]


def open_job(job: Job) -> Callable[[list[str]], list[Summary]]:
    """Load the job's model; the result summarises a chunk of texts."""
    summarizer = job.load(job.model)
    return lambda texts: summarizer.summarize(texts, job.options, batch=job.batch)


def summarize_records(
    records: Iterable[Record],
    job: Job,
    workers: int = 0,
    engine: str = "local",
    work: Callable[[list[str]], list[Summary]] | None = None,
) -> Iterator[tuple[Record, Summary]]:
    """Every record with its summary, in order.

    workers: processes, 0 for as many as there are cores; few texts never start any. engine: `local` or `ray`.
    work: an already loaded summariser for the first CHUNK texts and for a single worker, which are searched as they
    come, job.batch at a time.
    """
    records = iter(records)
    wanted = workers or os.cpu_count() or 1
    if engine == "ray":
        yield from _in_order(_chunks(records, CHUNK), _ray_submit(job, wanted), 2 * wanted)
        return
    work = work or open_job(job)
    alone = records if wanted == 1 else islice(records, CHUNK)
    for chunk in _chunks(alone, min(max(job.batch, 1), CHUNK)):  # by batches: the first headlines come soon
        yield from zip(chunk, work([record.lead for record in chunk]), strict=True)
    yield from _in_processes(_chunks(records, CHUNK), job, wanted)


def _in_processes(chunks: Iterator[list[Record]], job: Job, workers: int) -> Iterator[tuple[Record, Summary]]:
    """The chunks after the first, on processes that each load the model once; none are started for nothing."""
    first = next(chunks, None)
    if first is None:
        return
    from hedline.decoding.workers import worker_pool

    with worker_pool(job, workers) as submit:
        yield from _in_order(chain([first], chunks), submit, 2 * workers)


def _in_order(
    chunks: Iterator[list[Record]], submit: Callable[[list[str]], Callable[[], list[Summary]]], ahead: int
) -> Iterator[tuple[Record, Summary]]:
    """Results in the order of the chunks, with at most `ahead` chunks under way."""
    waiting: deque[tuple[list[Record], Callable[[], list[Summary]]]] = deque()
    for chunk in chunks:
        waiting.append((chunk, submit([record.lead for record in chunk])))
        if len(waiting) >= ahead:
            done, result = waiting.popleft()
            yield from zip(done, result(), strict=True)
    for done, result in waiting:
        yield from zip(done, result(), strict=True)


def _chunks(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    while chunk := list(islice(records, size)):
        yield chunk


def _ray_submit(job: Job, workers: int) -> Callable[[list[str]], Callable[[], list[Summary]]]:
    """Submit chunks to actors of a ray cluster (the running one, else a local one)."""
    try:
        import ray
    except ImportError:
        raise require("ray", "cluster", "--engine ray") from None
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)

    class Actor:
        def __init__(self, job: Job) -> None:
            self.work = open_job(job)

        def run(self, texts: list[str]) -> list[Summary]:
            return self.work(texts)

    actors = [ray.remote(num_cpus=1)(Actor).remote(job) for _ in range(workers)]
    turn = iter(range(1 << 62))

    def submit(texts: list[str]) -> Callable[[], list[Summary]]:
        reference = actors[next(turn) % len(actors)].run.remote(texts)
        return lambda: ray.get(reference)  # type: ignore[no-any-return]

    return submit
