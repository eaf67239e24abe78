"""`hedline summarize` on tables: rows in, the same rows with headlines out."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

LEADS = [
    "The city council voted on Tuesday to close the old harbour bridge for six months of repairs.",
    "Two trains collided near the northern town of Elmsworth early on Friday, injuring 14 passengers.",
]


def run(*arguments: str, stdin: bytes = b"", code: int = 0) -> tuple[str, str]:
    command = [sys.executable, "-m", "hedline", "summarize", "--model", "abs", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [["no", "lead", "note"], *([str(i), lead, 'a, "b"'] for i, lead in enumerate(LEADS))]
        )
    return path


def test_a_csv_gets_a_column_and_keeps_the_others(table: Path, tmp_path: Path) -> None:
    headlines = run(str(table))[0].splitlines()
    run(str(table), "--out", str(tmp_path / "out.csv"))
    with table.open(newline="") as before, (tmp_path / "out.csv").open(newline="") as after:
        old, new = list(csv.reader(before)), list(csv.reader(after))
    assert [row[:-1] for row in new] == old
    assert [row[-1] for row in new] == ["headline", *headlines]
    piped, _ = run("-", "--input-format", "csv", "--format", "csv", stdin=table.read_bytes())
    assert piped == (tmp_path / "out.csv").read_text(encoding="utf-8")


def test_jsonl_gets_a_field(tmp_path: Path) -> None:
    path, out = tmp_path / "mine.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps({"n": 1.5, "text": lead}) + "\n" for lead in LEADS), encoding="utf-8")
    run(str(path), "--lead-field", "text", "--headline-field", "title", "--out", str(out))
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [list(row) for row in rows] == [["n", "text", "title"]] * 2 and all(row["title"] for row in rows)
    run(str(path), "--lead-field", "text", "--format", "jsonl", "--out", str(out))
    assert "alignment" in json.loads(out.read_text(encoding="utf-8").splitlines()[0])


def test_lines_become_a_table(tmp_path: Path) -> None:
    run("-", "--out", str(tmp_path / "out.tsv"), stdin=LEADS[0].encode())
    header, row = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "lead\theadline" and row.startswith(LEADS[0] + "\t")


def test_a_table_without_rows_keeps_its_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,lead\n", encoding="utf-8")
    run(str(tmp_path / "a.csv"), "--out", str(tmp_path / "b.csv"))
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == "id,lead,headline\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--format", "jsonl", "--out", "x.csv"], "--format jsonl does not fit x.csv, whose name says csv"),
        (["--format", "text", "--out", "x.jsonl"], "--format text does not fit x.jsonl, whose name says jsonl"),
        (["--format", "csv", "--out", "x.txt"], "--format csv does not fit x.txt, whose name says text"),
        (["--input-format", "jsonl"], "--input-format jsonl does not fit"),
        (["--input-format", "text"], "--input-format text does not fit"),
        (["--format", "parquet"], "Parquet needs a file"),
        (["--format", "csv", "--nbest", "2"], "a table has one headline in each row"),
        (["--lead-field", "text"], "has no column 'text' (no, lead, note)"),
        (["--headline-field", "note", "--format", "csv"], "has a column 'note' already"),
        (
            ["--out", "x.xlsx"],
            "x.xlsx is named like a file of another kind; hedline reads and writes lines of text, CSV",
        ),
        (["--format", "csv", "--out", "x.xml"], "x.xml is named like a file of another kind"),
    ],
)
def test_mistakes_are_one_sentence(table: Path, arguments: list[str], sentence: str) -> None:
    _, said = run(str(table), *arguments, code=2)
    assert said.startswith("hedline: ") and said.count("\n") == 1 and sentence in said


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("b.csv", b"id;lead\n1;x, y\n", "(its cells seem to be separated by semicolons; separate them by commas)"),
        ("a.csv", b"id;lead\n1;x\n", "its cells seem to be separated by semicolons; separate them by commas"),
        ("a.jsonl", '{"lead": "Café"}\n'.encode("latin-1"), "a.jsonl, line 1 is not UTF-8; save the file as UTF-8"),
        (
            "a.json",
            b'[\n{"lead": "x"}\n]\n',
            "a.json, line 1 is not JSON; an array is not read, write one object a line",
        ),
        ("b.json", b'[{"lead": "x"}]\n', "b.json, line 1 is a JSON array; write one object a line"),
        ("a.xlsx", b"PK", "a.xlsx is named like a file of another kind"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    _, said = run(str(tmp_path / name), "--out", str(tmp_path / "out.csv"), code=2)
    assert said.count("\n") == 1 and sentence in said and not (tmp_path / "out.csv").exists()


def test_an_excel_file_stays_one_and_a_plain_terminal_gets_utf8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes(f"\ufefflead,Ort\r\n{LEADS[0]},Köln\r\n".encode())
    run(str(source), "--out", str(out))
    assert out.read_bytes().startswith("\ufefflead,Ort,headline\r\n".encode()) and out.read_bytes().count(b"\r\n") == 2
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert run(str(source), "--format", "csv")[0] == out.read_bytes().decode()


def test_a_file_without_a_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    printed, said = run(str(tmp_path / "a.txt"))
    assert printed == "" and said == "hedline: there was no text to read, so there is no headline\n"
