"""Tables with any columns, read row by row and written with one column more: CSV, TSV, JSONL and Parquet.

A table that keeps its format does not change otherwise: JSON lines get one more field at their end, Parquet columns
keep their types, and CSV cells keep their text, the file its byte-order mark and line ends. A file is written whole or
not at all.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from hedline.corpora.pairs import COMPRESSIONS, BadLine, Record, bare_suffix, read_lines
from hedline.corpora.tables import PARQUET_ROWS, Delimited
from hedline.errors import UserError, require
from hedline.files import atomic_path, is_file

KINDS = {
    **{".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"},
    **{".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"},
}
OTHERS = (".xlsx", ".xls", ".ods", ".docx", ".odt", ".pdf", ".xml", ".html", ".feather", ".arrow", ".pickle", ".sqlite")
PIPE = Path("/dev/stdin")
MARK = "\ufeff"  # the byte-order mark by which Excel tells UTF-8


class Row(NamedTuple):
    """One row: its cells by column, and for JSONL and Parquet what it was read from."""

    cells: Mapping[str, Any]
    origin: Any = None  # a line of JSON; (record batch, place in it)


def kind_of(path: Path) -> str:
    """`csv`, `tsv`, `parquet` or `jsonl` by a file's name; empty for any other."""
    return KINDS.get(bare_suffix(path), "")


def check_name(path: Path, kind: str, flag: str) -> None:
    """Refuse a file whose name says another format than the flag does."""
    refuse_others(path)
    named = kind_of(path) or ("text" if bare_suffix(path) == ".txt" else "")
    if named and named != kind:
        raise UserError(f"{flag} {kind} does not fit {path}, whose name says {named}; change one of them")


def refuse_others(path: Path) -> None:
    """Refuse a file whose name says a format that is neither read nor written here."""
    if bare_suffix(path).lower() in OTHERS:
        raise UserError(
            f"{path} is named like a file of another kind; hedline reads and writes lines of text, CSV, TSV, JSONL and "
            "Parquet"
        )


class Style(NamedTuple):
    """How a CSV or TSV file is written beside its cells."""

    mark: str = ""
    line_end: str = "\n"


PLAIN = Style()


def style_of(path: Path) -> Style:
    """The byte-order mark and the line ends of a file, by its first line."""
    if kind_of(path) not in ("csv", "tsv") or not is_file(path):
        return PLAIN
    first = next(read_lines(path), None)
    if first is None or isinstance(first, BadLine):
        return PLAIN
    raw = first[1]
    return Style(MARK if raw.startswith(MARK.encode()) else "", "\r\n" if raw.endswith(b"\r") else "\n")


def read_rows(path: Path, kind: str, passed_over: Callable[[str], None] | None = None) -> Iterator[Row]:
    """The rows of a CSV, TSV or Parquet file; PIPE for standard input.

    passed_over: told about each place that cannot be read; without it the first one is an error.
    """

    def bad(what: str) -> None:
        if passed_over is None:
            remedy = "save it as UTF-8" if "invalid UTF-8" in what else "mend the file"
            raise UserError(f"{what}; {remedy}, or pass over such places with --on-error skip")
        passed_over(what)

    if kind == "parquet":
        yield from _read_parquet(path, bad)
        return
    for record in KeptDelimited(path, "," if kind == "csv" else "\t").records():
        if isinstance(record, BadLine):
            if record.harmless:
                continue
            bad(str(record).replace(str(PIPE), "standard input"))
            continue
        yield Row(record.raw)


@dataclass(frozen=True)
class KeptDelimited(Delimited):
    """CSV or TSV in which two columns of one name are refused, since one would be lost."""

    def _record(self, line: int, header: Sequence[str], row: Sequence[str]) -> Record | BadLine:
        refuse_twins(self.path, header)
        return super()._record(line, header, row)


def refuse_twins(path: Path, columns: Sequence[str]) -> None:
    """Stop where two columns have one name: only one of them could be kept."""
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise UserError(f"{path} has two columns {twice!r}; rename one of them")


def _read_parquet(path: Path, bad: Callable[[str], None]) -> Iterator[Row]:
    if not is_file(path):
        raise UserError("Parquet cannot be read from a pipe; name the file")
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise require("pyarrow", "tables", f"reading {path}") from None
    try:
        table = ParquetFile(path)
        refuse_twins(path, table.schema_arrow.names)
        for batch in table.iter_batches(batch_size=PARQUET_ROWS):
            for place, cells in enumerate(batch.to_pylist()):
                yield Row(cells, (batch, place))
    except (ArrowException, OSError) as error:
        bad(f"{path} is not a readable Parquet file, or not to its end ({str(error).splitlines()[0]})")


def columns_of(path: Path, kind: str) -> Any:
    """The columns of a table without rows (of Parquet its schema); none where they cannot be told."""
    if kind == "parquet":
        from pyarrow.parquet import ParquetFile

        return ParquetFile(path).schema_arrow
    if kind not in ("csv", "tsv") or not is_file(path):
        return []
    reader = KeptDelimited(path, "," if kind == "csv" else "\t")
    return reader.header()


class TableWriter:
    """Writes rows with one more column to a text file: CSV, TSV or JSONL."""

    def __init__(self, file: IO[str], kind: str, column: str, style: Style = PLAIN) -> None:
        self.file, self.kind, self.column, self.style = file, kind, column, style
        self._columns: list[str] | None = None

    def write(self, row: Row, value: str) -> None:
        """Write one row, with the value in the new column."""
        if self._columns is None:
            self._begin(list(row.cells))
        if self.kind == "jsonl":
            self.file.write(self._json(row, value) + "\n")
            return
        names = self._columns or []
        refuse_more(row.cells, names)
        self._line([*(row.cells.get(name) for name in names), value])

    def close(self, columns: Any = ()) -> None:
        """End the table; columns: names or an Arrow schema, for a table without rows."""
        if self._columns is None and len(columns):
            self._begin(list(getattr(columns, "names", columns)))

    def _begin(self, columns: list[str]) -> None:
        refuse_column(columns, self.column)
        self._columns = columns
        if self.kind != "jsonl":
            self.file.write(self.style.mark)
            self._line([*columns, self.column])

    def _line(self, values: Sequence[Any]) -> None:
        self.file.write(("," if self.kind == "csv" else "\t").join(map(self._cell, values)) + self.style.line_end)

    def _json(self, row: Row, value: str) -> str:
        added = f"{json.dumps(self.column, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}}}"
        if not isinstance(row.origin, str):
            return json.dumps({**row.cells, self.column: value}, ensure_ascii=False, default=str)
        if not row.origin:  # an empty line stays one
            return ""
        refuse_column(row.cells, self.column)
        before = row.origin.strip()[:-1].rstrip()
        return f"{before}{'' if before.endswith('{') else ', '}{added}"

    def _cell(self, value: Any) -> str:
        """Not by the csv module: before Python 3.13 it leaves a cell with a carriage return without quotes."""
        text = "" if value is None else value if isinstance(value, str) else _plain(value)
        if self.kind == "csv":
            return '"' + text.replace('"', '""') + '"' if any(letter in text for letter in '",\r\n') else text
        if any(letter in text for letter in "\t\n\r"):
            raise UserError("a cell holds a tab or a line break, which TSV cannot; write CSV, JSONL or Parquet")
        return text


def refuse_more(cells: Iterable[str], columns: Container[str]) -> None:
    """Stop before a field that the first rows had not would be lost."""
    if extra := next((name for name in cells if name not in columns), ""):
        raise UserError(f"a row has a field {extra!r} that the first row has not; write JSONL, which allows that")


def refuse_column(columns: Sequence[str] | Mapping[str, Any], column: str) -> None:
    """Stop before a column of the user's would be lost."""
    if column in columns:
        raise UserError(f"the table has a column {column!r} already; name the new one with --headline-field")


def _plain(value: Any) -> str:
    """A cell that is not text, as text: JSON where it is a list or an object."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)


class ParquetWriter:
    """Writes rows with one more column to a Parquet file; the batches of another one keep their types."""

    def __init__(self, path: Path, column: str) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise require("pyarrow", "tables", f"writing {path}") from None
        self.arrow, self.parquet, self.path, self.column = pyarrow, parquet, path, column
        self._rows: list[Row] = []
        self._values: list[str] = []
        self._writer: Any = None

    def write(self, row: Row, value: str) -> None:
        """Take one row; it is written when its batch is whole."""
        batch = _batch_of(row)
        if self._rows and _batch_of(self._rows[0]) is not batch:  # another file begins
            self._flush()
        if not self._rows:
            refuse_column(row.cells, self.column)
        self._rows.append(row)
        self._values.append(value)
        if len(self._rows) >= (PARQUET_ROWS if batch is None else batch.num_rows):
            self._flush()

    def close(self, columns: Any = ()) -> None:
        """Write what is left; columns: names or an Arrow schema, for a table without rows."""
        if self._rows:
            self._flush()
        if self._writer is None:
            known = isinstance(columns, self.arrow.Schema)
            schema = columns if known else self.arrow.schema([(name, self.arrow.string()) for name in columns])
            schema = schema.append(self.arrow.field(self.column, self.arrow.string()))
            self._writer = self.parquet.ParquetWriter(self.path, schema)
        self._writer.close()

    def _flush(self) -> None:
        batch = _batch_of(self._rows[0])
        table = self._typed() if batch is None else self.arrow.Table.from_batches([batch])
        table = table.append_column(self.column, self.arrow.array(self._values, self.arrow.string()))
        if self._writer is None:
            self._writer = self.parquet.ParquetWriter(self.path, table.schema)
        elif not table.schema.equals(self._writer.schema):
            raise UserError("the files have other columns or types than the first one; write JSONL, which allows that")
        self._writer.write_table(table)
        self._rows, self._values = [], []

    def _typed(self) -> Any:
        """Rows of a text format as a table: the types are those of the first rows."""
        if self._writer is None:
            names = list(dict.fromkeys(name for row in self._rows for name in row.cells))
            rows, schema = [{name: row.cells.get(name) for name in names} for row in self._rows], None
        else:
            schema = self._writer.schema.remove(len(self._writer.schema) - 1)
            rows = [dict(row.cells) for row in self._rows]
            for row in rows:
                refuse_more(row, schema.names)
        try:
            return self.arrow.Table.from_pylist(rows, schema=schema)
        except self.arrow.ArrowException as error:
            raise UserError(f"a column changes its type, which Parquet cannot ({error}); write JSONL") from None


def _batch_of(row: Row) -> Any:
    """The record batch that a row was read from; None for rows of a text format."""
    return row.origin[0] if isinstance(row.origin, tuple) else None


@contextmanager
def open_table(out: Path | None, kind: str, column: str, style: Style = PLAIN) -> Iterator[TableWriter | ParquetWriter]:
    """A writer to standard output, or to a file that appears whole or not at all, compressed as its name says."""
    if out is None:
        if kind == "parquet":
            raise UserError("Parquet needs a file: name it with --out FILE.parquet")
        if isinstance(sys.stdout, io.TextIOWrapper):  # UTF-8 whatever the terminal is: cells stay as they are
            sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="")
        yield TableWriter(sys.stdout, kind, column, style)
        return
    with atomic_path(out) as temporary:
        if kind == "parquet":
            yield ParquetWriter(temporary, column)
            return
        with _open_text(temporary, out.suffix if out.suffix in COMPRESSIONS else "") as file:
            yield TableWriter(file, kind, column, style)


def _open_text(path: Path, compression: str) -> IO[str]:
    if compression == ".gz":
        return io.TextIOWrapper(gzip.open(path, "wb"), "utf-8", "replace", newline="")  # type: ignore[type-var]
    if compression == ".xz":
        return io.TextIOWrapper(lzma.open(path, "wb"), "utf-8", "replace", newline="")
    if compression == ".zst":
        try:
            import zstandard
        except ImportError:
            raise require("zstandard", "tables", f"writing {path}") from None
        return io.TextIOWrapper(zstandard.open(path, "wb"), "utf-8", "replace", newline="")
    return path.open("w", encoding="utf-8", errors="replace", newline="")
