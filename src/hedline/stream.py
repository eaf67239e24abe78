"""Both ends of a long run: texts read one by one, and an output that survives an interruption.

Texts come from standard input, lines of text, JSONL and tables (CSV, TSV, Parquet).

What is written is kept line by line: beside `headlines.txt` lie `.headlines.txt.unfinished` (whole lines) and
`.headlines.txt.unfinished.json` (what was asked) until it is finished; the same question again continues there, another
one begins anew. Of a table, which may be compressed or Parquet, the headlines alone are kept so, and the table is
written anew with them.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import IO, Any, NamedTuple

from hedline.corpora.pairs import MAX_LINE_BYTES, BadLine, Line, read_lines
from hedline.corpora.rows import PIPE, Row, check_name, kind_of, read_rows, refuse_others
from hedline.corpora.tables import SEMICOLONS, by_semicolons
from hedline.errors import UserError
from hedline.files import is_file, move_into_place, read_json, write_json

TABLES = ("csv", "tsv", "parquet")


def read_sources(sources: Sequence[str], reading: Reading) -> Iterator[Record]:
    """The texts of files and of standard input (`-`, or no source at all)."""
    if not sources and sys.stdin is not None and sys.stdin.isatty():
        raise UserError('give a file, - for standard input, or a text: hedline "Some sentence of news."')
    if sys.stdin is None and "-" in (sources or ["-"]):
        raise UserError('standard input is closed; give a file, or a text: hedline "Some sentence of news."')
    for source in sources or ["-"]:
        if source == "-" and reading.kind in TABLES:
            yield from read_table(PIPE, reading.kind, reading)
        elif source == "-":
            yield from read_records(_bounded_lines(sys.stdin.buffer), reading)
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
    refuse_others(path)
    kind = kind_of(path) or reading.kind if reading.kind == "auto" else reading.kind
    if reading.kind not in ("auto", "text") or kind_of(path):
        check_name(path, kind, "--input-format")
    if kind in TABLES:
        yield from read_table(path, kind, reading)
        return
    yield from read_records(read_lines(path), replace(reading, kind=kind, where=source))


def read_table(path: Path, kind: str, reading: Reading) -> Iterator[Record]:
    """The column `lead_field` of a table; ids are the rows' own, else their numbers."""
    where, lead_field = "standard input" if path == PIPE else str(path), reading.lead_field
    for number, row in enumerate(read_rows(path, kind, _pass_over if reading.skip else None), 1):
        if lead_field not in row.cells:
            names = ", ".join(str(name) for name in row.cells)
            remedy = SEMICOLONS if by_semicolons(list(row.cells)) else "name the right one with --lead-field"
            raise UserError(f"{where} has no column {lead_field!r} ({names[:300]}); {remedy}")
        lead = row.cells[lead_field]
        yield RowRecord.of(str(row.cells.get("id") or number), "" if lead is None else str(lead), row)


class Record(NamedTuple):
    """One text to summarise, with the id its result carries."""

    id: str
    lead: str


class RowRecord(Record):
    """A record that knows the row it was read from."""

    row: Row

    @classmethod
    def of(cls, id: str, lead: str, row: Row) -> RowRecord:
        """A record with its row."""
        record = cls(id, lead)
        record.row = row
        return record


NO_TEXT = (
    b"\xff\xfe",
    b"\xfe\xff",
    b"\x7fELF",
    b"MZ\x90",
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"{\\rtf",
)
WESTERN = "such lines are read as Windows-1252; save the file as UTF-8 if letters come out wrong"
_NOT_WESTERN = re.compile(
    rb"[\xc2-\xf4][\x80-\xbf]|[\xfe\xff]"
)  # a letter of UTF-8, or bytes that are no letter of any text


@dataclass(frozen=True)
class Reading:
    """How texts are read: `text`, `jsonl`, a table, or `auto` (by name, else JSON when the first line is an object).

    skip: pass over what cannot be read, with a note to standard error, instead of stopping there.
    """

    kind: str = "auto"
    lead_field: str = "lead"
    where: str = "standard input"
    skip: bool = False


def read_records(lines: Iterable[Line | BadLine], reading: Reading) -> Iterator[Record]:
    """Records of text or JSONL lines (number, bytes); ids are the records' own, else line numbers."""
    kind, western = reading.kind, False
    for line in lines:
        try:
            if isinstance(line, BadLine):
                raise UserError(f"{line}; mend the file, or pass over such places with --on-error skip")
            number, raw = line
            if number == 1 and raw.startswith(NO_TEXT):
                raise UserError(f"{reading.where} is UTF-16, a program, a picture or the like; save it as UTF-8 text")
            if kind == "auto":
                kind = "jsonl" if _is_object(raw) else "text"
            text = raw.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff" if number == 1 else "")
            if kind == "jsonl" and "\ufffd" in text and not _is_utf8(raw):
                raise UserError(f"{reading.where}, line {number} is not UTF-8; save the file as UTF-8")
            if kind == "text" and "\ufffd" in text and (other := _as_western(raw)):
                if not western:
                    print(f"hedline: {reading.where}, line {number} is not UTF-8; {WESTERN}", file=sys.stderr)
                text, western = other.rstrip("\r\n"), True
            record = _record(text, number, reading) if kind == "jsonl" else Record(str(number), text)
        except UserError as error:
            if not reading.skip:
                raise
            _pass_over(str(error))
            continue
        yield record


def _pass_over(what: str) -> None:
    print(f"hedline: passed over: {what}", file=sys.stderr)


def _bounded_lines(stream: IO[bytes]) -> Iterator[Line | BadLine]:
    """Numbered lines of a pipe as they come; a line longer than MAX_LINE_BYTES is bad, and never held whole."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) <= MAX_LINE_BYTES:
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE_BYTES)
        yield BadLine("standard input", number, f"the line is longer than {MAX_LINE_BYTES:,} bytes")


def _as_western(line: bytes) -> str:
    """A line as an old Windows program writes it; nothing where it may be UTF-8 with a few damaged bytes."""
    if _is_utf8(line) or _NOT_WESTERN.search(line):
        return ""
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:
        return ""


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _record(text: str, number: int, reading: Reading) -> Record:
    place = f"{reading.where}, line {number}"
    if not text.strip():
        return RowRecord.of(str(number), "", Row({}, ""))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        array = "; an array is not read, write one object a line" if text.lstrip()[:1] == "[" else ""
        raise UserError(f"{place} is not JSON{array or '; repair it, or say --input-format text'}") from None
    if isinstance(value, list):
        raise UserError(f"{place} is a JSON array; write one object a line")
    if not isinstance(value, dict) or not isinstance(value.get(reading.lead_field), str):
        raise UserError(f"{place} has no text field {reading.lead_field!r}; name the right one with --lead-field")
    identity, lead = _writable(str(value.get("id", number))), _writable(value[reading.lead_field])
    return RowRecord.of(identity, lead, Row(value, text))


def _writable(text: str) -> str:
    """The text with lone surrogates, which JSON can escape, replaced: they cannot be written."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@contextmanager
def unfinished(out: Path, question: dict[str, Any]) -> Iterator[tuple[IO[str], int]]:
    """A text file to write lines to and how many it has already; it becomes `out` in the end, and only then.

    question: plain JSON that decides every line (inputs, options, model).
    """
    out = out.resolve() if out.is_symlink() else out
    with _unfinished_lines(out, question) as (part, file, done):
        yield file, done
        file.flush()
        os.fsync(file.fileno())
        move_into_place(part, out)


@contextmanager
def remembered(out: Path, question: dict[str, Any]) -> Iterator[tuple[IO[str], list[str]]]:
    """A file for the headlines of a table's rows, JSON strings, and those it has; gone when the table is whole."""
    with _unfinished_lines(out, question) as (part, file, _):
        yield file, [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
        part.unlink()
        for left in out.parent.glob(f".{escape(out.name)}.*.part"):  # tables of runs that were killed
            left.unlink(missing_ok=True)


@contextmanager
def _unfinished_lines(out: Path, question: dict[str, Any]) -> Iterator[tuple[Path, IO[str], int]]:
    """The unfinished lines of an output: their path, the file to add to, and how many there are."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.unfinished")
    asked = part.with_name(f"{part.name}.json")
    done = _whole_lines(part) if part.is_file() and _same_question(asked, question) else 0
    if not done:
        write_json(asked, question)
    with _open_part(part, out, done) as file:
        try:
            yield part, file, done
        except (UserError, KeyboardInterrupt, OSError):
            with suppress(OSError):  # on a full disk what reached it is counted, once nothing can follow
                file.close()
            if not _tell_kept(part):
                part.unlink()
                asked.unlink(missing_ok=True)
            raise
    asked.unlink(missing_ok=True)


def _open_part(part: Path, out: Path, done: int) -> IO[str]:
    try:
        return part.open("a" if done else "w", encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}; free some space or check rights") from None


def _same_question(asked: Path, question: dict[str, Any]) -> bool:
    try:
        return bool(read_json(asked) == question)
    except UserError:
        return False


def _whole_lines(part: Path) -> int:
    """Number of whole lines; what follows the last of them is cut off."""
    count = end = 0
    with part.open("r+b") as file:
        for line in file:
            if line.endswith(b"\n"):
                count, end = count + 1, end + len(line)
        file.truncate(end)
    return count


def _tell_kept(part: Path) -> int:
    """Say how many headlines are kept, and return it."""
    count = _whole_lines(part)
    if count:
        print(f"hedline: {count:,} finished headlines are kept; the same command goes on from there", file=sys.stderr)
    return count
