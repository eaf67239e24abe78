"""The settings that decide the bytes of a data folder, their fingerprint, and the blocks that sources are cut into.

A block of records is the unit of work; blocks are the same whatever the number of workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import hedline
from hedline.corpora.filters import KEEP, MODES, FilterSettings
from hedline.corpora.pairs import BadLine, Reader, Record
from hedline.corpora.tables import Fields
from hedline.errors import UserError
from hedline.files import digest

FORMAT = 1
UNITS = ("words", "subwords")
DUPLICATES = ("keep", "exact", "near")
BLOCK_RECORDS = 8192


@dataclass(frozen=True)
class SplitSettings:
    """How pairs of the training sources are divided; files named as valid or test stand beside this.

    by: `none`, `hash` or `date`; shares None means by the size of the data; `…_from` are first days, `YYYY-MM-DD`.
    """

    by: str = "none"
    valid_share: float | None = None
    test_share: float | None = None
    valid_from: str = ""
    test_from: str = ""


@dataclass(frozen=True)
class PrepareSettings:
    """The options of `prepare` that decide its output; the number of workers is not among them.

    base: the digest of the vocabularies to use, empty to make new ones.
    """

    units: str = "words"
    fields: Fields = field(default_factory=Fields)
    filters: FilterSettings = field(default_factory=FilterSettings)
    cleaners: tuple[str, ...] = ()
    title_punctuation: str = KEEP
    filter_valid: bool = False
    duplicates: str = "exact"
    leakage: str = "remove"
    splits: SplitSettings = field(default_factory=SplitSettings)
    min_count: int | None = None
    input_words: int | None = None
    output_words: int | None = None
    vocabulary_size: int = 24_000
    block_records: int = BLOCK_RECORDS
    base: str = ""

    def __post_init__(self) -> None:
        _check("units", self.units, UNITS)
        _check("duplicates", self.duplicates, DUPLICATES)
        _check("leakage", self.leakage, ("remove", "report"))
        _check("title punctuation", self.title_punctuation, MODES)

    def as_json(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        if not self.base:  # data made before there were bases keeps its fingerprint
            del plain["base"]
        return plain


def _check(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise UserError(f"{what} cannot be {value!r}; choose from {', '.join(allowed)}")


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, read in blocks; of nothing when it cannot be read (the reader will say so)."""
    try:
        with path.open("rb") as stream:
            return digest([stream])
    except OSError:
        return "unreadable"


def fingerprint(settings: PrepareSettings, digests: Sequence[tuple[str, str, str]]) -> str:
    """A short hash of the settings and of each source's role, file name and content."""
    value = [FORMAT, hedline.__version__, settings.as_json(), [list(item) for item in digests]]
    return digest([json.dumps(value, sort_keys=True)])[:16]


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
