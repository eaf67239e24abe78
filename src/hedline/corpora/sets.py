"""What is scored: evaluation sets, systems' outputs and references, through any compression.

An evaluation set has one `{"id", "lead", "references": [one or more]}` per line; a pairs file works as one. Outputs and
references are lines of text or JSONL. A score over part of a set, or over shifted lines, is a wrong score, so anything
amiss stops the work with file and line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from hedline.corpora.pairs import BadLine, Record, bare_suffix, decode_line, expand, parse_object, read_lines
from hedline.corpora.tables import Fields, open_readers
from hedline.errors import UserError
from hedline.files import write_text


@dataclass(frozen=True, slots=True)
class EvaluationItem:
    """An input, the headlines people wrote for it, and its whole article where the set has it (field `article`)."""

    id: str
    lead: str
    references: tuple[str, ...]
    article: str = ""


def read_evaluation_set(
    path: Path | str, limit: int | None = None, fields: Fields | None = None
) -> list[EvaluationItem]:
    """Read a set, or the headline of each pair of a pairs file as its only reference.

    limit: the most items to read. Any bad line stops: a score over part of a set is a wrong score.
    """
    path, fields = expand([Path(path)])[0], fields or Fields()
    items: list[EvaluationItem] = []
    seen: dict[str, int] = {}
    for line, row in _rows(path, fields):
        if limit is not None and len(items) >= limit:
            break
        item = _item(path, line, row, fields, default_id=str(len(items) + 1))
        if item.id in seen:
            raise UserError(f"{path}:{line}: id {item.id!r} was already used on line {seen[item.id]}")
        seen[item.id] = line
        items.append(item)
    if not items and limit != 0:
        raise UserError(f"{path} holds no evaluation items")
    return items


def write_evaluation_set(path: Path, items: Iterable[EvaluationItem]) -> None:
    """Write a set as JSONL, atomically."""
    write_text(path, "".join(json.dumps(_row(item), ensure_ascii=False) + "\n" for item in items))


def _row(item: EvaluationItem) -> dict[str, Any]:
    row: dict[str, Any] = {"id": item.id, "lead": item.lead, "references": list(item.references)}
    return row | ({"article": item.article} if item.article else {})


def _rows(path: Path, fields: Fields) -> Iterable[tuple[int, dict[str, Any]]]:
    """Line numbers and rows; blank lines are passed over, anything else bad stops."""
    if bare_suffix(path) in {".jsonl", ".ndjson", ".json"}:
        for item in read_lines(path):
            row = item if isinstance(item, BadLine) else parse_object(str(path), Record(*item))
            if isinstance(row, BadLine):
                _stop_unless_harmless(row)
            elif not isinstance(item, BadLine):
                yield item[0], row
        return
    (reader,) = open_readers([path], "pairs", fields)
    for record in reader.records():
        if isinstance(record, BadLine):
            _stop_unless_harmless(record)
        else:
            yield record.line, record.raw


def _stop_unless_harmless(bad: BadLine) -> None:
    if not bad.harmless:
        raise UserError(f"{bad}; mend the evaluation set")


def _item(path: Path, line: int, row: dict[str, Any], fields: Fields, default_id: str) -> EvaluationItem:
    lead = row.get(fields.lead)
    if not isinstance(lead, str) or not lead.strip():
        raise UserError(f"{path}:{line}: field {fields.lead!r} is missing or empty; mend the evaluation set")
    references = row.get("references", row.get(fields.headline))
    if isinstance(references, str):
        references = [references]
    if not isinstance(references, list) or not references or not all(_is_text(r) for r in references):
        raise UserError(
            f"{path}:{line}: needs 'references' (a list of one or more texts) or {fields.headline!r} (one text)"
        )
    identity, article = row.get("id"), row.get("article")
    name = default_id if identity in (None, "") else str(identity)
    return EvaluationItem(name, lead, tuple(references), article if isinstance(article, str) else "")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


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
        raise UserError(f"{path} does not exist; check the name")
    name = str(path)
    for item in read_lines(path):
        if isinstance(item, BadLine):
            raise UserError(str(item))
        text = decode_line(name, *item)
        if isinstance(text, BadLine):
            raise UserError(f"{text}; save the file as UTF-8")
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
