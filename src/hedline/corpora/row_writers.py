"""Writers of tables: rows with one more column as CSV, TSV, JSONL or Parquet, whole or not at all."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from hedline.corpora.pairs import COMPRESSIONS
from hedline.corpora.rows import PLAIN, Row, Style
from hedline.corpora.tables import PARQUET_ROWS
from hedline.errors import UserError, require
from hedline.files import atomic_path


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
