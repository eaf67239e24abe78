"""A long output that is written line by line: what is finished stays when it is interrupted, and is gone on from.

Beside `headlines.txt` lie `.headlines.txt.unfinished` (whole lines) and `.headlines.txt.unfinished.json` (what was
asked) until it is finished; the same question again continues there, another one begins anew. Of a table, which may
be compressed or Parquet, the headlines alone are kept so, and the table is written anew with them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import IO, Any

from hedline.errors import UserError
from hedline.files import move_into_place, read_json, write_json


@contextmanager
def unfinished(out: Path, question: dict[str, Any]) -> Iterator[tuple[IO[str], int]]:
    """A text file to write lines to and how many it has already; it becomes `out` in the end, and only then.

    question: plain JSON that decides every line (inputs, options, model).
    """
    out = out.resolve() if out.is_symlink() else out
    with _lines(out, question) as (part, file, done):
        yield file, done
        file.flush()
        os.fsync(file.fileno())
        move_into_place(part, out)


@contextmanager
def remembered(out: Path, question: dict[str, Any]) -> Iterator[tuple[IO[str], list[str]]]:
    """A file for the headlines of a table's rows, JSON strings, and those it has; gone when the table is whole."""
    with _lines(out, question) as (part, file, _):
        yield file, [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
        part.unlink()
        for left in out.parent.glob(f".{escape(out.name)}.*.part"):  # tables of runs that were killed
            left.unlink(missing_ok=True)


@contextmanager
def _lines(out: Path, question: dict[str, Any]) -> Iterator[tuple[Path, IO[str], int]]:
    """The unfinished lines of an output: their path, the file to add to, and how many there are."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.unfinished")
    asked = part.with_name(f"{part.name}.json")
    done = _whole_lines(part) if part.is_file() and _same(asked, question) else 0
    if not done:
        write_json(asked, question)
    with _open(part, out, done) as file:
        try:
            yield part, file, done
        except (UserError, KeyboardInterrupt, OSError):
            with suppress(OSError):  # on a full disk what reached it is counted, once nothing can follow
                file.close()
            if not _tell(part):
                part.unlink()
                asked.unlink(missing_ok=True)
            raise
    asked.unlink(missing_ok=True)


def _open(part: Path, out: Path, done: int) -> IO[str]:
    try:
        return part.open("a" if done else "w", encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}; free some space or check rights") from None


def _same(asked: Path, question: dict[str, Any]) -> bool:
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


def _tell(part: Path) -> int:
    """Say how many headlines are kept, and return it."""
    count = _whole_lines(part)
    if count:
        print(f"hedline: {count:,} finished headlines are kept; the same command goes on from there", file=sys.stderr)
    return count
