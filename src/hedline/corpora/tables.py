"""Pairs in tables: JSONL, CSV, TSV and Parquet, with selectable field names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from hedline.corpora.lines import decode_line, read_lines
from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.reader import Record
from hedline.errors import require

PARQUET_ROWS = 4096
OPTIONAL_FIELDS = ("id", "source", "date")


@dataclass(frozen=True)
class Fields:
    """Which columns hold the lead and the headline."""

    lead: str = "lead"
    headline: str = "headline"


def make_pair(file: str, line: int, row: dict[str, Any], fields: Fields) -> Pair | BadLine:
    """A pair from a row of named values; a missing or non-text field is a `BadLine`, an empty one a harmless one."""
    lead, headline = row.get(fields.lead), row.get(fields.headline)
    if not (isinstance(lead, str) and isinstance(headline, str) and lead.strip() and headline.strip()):
        return _bad_field(file, line, row, fields)
    identity, source, date = row.get("id"), row.get("source"), row.get("date")
    return Pair(_writable(lead), _writable(headline), _optional(identity), _optional(source), _optional(date))


def _bad_field(file: str, line: int, row: dict[str, Any], fields: Fields) -> BadLine:
    """What is wrong with the lead, or else with the headline."""
    for name in (fields.lead, fields.headline):
        value = row.get(name)
        if not isinstance(value, str):
            why = "is missing" if value is None else f"is not text but {type(value).__name__}"
            hint = "--lead-field and --headline-field name others"
            return BadLine(file, line, f"field {name!r} {why} (fields here: {_listing(row)}; {hint})")
        if not value.strip():
            return BadLine(file, line, f"field {name!r} is empty", harmless=True)
    raise AssertionError("called on a row whose fields are fine")


def _optional(value: Any) -> str:
    return "" if value is None else _writable(str(value))


def _writable(text: str) -> str:
    """The text with lone surrogates (JSON can escape them) replaced, so that it can be written as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _listing(row: dict[str, Any]) -> str:
    return ", ".join(str(name) for name in list(row)[:8]) or "none"


@dataclass(frozen=True)
class JsonLines:
    """One JSON object a line."""

    path: Path
    fields: Fields = field(default_factory=Fields)

    def records(self) -> Iterator[Record | BadLine]:
        """Lines as bytes, not parsed yet."""
        for item in read_lines(self.path):
            yield item if isinstance(item, BadLine) else Record(*item)

    def parse(self, record: Record) -> Pair | BadLine:
        """Decode and check one line."""
        row = parse_object(str(self.path), record)
        return row if isinstance(row, BadLine) else make_pair(str(self.path), record.line, row, self.fields)


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


@dataclass(frozen=True)
class Delimited:
    """CSV or TSV with a header row; quoted fields may hold line breaks."""

    path: Path
    delimiter: str = ","
    fields: Fields = field(default_factory=Fields)

    def records(self) -> Iterator[Record | BadLine]:
        """Rows as dictionaries; a row of another width than the header's is a `BadLine`."""
        bad: list[BadLine] = []
        place = [0]
        # TSV as written by most tools has no quoting at all; a lone quote there is an ordinary character.
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.delimiter == "," else csv.QUOTE_NONE
        rows = csv.reader(self._text_lines(bad, place), delimiter=self.delimiter, quoting=quoting)
        header: list[str] | None = None
        while True:
            start = place[0] + 1
            try:
                row = next(rows, None)
            except csv.Error as error:
                bad.append(BadLine(str(self.path), start, f"not valid CSV ({error})"))
                row = []
            yield from bad
            bad.clear()
            if row is None:
                return
            if not row:
                continue
            if header is None:
                header = row
            else:
                yield self._record(start, header, row)

    def parse(self, record: Record) -> Pair | BadLine:
        """Check one row."""
        return make_pair(str(self.path), record.line, record.raw, self.fields)

    def _record(self, line: int, header: Sequence[str], row: Sequence[str]) -> Record | BadLine:
        if len(row) != len(header):
            return BadLine(str(self.path), line, f"{len(row)} fields where the header has {len(header)}")
        return Record(line, dict(zip(header, row, strict=True)))

    def _text_lines(self, bad: list[BadLine], place: list[int]) -> Iterator[str]:
        """Decoded lines for the csv module; what cannot be decoded goes to `bad`, `place` holds the line number."""
        for item in read_lines(self.path):
            line = item if isinstance(item, BadLine) else decode_line(str(self.path), *item)
            place[0] = item.line if isinstance(item, BadLine) else item[0]
            if isinstance(line, BadLine):
                bad.append(line)
            else:
                yield line.replace("\0", "") + "\n"


@dataclass(frozen=True)
class Parquet:
    """A Parquet file, read a few thousand rows at a time; `line` is the row number."""

    path: Path
    fields: Fields = field(default_factory=Fields)

    def records(self) -> Iterator[Record | BadLine]:
        """Rows as dictionaries of the columns that matter."""
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ImportError:
            raise require("pyarrow", "tables", f"reading {self.path}") from None
        row_number = 0
        try:
            table = ParquetFile(self.path)
            wanted = [n for n in (self.fields.lead, self.fields.headline, *OPTIONAL_FIELDS) if n in table.schema.names]
            for batch in table.iter_batches(batch_size=PARQUET_ROWS, columns=wanted):
                for row in batch.to_pylist():
                    row_number += 1
                    yield Record(row_number, row)
        except (ArrowException, OSError) as error:
            yield BadLine(str(self.path), row_number + 1, f"not a readable Parquet file ({error})")

    def parse(self, record: Record) -> Pair | BadLine:
        """Check one row."""
        return make_pair(str(self.path), record.line, record.raw, self.fields)
