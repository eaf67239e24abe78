"""Evaluation sets: `{"id", "lead", "references": [one or more]}` a line; a pairs file works as one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedline.corpora.lines import read_lines
from hedline.corpora.pairs import BadLine
from hedline.corpora.reader import Record
from hedline.corpora.readers import bare_suffix, expand, open_readers
from hedline.corpora.tables import Fields, parse_object
from hedline.errors import UserError
from hedline.files import write_text


@dataclass(frozen=True, slots=True)
class EvaluationItem:
    """An input and the headlines people wrote for it."""

    id: str
    lead: str
    references: tuple[str, ...]


def read_evaluation_set(
    path: Path | str, limit: int | None = None, fields: Fields | None = None
) -> list[EvaluationItem]:
    """Read a set, or the headline of each pair of a pairs file as its only reference.

    limit: read only so many items. Any bad line stops: a score over part of a set is a wrong score.
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
    rows = ({"id": item.id, "lead": item.lead, "references": list(item.references)} for item in items)
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


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
    identity = row.get("id")
    return EvaluationItem(default_id if identity in (None, "") else str(identity), lead, tuple(references))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
