"""Tables with any columns, read and written row by row: CSV, TSV, JSONL and Parquet.

One column is added and the others are kept. A table that keeps its format does not change otherwise: JSON lines get one
more field at their end, Parquet columns keep their types, and CSV cells keep their text.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from hedline.corpora.pairs import COMPRESSIONS, BadLine, Record, bare_suffix
from hedline.corpora.tables import PARQUET_ROWS, Delimited
from hedline.errors import UserError, require
from hedline.files import atomic_path, is_file

KINDS = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
PIPE = Path("/dev/stdin")


class Row(NamedTuple):
    """One row: its cells by column, and for JSONL and Parquet what it was read from."""

    cells: Mapping[str, Any]
    origin: Any = None  # a line of JSON; (record batch, place in it)


def kind_of(path: Path) -> str:
    """`csv`, `tsv`, `parquet` or `jsonl` by a file's name; empty for any other."""
    return KINDS.get(bare_suffix(path), "")


def check_name(path: Path, kind: str, flag: str) -> None:
    """Refuse a file whose name says another format than the flag does."""
    named = kind_of(path) or ("text" if bare_suffix(path) == ".txt" else "")
    if named and named != kind:
        raise UserError(f"{flag} {kind} does not fit {path}, whose name says {named}; change one of them")


def read_rows(path: Path, kind: str, passed_over: Callable[[str], None] | None = None) -> Iterator[Row]:
    """The rows of a CSV, TSV or Parquet file; PIPE for standard input.

    passed_over: told about each place that cannot be read; without it the first one is an error.
    """

    def bad(what: str) -> None:
        if passed_over is None:
            raise UserError(f"{what}; mend the file, or pass over such places with --on-error skip")
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
        if len(set(header)) < len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise UserError(f"{self.path} has two columns {twice!r}; rename one of them")
        return super()._record(line, header, row)


def _read_parquet(path: Path, bad: Callable[[str], None]) -> Iterator[Row]:
    if not is_file(path):
        raise UserError("Parquet cannot be read from a pipe; name the file")
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise require("pyarrow", "tables", f"reading {path}") from None
    try:
        for batch in ParquetFile(path).iter_batches(batch_size=PARQUET_ROWS):
            for place, cells in enumerate(batch.to_pylist()):
                yield Row(cells, (batch, place))
    except (ArrowException, OSError) as error:
        bad(f"{path} is not a readable Parquet file, or not to its end ({str(error).splitlines()[0]})")


class TableWriter:
    """Writes rows with one more column to a text file: CSV, TSV or JSONL."""

    def __init__(self, file: IO[str], kind: str, column: str) -> None:
        self.file, self.kind, self.column = file, kind, column
        self._csv: Any = None
        self._columns: list[str] | None = None

    def write(self, row: Row, value: str) -> None:
        """Write one row, with the value in the new column."""
        if self._columns is None:
            self._begin(list(row.cells))
        if self.kind == "jsonl":
            self.file.write(self._json(row, value) + "\n")
            return
        names = self._columns or []
        if extra := next((name for name in row.cells if name not in names), ""):
            raise UserError(f"a row has a field {extra!r} that the first row has not; write JSONL, which allows that")
        self._csv.writerow([*(self._cell(row.cells.get(name)) for name in names), value])

    def close(self, columns: Sequence[str] = ()) -> None:
        """End the table; columns: those of a table without rows."""
        if self._columns is None and columns:
            self._begin(list(columns))

    def _begin(self, columns: list[str]) -> None:
        refuse_column(columns, self.column)
        self._columns = columns
        if self.kind == "jsonl":
            return
        quoting: dict[str, Any] = {"delimiter": ","}
        if self.kind == "tsv":  # as most tools write it: no quotes at all
            quoting = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None}
        self._csv = csv.writer(self.file, lineterminator="\n", **quoting)
        self._csv.writerow([*columns, self.column])

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
        text = "" if value is None else value if isinstance(value, str) else _plain(value)
        if self.kind == "tsv" and any(letter in text for letter in "\t\n\r"):
            raise UserError("a cell holds a tab or a line break, which TSV cannot; write CSV, JSONL or Parquet")
        return text


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
        if not self._rows:
            refuse_column(row.cells, self.column)
        self._rows.append(row)
        self._values.append(value)
        size = PARQUET_ROWS if not isinstance(row.origin, tuple) else row.origin[0].num_rows
        if len(self._rows) >= size:
            self._flush()

    def close(self, columns: Sequence[str] = ()) -> None:
        """Write what is left; a table without rows still has its columns."""
        if self._rows:
            self._flush()
        if self._writer is None:
            names = [*columns, self.column]
            schema = self.arrow.schema([(name, self.arrow.string()) for name in names])
            self._writer = self.parquet.ParquetWriter(self.path, schema)
        self._writer.close()

    def _flush(self) -> None:
        values = self.arrow.array(self._values, self.arrow.string())
        origin = self._rows[0].origin
        if isinstance(origin, tuple):
            table = self.arrow.Table.from_batches([origin[0]])
        else:
            schema = None if self._writer is None else self._writer.schema.remove(len(self._writer.schema) - 1)
            try:
                table = self.arrow.Table.from_pylist([dict(row.cells) for row in self._rows], schema=schema)
            except self.arrow.ArrowException as error:
                raise UserError(f"a column changes its type, which Parquet cannot ({error}); write JSONL") from None
        table = table.append_column(self.column, values)
        if self._writer is None:
            self._writer = self.parquet.ParquetWriter(self.path, table.schema)
        self._writer.write_table(table)
        self._rows, self._values = [], []


@contextmanager
def open_table(out: Path | None, kind: str, column: str) -> Iterator[TableWriter | ParquetWriter]:
    """A writer to standard output, or to a file that appears whole or not at all, compressed as its name says."""
    if out is None:
        if kind == "parquet":
            raise UserError("Parquet needs a file: name it with --out FILE.parquet")
        yield TableWriter(sys.stdout, kind, column)
        return
    with atomic_path(out) as temporary:
        if kind == "parquet":
            yield ParquetWriter(temporary, column)
            return
        with _open_text(temporary, out.suffix if out.suffix in COMPRESSIONS else "") as file:
            yield TableWriter(file, kind, column)


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


def columns_of(path: Path, kind: str) -> list[str]:
    """The columns of a table without rows; none where they cannot be told."""
    if kind == "parquet":
        from pyarrow.parquet import ParquetFile

        return list(ParquetFile(path).schema_arrow.names)
    if kind not in ("csv", "tsv") or not is_file(path):
        return []
    header: list[str] = []
    reader = Delimited(path, "," if kind == "csv" else "\t")
    lines = reader._text_lines([], [0])
    for row in csv.reader(lines, delimiter=reader.delimiter):
        header = row
        break
    return header
