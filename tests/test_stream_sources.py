"""Files of texts: their names tell the format."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.stream import Reading, Record, read_file, read_records, read_sources


def read(path: Path, **reading: str) -> list[Record]:
    return list(read_file(str(path), Reading(**reading)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b'\xef\xbb\xbfid,lead\r\nx,"One, ""two""\nlines"\r\ny,Three\r\n'),
        ("a.csv.gz", gzip.compress(b'id,lead\nx,"One, ""two""\nlines"\ny,Three\n')),
        ("a.jsonl", b'\n{"id": "x", "lead": "One, \\"two\\"\\nlines"}\n{"id": "y", "lead": "Three"}\n'),
    ],
    ids=["csv", "csv.gz", "jsonl"],  # not the bytes: a gzip header holds the time, and all workers must agree
)
def test_names_tell_the_format(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    records = [record for record in read(tmp_path / name) if record.lead]
    assert records == [Record("x", 'One, "two"\nlines'), Record("y", "Three")]


def test_other_columns_and_rows_without_ids(tmp_path):
    (tmp_path / "a.tsv").write_text('text\tnote\nA "b" c\t1\n\t2\n')
    assert read(tmp_path / "a.tsv", lead_field="text") == [Record("1", 'A "b" c'), Record("2", "")]
    with pytest.raises(UserError, match=r"--input-format text does not fit .*a\.tsv, whose name says tsv"):
        read(tmp_path / "a.tsv", kind="text")


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"lead": ["One.", None], "id": [7, 8]}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [Record("7", "One."), Record("8", "")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"lead": "cut of', r"a.jsonl, line 1 is not JSON"),
        ("a.csv", "text,title\nA,B\n", r"no column 'lead' \(text, title\); name the right one with --lead-field"),
        ("a.csv", "lead,title\nA\n", r"a.csv:2: 1 fields where the header has 2"),
        ("a.parquet", "lead", r"not a readable Parquet file"),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match=message):
        read(tmp_path / name)


def test_a_missing_file_is_one_sentence():
    with pytest.raises(UserError, match=r"there is no file nowhere\.txt"):
        list(read_sources(["nowhere.txt"], Reading()))


def test_lines_of_an_old_windows_program_are_read_with_one_note(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["Café in Lund – closed", "Plain", "Naïve “visitors”"]
    numbered = [(number, line.encode("cp1252") + b"\r\n") for number, line in enumerate(lines, 1)]
    assert [record.lead for record in read_records(numbered, Reading("text", where="a.txt"))] == lines
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "a.txt, line 1 is not UTF-8" in said and "Windows-1252" in said


@pytest.mark.parametrize("line", ["Naïve".encode() + b" \xff", b"caf\x81", "Café".encode()])
def test_damaged_utf8_is_not_taken_for_another_encoding(line: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    (record,) = read_records([(1, line)], Reading("text"))
    assert record.lead == line.decode("utf-8", "replace") and capsys.readouterr().err == ""


@pytest.mark.parametrize("content", ["Café".encode("utf-16"), b"\x7fELF\x02\x01", b"%PDF-1.7\n"])
def test_a_file_that_is_no_text_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_bytes(content)
    with pytest.raises(UserError, match=r"a\.dat is UTF-16, a program, .* save it as UTF-8 text"):
        read(tmp_path / "a.dat")
