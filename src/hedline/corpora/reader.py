"""The protocol of all readers: cheap records first, pairs from records after.

Splitting a file into records is quick and must be done in order by one process; making a pair of a record is slow and
can be done anywhere. So a reader has two steps, is a small picklable value, and `prepare` runs the second step in
its workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hedline.corpora.pairs import BadLine, Pair


class Record(NamedTuple):
    """A raw piece of a file that holds one pair, and the 1-based line it starts at."""

    line: int
    raw: Any


class Reader(Protocol):
    """A corpus file in some format."""

    @property
    def path(self) -> Path:
        """The file being read."""

    def records(self) -> Iterator[Record | BadLine]:
        """Stream the file's records in order, in bounded memory."""

    def parse(self, record: Record) -> Pair | BadLine:
        """The pair a record holds."""


def pairs_of(reader: Reader) -> Iterator[Pair | BadLine]:
    """Both steps one after the other."""
    for record in reader.records():
        yield record if isinstance(record, BadLine) else reader.parse(record)
