"""Lines of text and of JSON as records."""

from __future__ import annotations

import json

import pytest

from hedline.errors import UserError
from hedline.stream import Reading, Record, read_records


def test_text_lines_are_numbered_and_kept():
    lines = ["\ufeffone\r\n".encode(), b"\n", b"thr\xffee"]
    assert list(read_records(enumerate(lines, 1), Reading())) == [
        Record("1", "one"),
        Record("2", ""),
        Record("3", "thr\ufffdee"),
    ]


def test_json_lines_are_found_by_their_first_line():
    lines = [json.dumps({"id": "x", "lead": "one"}).encode(), b'{"lead": "two"}', b""]
    assert list(read_records(enumerate(lines, 1), Reading())) == [
        Record("x", "one"),
        Record("2", "two"),
        Record("3", ""),
    ]
    renamed = [b'{"text": "one"}']
    assert list(read_records(enumerate(renamed, 1), Reading("jsonl", "text"))) == [Record("1", "one")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{broken", "line 2 is not JSON"),
        (b'{"leed": "x"}', "line 2 has no text field 'lead'"),
        (b"[1]", "line 2 has no"),
    ],
)
def test_a_bad_json_line_is_named(line, message):
    with pytest.raises(UserError, match=message):
        list(read_records(enumerate([b'{"lead": "fine"}', line], 1), Reading(where="leads.jsonl")))
