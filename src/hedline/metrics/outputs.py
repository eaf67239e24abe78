"""Reads what is scored: systems' outputs and references, as lines of text or as JSONL, through any compression.

A score over part of a set, or over shifted lines, is a wrong score, so anything amiss stops with file and line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from hedline.corpora.lines import decode_line, read_lines
from hedline.corpora.pairs import BadLine
from hedline.errors import UserError

_JSON_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json"})
_COMPRESSION = frozenset({".gz", ".xz", ".zst"})


class Row(NamedTuple):
    """Texts of one item and where they stand; id and lead are empty where the file gives none."""

    path: Path
    line: int
    texts: tuple[str, ...]
    id: str = ""
    lead: str = ""


def read_outputs(path: Path) -> list[Row]:
    """One headline an item: lines of text (an empty line is an empty headline), or JSONL with `headline`."""
    if _is_json(path):
        rows = [_json_row(path, line, text, ("headline",)) for line, text in _lines(path) if text.strip()]
    else:
        rows = [Row(path, line, (text,)) for line, text in _lines(path)]
    return _not_empty(path, rows)


def read_references(paths: Sequence[Path]) -> list[Row]:
    """The references of each item: of one JSONL (`references` or `headline`), or of line i of several text files."""
    if not paths:
        raise UserError("name at least one file of references")
    first = _read_reference_file(paths[0])
    columns = [first]
    for path in paths[1:]:
        column = _read_reference_file(path)
        _same_length(paths[0], len(first), path, len(column))
        columns.append(_aligned(other_ids(column), first, path))
    return [_joined(rows) for rows in zip(*columns, strict=True)] if len(columns) > 1 else first


def _joined(rows: Sequence[Row]) -> Row:
    """The first row with the texts of all."""
    path, line, _, identity, lead = rows[0]
    return Row(path, line, tuple(chain.from_iterable([row.texts for row in rows])), identity, lead)


def other_ids(rows: list[Row]) -> list[Row]:
    """The rows themselves; ids must not repeat, or nothing could be matched by them."""
    seen: dict[str, int] = {}
    for row in rows:
        if row.id and row.id in seen:
            raise UserError(f"{row.path}:{row.line}: id {row.id!r} was already used on line {seen[row.id]}")
        seen[row.id] = row.line
    return rows


def align(outputs: list[Row], references: list[Row]) -> list[Row]:
    """The outputs in the references' order: by id where both files have ids throughout, by position otherwise."""
    _same_length(outputs[0].path, len(outputs), references[0].path, len(references))
    return _aligned(other_ids(outputs), other_ids(references), outputs[0].path)


def _aligned(rows: list[Row], order: list[Row], path: Path) -> list[Row]:
    if not all(row.id for row in rows) or not all(row.id for row in order):
        return rows
    by_id = {row.id: row for row in rows}
    for row in order:
        if row.id not in by_id:
            raise UserError(f"{row.path}:{row.line}: id {row.id!r} is not in {path}")
    return [by_id[row.id] for row in order]


def _read_reference_file(path: Path) -> list[Row]:
    if _is_json(path):
        fields = ("references", "headline")
        rows = [_json_row(path, line, text, fields) for line, text in _lines(path) if text.strip()]
    else:
        rows = [Row(path, line, (text,)) for line, text in _lines(path)]
    for row in rows:
        if not row.texts or not all(map(str.strip, row.texts)):
            raise UserError(f"{row.path}:{row.line}: the reference is missing or empty")
    return _not_empty(path, rows)


def _json_row(path: Path, line: int, text: str, fields: Sequence[str]) -> Row:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{line}: not JSON ({error.msg} at column {error.colno})") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets nested thousands deep
        raise UserError(f"{path}:{line}: not JSON that can be read") from None
    if not isinstance(value, dict):
        raise UserError(f"{path}:{line}: not a JSON object")
    lead = value.get("lead")
    identity = value.get("id")
    return Row(
        path,
        line,
        _texts(path, line, value, fields),
        "" if identity is None else str(identity),
        lead if isinstance(lead, str) else "",
    )


def _texts(path: Path, line: int, value: dict[str, Any], fields: Sequence[str]) -> tuple[str, ...]:
    for field in fields:
        found = value.get(field)
        if isinstance(found, str):
            return (found,)
        if isinstance(found, list) and field == "references" and all(isinstance(each, str) for each in found):
            return tuple(found)
    raise UserError(f"{path}:{line}: field {' or '.join(map(repr, fields))} is missing or not text")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if not path.exists():
        raise UserError(f"{path} does not exist")
    name = str(path)
    for item in read_lines(path):
        if isinstance(item, BadLine):
            raise UserError(str(item))
        text = decode_line(name, *item)
        if isinstance(text, BadLine):
            raise UserError(str(text))
        yield item[0], text


def _is_json(path: Path) -> bool:
    suffixes = [suffix for suffix in path.suffixes if suffix not in _COMPRESSION]
    return bool(suffixes) and suffixes[-1] in _JSON_SUFFIXES


def _not_empty(path: Path, rows: list[Row]) -> list[Row]:
    if not rows:
        raise UserError(f"{path} is empty: there is nothing to score")
    return rows


def _same_length(left: Path, left_count: int, right: Path, right_count: int) -> None:
    if left_count != right_count:
        shorter, line = (left, left_count) if left_count < right_count else (right, right_count)
        raise UserError(
            f"{left} holds {left_count:,} items and {right} {right_count:,}: {shorter} ends after item {line:,}; "
            "they must match one to one"
        )
