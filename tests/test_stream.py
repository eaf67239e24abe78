"""How texts come in: files, standard input, and what is no text; and long outputs that survive an interruption."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.stream import Reading, Record, read_records, unfinished


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
        (b"[1]", "line 2 is a JSON array"),
    ],
)
def test_a_bad_json_line_is_named(line, message):
    with pytest.raises(UserError, match=message):
        list(read_records(enumerate([b'{"lead": "fine"}', line], 1), Reading(where="leads.jsonl")))


def write(out: Path, question: dict, lines: list[str], stop: bool = False) -> int:
    """Write lines and perhaps stop before the end; gives how many were there already."""
    with unfinished(out, question) as (file, done):
        file.writelines(lines)
        if stop:
            raise KeyboardInterrupt
    return done


def test_what_was_finished_is_kept_and_gone_on_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        write(out, {"beam": 5}, ["one\n", "two\n", "half a li"], stop=True)
    assert not out.exists() and "2 finished headlines are kept" in capsys.readouterr().err
    assert write(out, {"beam": 5}, ["three\n"]) == 2
    assert out.read_text() == "one\ntwo\nthree\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_another_question_begins_anew(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        write(out, {"beam": 5}, ["one\n"], stop=True)
    assert write(out, {"beam": 6}, ["other\n"]) == 0
    assert out.read_text() == "other\n"


def test_a_damaged_note_of_the_question_begins_anew(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(KeyboardInterrupt):
        write(out, {"beam": 5}, ["one\n"], stop=True)
    (tmp_path / ".out.txt.unfinished.json").write_text("{")
    assert write(out, {"beam": 5}, ["one\n"]) == 0


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old\n")
    link.symlink_to(real)
    write(link, {}, ["new\n"])
    assert link.is_symlink() and real.read_text() == "new\n"


def test_an_error_keeps_the_lines_too(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(UserError), unfinished(out, {}) as (file, _):
        file.write("one\n")
        raise UserError("the second line is bad")
    assert write(out, {}, []) == 1 and out.read_text() == "one\n"
