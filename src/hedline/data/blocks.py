"""Sources cut into blocks of records: the unit of work, the same whatever the number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hedline.corpora.pairs import BadLine
from hedline.corpora.reader import Reader, Record

BLOCK_BYTES = 8 << 20

TRAIN, VALID, TEST = "train", "valid", "test"
ROLES = (TRAIN, VALID, TEST)


@dataclass(frozen=True)
class Source:
    """A file and what it was named as."""

    role: str
    reader: Reader


@dataclass(frozen=True)
class Block:
    """Consecutive records of one source; `file` and `index` number it in the order of the corpus."""

    file: int
    index: int
    role: str
    reader: Reader
    records: list[Record | BadLine]

    @property
    def name(self) -> str:
        """File name of the chunk made from this block."""
        return f"chunk-{self.file:05d}-{self.index:06d}.npz"


def source_blocks(file: int, source: Source, size: int) -> Iterator[Block]:
    """Blocks of at most `size` records and about eight megabytes; at least one, even of an empty file."""
    records: list[Record | BadLine] = []
    index = weight = 0
    for record in source.reader.records():
        records.append(record)
        weight += _weight(record)
        if len(records) >= size or weight >= BLOCK_BYTES:
            yield Block(file, index, source.role, source.reader, records)
            records, index, weight = [], index + 1, 0
    if records or index == 0:
        yield Block(file, index, source.role, source.reader, records)


def all_blocks(sources: Sequence[Source], size: int) -> Iterator[Block]:
    """Blocks of all sources in order."""
    for file, source in enumerate(sources):
        yield from source_blocks(file, source, size)


def _weight(record: Record | BadLine) -> int:
    """Bytes of a record, roughly."""
    if isinstance(record, BadLine):
        return len(record.why)
    raw = record.raw
    if isinstance(raw, bytes | str):
        return len(raw)
    values = raw.values() if isinstance(raw, dict) else raw
    return sum(len(value) for value in values if isinstance(value, bytes | str))
