"""Where texts to summarise come from: standard input, lines of text, JSONL, and tables (CSV, TSV, Parquet)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from hedline.corpora.pairs import BadLine
from hedline.corpora.readers import bare_suffix, open_readers
from hedline.corpora.tables import Fields
from hedline.decoding.stream import Reading, Record, read_records
from hedline.errors import UserError
from hedline.files import is_file, open_binary

JSON_LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv", ".parquet")


def read_texts(texts: Sequence[str]) -> Iterator[Record]:
    """Texts given as arguments; loose words are one text."""
    each = texts if any(" " in text for text in texts) else [" ".join(texts)]
    yield from (Record(str(number), text) for number, text in enumerate(each, 1))


def read_sources(sources: Sequence[str], reading: Reading) -> Iterator[Record]:
    """The texts of files and of standard input (`-`, or no source at all)."""
    if not sources and sys.stdin.isatty():
        raise UserError('give a file, - for standard input, or a text: hedline "Some sentence of news."')
    for source in sources or ["-"]:
        if source == "-":
            yield from read_records(sys.stdin.buffer, reading)
        else:
            yield from read_file(source, reading)


def read_file(source: str, reading: Reading) -> Iterator[Record]:
    """The texts of one file; its name tells the format unless the reading does."""
    path = Path(source)
    if os.path.isdir(source):  # noqa: PTH112 - Path.is_dir fails on a name that is too long
        raise UserError(f"{source} is a folder; name the files in it")
    if not is_file(path):
        raise UserError(
            f"there is no file {source[:200]}; to summarise these words themselves, add --text or leave out summarize"
        )
    suffix = bare_suffix(path)
    if reading.kind == "auto" and suffix in TABLES:
        yield from read_table(path, reading.lead_field)
        return
    kind = "jsonl" if reading.kind == "auto" and suffix in JSON_LINES else reading.kind
    with open_binary(path) as lines:
        yield from read_records(lines, replace(reading, kind=kind, where=source))


def read_table(path: Path, lead_field: str) -> Iterator[Record]:
    """The column `lead_field` of a table; ids are the rows' own, else their numbers."""
    (reader,) = open_readers([path], "pairs", Fields(lead_field))
    number = 0
    for record in reader.records():
        if isinstance(record, BadLine):
            if record.harmless:
                continue
            raise UserError(f"{record}; mend the file")
        number += 1
        lead = record.raw.get(lead_field, BadLine)
        if lead is BadLine:
            names = ", ".join(str(name) for name in record.raw)
            raise UserError(f"{path} has no column {lead_field!r} ({names}); name the right one with --lead-field")
        yield Record(str(record.raw.get("id") or number), "" if lead is None else str(lead))
