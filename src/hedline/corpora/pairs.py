"""Files of pairs: which files are meant, their lines, and what every reader yields.

A reader yields a pair of lead and headline, or a bad line that says where and why. Lines are read from a file of any
size through any compression, in bounded memory. Splitting a file into records is quick and must be done in order by
one process; making a pair of a record is slow and can be done anywhere. So a reader has two steps, is a small picklable
value, and `prepare` runs the second step in its workers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hedline.errors import UserError
from hedline.files import open_binary

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 20
COMPRESSIONS = (".gz", ".xz", ".zst")

Line = tuple[int, bytes]


class Pair(NamedTuple):
    """A lead sentence and its headline, both raw text; `date` is `YYYY-MM-DD` or empty."""

    lead: str
    headline: str
    id: str = ""
    source: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A place in a file that gave no pair.

    line: 1-based, 0 when the whole file is meant; harmless: blank, so it never stops the work, only counts.
    """

    file: str
    line: int
    why: str
    harmless: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.why}" if self.line else f"{self.file}: {self.why}"


def expand(sources: Sequence[Path]) -> list[Path]:
    """Files named directly or lying in a named folder (at any depth, in order of path); missing ones stop."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            inside = sorted(p for p in source.rglob("*") if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise UserError(f"the folder {source} holds no files")
            files.extend(inside)
        elif source.exists():
            files.append(source)
        else:
            raise UserError(f"{source} does not exist; check the name")
    if not files:
        raise UserError("no source file was named")
    return files


def bare_suffix(path: Path) -> str:
    """The suffix that tells the format, below the compression's: `.jsonl` for `a.jsonl.xz`."""
    return Path(path.stem).suffix.lower() if path.suffix in COMPRESSIONS else path.suffix.lower()


def read_blocks(path: Path) -> Iterator[bytes | BadLine]:
    """Decompressed blocks of a file; ends with a `BadLine` when the file cannot be read to its end."""
    try:
        with open_binary(path) as stream:
            # read1 gives what there is; read would throw away what it had gathered when an archive breaks off.
            read: Callable[[int], bytes] = stream.read1  # type: ignore[attr-defined]
            while block := read(BLOCK_BYTES):
                yield block
    except UserError as error:
        yield BadLine(str(path), 0, str(error))
    except EOFError:
        yield BadLine(str(path), 0, "the archive is truncated")
    except (OSError, zlib.error) as error:
        yield BadLine(str(path), 0, f"the file cannot be read to its end ({error})")
    except Exception as error:
        # lzma.LZMAError and zstandard.ZstdError derive from Exception alone, and neither module is imported here.
        if type(error).__name__ not in {"LZMAError", "ZstdError"}:
            raise
        yield BadLine(str(path), 0, f"the archive is damaged ({error})")


def read_lines(path: Path, limit: int = MAX_LINE_BYTES) -> Iterator[Line | BadLine]:
    """Numbered lines (from 1) without their line ends; a line longer than `limit` bytes is a `BadLine`.

    A damaged archive yields the whole lines before the damage, then a `BadLine` at the place it broke off.
    """
    number, rest, skipping = 0, b"", False
    for block in read_blocks(path):
        if isinstance(block, BadLine):
            yield BadLine(block.file, number + 1, block.why)
            return
        *lines, rest_of_block = block.split(b"\n")
        for tail in lines:
            number += 1
            line, rest = (rest + tail if rest else tail), b""
            if skipping or len(line) > limit:
                skipping = False
                yield _too_long(path, number, limit)
            else:
                yield number, line
        rest += rest_of_block
        if len(rest) > limit:
            rest, skipping = b"", True
    if skipping:
        yield _too_long(path, number + 1, limit)
    elif rest:
        yield number + 1, rest


def decode_line(path: str, number: int, raw: bytes) -> str | BadLine:
    """UTF-8 text of a line without its carriage return; a byte-order mark on line 1 is dropped."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return BadLine(path, number, f"invalid UTF-8 at byte {error.start + 1} of the line")
    if number == 1:
        text = text.removeprefix("\ufeff")
    return text.removesuffix("\r")


def _too_long(path: Path, number: int, limit: int) -> BadLine:
    return BadLine(str(path), number, f"the line is longer than {limit:,} bytes")


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


def parse_object(file: str, record: Record) -> dict[str, Any] | BadLine:
    """The JSON object on a line."""
    text = decode_line(file, record.line, record.raw)
    if isinstance(text, BadLine):
        return text
    if not text.strip():
        return BadLine(file, record.line, "the line is empty", harmless=True)
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        return BadLine(file, record.line, f"not valid JSON ({error})")
    if not isinstance(row, dict):
        return BadLine(file, record.line, f"not a JSON object but {type(row).__name__}")
    return row
