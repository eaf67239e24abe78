"""Readers of pairs: JSONL, CSV, TSV and Parquet with selectable field names, and two parallel text files.

`open_readers` finds the reader of each file by the format's name or by the file's suffix.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from hedline.corpora.pairs import (
    BadLine,
    Pair,
    Reader,
    Record,
    bare_suffix,
    decode_line,
    expand,
    pairs_of,
    parse_object,
    read_lines,
)
from hedline.errors import UserError, require

PARQUET_ROWS = 4096
OPTIONAL_FIELDS = ("id", "source", "date")
SEMICOLONS = "its cells seem to be separated by semicolons; separate them by commas"


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
            hint = SEMICOLONS if by_semicolons(list(row)) else "--lead-field and --headline-field name others"
            return BadLine(file, line, f"field {name!r} {why} (fields here: {_listing(row)}; {hint})")
        if not value.strip():
            return BadLine(file, line, f"field {name!r} is empty", harmless=True)
    raise AssertionError("called on a row whose fields are fine")


def by_semicolons(columns: Sequence[str]) -> bool:
    """Whether the one column that a header seems to have is several, as spreadsheets of some countries write them."""
    return len(columns) == 1 and ";" in str(columns[0])


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
        rows = self._rows(bad, place)
        header: list[str] | None = None
        while True:
            start = place[0] + 1
            try:
                row = next(rows, None)
            except csv.Error as error:
                fault = SEMICOLONS if by_semicolons(header or ()) else _faults(error)
                bad.append(BadLine(str(self.path), start, f"not valid CSV ({fault})"))
                row = []
            yield from bad
            bad.clear()
            if row is None:
                return
            if not any(map(str.strip, row)) and len(row) <= 1:  # a blank line, perhaps of spaces
                continue
            if header is None:
                header = row
            else:
                yield self._record(start, header, row)

    def header(self) -> list[str]:
        """The names of the columns; none where there is no header that can be read."""
        try:
            return next((row for row in self._rows([], [0]) if any(map(str.strip, row))), [])
        except csv.Error:
            return []

    def _rows(self, bad: list[BadLine], place: list[int]) -> Iterator[list[str]]:
        # TSV as written by most tools has no quoting at all; a lone quote there is an ordinary character.
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.delimiter == "," else csv.QUOTE_NONE
        # strict: a quotation mark that is not closed would otherwise make the rest of the file one cell
        return csv.reader(self._text_lines(bad, place), delimiter=self.delimiter, quoting=quoting, strict=True)

    def parse(self, record: Record) -> Pair | BadLine:
        """Check one row."""
        return make_pair(str(self.path), record.line, record.raw, self.fields)

    def _record(self, line: int, header: Sequence[str], row: Sequence[str]) -> Record | BadLine:
        if len(row) != len(header):
            hint = f" ({SEMICOLONS})" if by_semicolons(header) else ""
            return BadLine(str(self.path), line, f"{len(row)} fields where the header has {len(header)}{hint}")
        return Record(line, dict(zip(header, row, strict=True)))

    def _text_lines(self, bad: list[BadLine], place: list[int]) -> Iterator[str]:
        """Decoded lines for the csv module; what cannot be decoded goes to `bad`, `place` holds the line number."""
        for item in read_lines(self.path):
            line = item if isinstance(item, BadLine) else decode_line(str(self.path), *item)
            place[0] = item.line if isinstance(item, BadLine) else item[0]
            if isinstance(line, BadLine):
                bad.append(line)
            else:
                ends = isinstance(item, tuple) and item[1].endswith(b"\r")  # kept, since a cell may hold a line break
                yield line.replace("\0", "") + ("\r\n" if ends else "\n")


def _faults(error: csv.Error) -> str:
    """The csv module's message in plain words."""
    said = str(error)
    known = {
        "unexpected end of data": "a quotation mark is not closed",
        "expected after": "a letter after the quotation mark that ends a cell",
        "new-line character": "a carriage return outside quotation marks; are these old Mac line ends?",
        "field larger": "a cell longer than 131,072 characters; perhaps a quotation mark is not closed",
    }
    return next((plain for part, plain in known.items() if part in said), said)


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


@dataclass(frozen=True)
class Parallel:
    """Leads in `path`, headlines in `headlines`."""

    path: Path
    headlines: Path

    def records(self) -> Iterator[Record | BadLine]:
        """Pairs of raw lines; when one file is shorter the work ends there with a `BadLine`."""
        for lead, headline in zip_longest(read_lines(self.path), read_lines(self.headlines)):
            if lead is None or headline is None:
                yield self._uneven(lead, headline)
                return
            broken = [item for item in (lead, headline) if isinstance(item, BadLine)]
            if broken:
                yield from broken
            elif not isinstance(lead, BadLine) and not isinstance(headline, BadLine):
                yield Record(lead[0], (lead[1], headline[1]))

    def parse(self, record: Record) -> Pair | BadLine:
        """Decode both lines."""
        texts = []
        for path, raw in zip((self.path, self.headlines), record.raw, strict=True):
            text = decode_line(str(path), record.line, raw)
            if isinstance(text, BadLine):
                return text
            if not text.strip():
                return BadLine(str(path), record.line, "the line is empty", harmless=True)
            texts.append(text)
        return Pair(texts[0], texts[1])

    def _uneven(self, lead: object, headline: object) -> BadLine:
        longer, shorter = (self.headlines, self.path) if lead is None else (self.path, self.headlines)
        present = headline if lead is None else lead
        line = present.line if isinstance(present, BadLine) else present[0]  # type: ignore[index]
        return BadLine(str(longer), line, f"has more lines than {shorter}, which ends before this line")


FORMATS = ("auto", "pairs", "agiga", "gigaword", "duc", "parallel")
_TABLES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv"}


def open_readers(sources: Sequence[Path], format: str = "auto", fields: Fields | None = None) -> list[Reader]:
    """One reader a file; a folder stands for its files in order of name."""
    if format not in FORMATS:
        raise UserError(f"unknown format {format!r}; the formats are {', '.join(FORMATS)}")
    fields = fields or Fields()
    files = expand(sources)
    if format == "parallel" or (format == "auto" and _looks_parallel(files)):
        return _parallel(files)
    if format == "duc":
        raise UserError("DUC files are an evaluation set: use `hedline duc --year … --docs … --models … --out …`")
    return [_open_one(path, format, fields) for path in files]


def read_pairs(path: Path, fields: Fields | None = None) -> Iterator[Pair | BadLine]:
    """Stream one pairs file."""
    return pairs_of(_open_one(expand([path])[0], "pairs", fields or Fields()))


def _open_one(path: Path, format: str, fields: Fields) -> Reader:
    suffix = bare_suffix(path)
    if format == "agiga" or (format == "auto" and suffix == ".xml"):
        from hedline.corpora.gigaword import AnnotatedGigaword

        return AnnotatedGigaword(path)
    if format == "gigaword" or (format == "auto" and suffix in {".sgml", ".sgm"}):
        from hedline.corpora.gigaword import Gigaword

        return Gigaword(path)
    if suffix == ".parquet":
        return Parquet(path, fields)
    kind = _TABLES.get(suffix)
    if kind == "jsonl":
        return JsonLines(path, fields)
    if kind is not None:
        return Delimited(path, "," if kind == "csv" else "\t", fields)
    raise UserError(
        f"cannot tell the format of {path} by its name; expected .jsonl, .csv, .tsv or .parquet (also .gz, .xz, .zst)"
        + ("" if format == "pairs" else ", or name the format with --format")
    )


def _looks_parallel(files: Sequence[Path]) -> bool:
    return len(files) == 2 and all(bare_suffix(path) in {".txt", ".src", ".tgt"} for path in files)


def _parallel(files: Sequence[Path]) -> list[Reader]:

    if len(files) % 2:
        raise UserError(f"parallel text needs files in twos (leads, headlines); {len(files)} were named")
    return [Parallel(files[i], files[i + 1]) for i in range(0, len(files), 2)]
