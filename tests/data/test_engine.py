"""Work in several processes comes back in order, and an interrupted run's chunks are found again."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from made_corpus import made_rows, write_rows

from hedline.corpora.tables import open_readers
from hedline.data.engine import LocalEngine, Task, make_one, open_engine, ordered_map
from hedline.data.settings import PrepareSettings, Source, all_blocks
from hedline.errors import UserError


def shifted(number: int, by: int) -> tuple[int, int]:
    """A number and the process that computed it."""
    return number + by, os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 25])
def test_results_come_in_the_order_of_the_items(workers: int, count: int) -> None:
    found = list(ordered_map(partial(shifted, by=10), iter(range(count)), workers))
    assert [value for value, _ in found] == list(range(10, 10 + count))
    here = all(process == os.getpid() for _, process in found)
    assert here == (workers == 1 or count < 2)


def test_engines_by_name() -> None:
    assert open_engine("local", 2) == LocalEngine(2)
    for name, workers, message in (("cloud", 1, "choose local or ray"), ("local", 0, "must be 1 or more")):
        with pytest.raises(UserError, match=message):
            open_engine(name, workers)


def test_a_chunk_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    readers = open_readers([write_rows(tmp_path / "a.jsonl", made_rows(30))])
    block = next(all_blocks([Source("train", readers[0])], 100))
    task = Task(tmp_path, "key", PrepareSettings())
    path, summary = make_one(block, task)
    before = path.stat().st_mtime_ns
    assert make_one(block, task) == (path, summary) and path.stat().st_mtime_ns == before
    other = Task(tmp_path, "another key", PrepareSettings())
    make_one(block, other)
    assert path.stat().st_mtime_ns != before  # made for other settings, so it is made again
