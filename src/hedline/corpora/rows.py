"""Tables with any columns, read row by row: CSV, TSV, JSONL and Parquet; `row_writers` writes them.

One column is added and the others are kept. A table that keeps its format does not change otherwise: JSON lines get one
more field at their end, Parquet columns keep their types, and CSV cells keep their text, the file its byte-order mark
and line ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from hedline.corpora.pairs import BadLine, Record, bare_suffix, read_lines
from hedline.corpora.tables import PARQUET_ROWS, Delimited
from hedline.errors import UserError, require
from hedline.files import is_file

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
