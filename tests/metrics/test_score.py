"""Files of outputs and references, matched line by line or by id."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hedline.corpora.sets import align, read_outputs, read_references
from hedline.errors import UserError


def lines(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def jsonl(path: Path, rows: list[dict]) -> Path:
    return lines(path, [json.dumps(row, ensure_ascii=False) for row in rows])


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "out.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"headline": "a"}\n\n{"headline": ""}\n'))
    assert [row.texts for row in read_outputs(path)] == [("a",), ("",)]


def test_ids_that_do_not_match_are_named(tmp_path):
    references = jsonl(tmp_path / "r.jsonl", [{"id": "a", "headline": "x"}, {"id": "b", "headline": "y"}])
    outputs = jsonl(tmp_path / "o.jsonl", [{"id": "a", "headline": "x"}, {"id": "c", "headline": "y"}])
    twice = jsonl(tmp_path / "t.jsonl", [{"id": "a", "headline": "x"}, {"id": "a", "headline": "y"}])
    with pytest.raises(UserError, match=r"r\.jsonl:2: id 'b' is not in .*o\.jsonl"):
        align(read_outputs(outputs), read_references([references]))
    with pytest.raises(UserError, match=r"t\.jsonl:2: id 'a' was already used on line 1"):
        align(read_outputs(twice), read_references([references]))
