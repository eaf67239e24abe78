"""JSONL, CSV, TSV and Parquet pairs."""

import json
import lzma
from pathlib import Path

import pytest

from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.tables import PARQUET_ROWS, Fields, open_readers, read_pairs
from hedline.errors import UserError

LEAD, HEADLINE = "The ferry to the island was cancelled on Monday.", "Island ferry cancelled"


def read(path: Path, fields: Fields | None = None) -> list[Pair | BadLine]:
    return list(read_pairs(path, fields))


def test_json_lines_with_all_fields_and_compression(tmp_path: Path) -> None:
    row = {"lead": LEAD, "headline": HEADLINE, "id": 7, "source": "Post", "date": "2020-01-02", "other": [1]}
    path = tmp_path / "a.jsonl.xz"
    path.write_bytes(lzma.compress((json.dumps(row) + "\n").encode()))
    assert read(path) == [Pair(LEAD, HEADLINE, "7", "Post", "2020-01-02")]


@pytest.mark.parametrize(
    ("line", "why", "harmless"),
    [
        (b"[1, 2]", "not a JSON object but list", False),
        (b'"text"', "not a JSON object but str", False),
        (b'{"lead": "a b"', "not valid JSON", False),
        (b'{"lead": "a b"}', "field 'headline' is missing (fields here: lead; --lead-field", False),
        (b'{"lead": null, "headline": "x"}', "field 'lead' is missing", False),
        (b'{"lead": 3, "headline": "x"}', "field 'lead' is not text but int", False),
        (b'{"lead": "  ", "headline": "x"}', "field 'lead' is empty", True),
        (b'{"lead": "caf\xe9", "headline": "x"}', "invalid UTF-8", False),
        (b"   ", "the line is empty", True),
        (b"[" * 100_000, "not valid JSON", False),
    ],
)
def test_each_kind_of_bad_json_line(tmp_path: Path, line: bytes, why: str, harmless: bool) -> None:
    path = tmp_path / "a.jsonl"
    good = json.dumps({"lead": LEAD, "headline": HEADLINE}).encode()
    path.write_bytes(good + b"\n" + line + b"\n" + good + b"\n")
    first, bad, last = read(path)
    assert first == last == Pair(LEAD, HEADLINE)
    assert isinstance(bad, BadLine)
    assert why in bad.why and bad.line == 2 and bad.harmless == harmless


def test_lone_surrogates_cannot_reach_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"lead": "odd \\ud800 text", "headline": "odd"}\n')
    (pair,) = read(path)
    assert isinstance(pair, Pair)
    pair.lead.encode("utf-8")


def test_csv_with_quoted_line_breaks_keeps_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('title,text\n"Rain, again","It rained\non Monday."\nonly one field\nSun,It shone.\n')
    fields = Fields("text", "title")
    assert read(path, fields) == [
        Pair("It rained\non Monday.", "Rain, again"),
        BadLine(str(path), 4, "1 fields where the header has 2"),
        Pair("It shone.", "Sun"),
    ]


def test_csv_with_invalid_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"lead,headline\nfine,fine\ncaf\xe9,x\nmore,more\n")
    first, bad, last = read(path)
    assert first == Pair("fine", "fine") and last == Pair("more", "more")
    assert isinstance(bad, BadLine) and bad.line == 3 and "UTF-8" in bad.why


def test_tsv_takes_quotes_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('lead\theadline\n"Stop" he said.\tMan says "stop\n')
    assert read(path) == [Pair('"Stop" he said.', 'Man says "stop')]


def test_parquet_rows_and_a_file_that_is_none(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "a.parquet"
    table = pyarrow.table({"lead": [LEAD, None], "headline": [HEADLINE, "x"], "id": [1, 2]})
    pyarrow.parquet.write_table(table, path)
    pair, bad = read(path)
    assert pair == Pair(LEAD, HEADLINE, "1")
    assert isinstance(bad, BadLine) and bad.line == 2
    path.write_bytes(b"not parquet")
    (broken,) = read(path)
    assert isinstance(broken, BadLine) and "Parquet" in broken.why


def test_parallel_files_must_be_of_one_length(tmp_path: Path) -> None:
    leads, titles = tmp_path / "leads.txt", tmp_path / "titles.txt"
    leads.write_text("one lead\n\nthird lead\nfourth\n")
    titles.write_text("one\ntwo\nthree\n")
    (reader,) = open_readers([leads, titles])
    records = list(reader.records())
    assert isinstance(records[-1], BadLine)
    assert str(leads) in records[-1].file and records[-1].line == 4 and "more lines" in records[-1].why
    parsed = [reader.parse(record) for record in records if not isinstance(record, BadLine)]
    assert parsed[0] == Pair("one lead", "one")
    assert isinstance(parsed[1], BadLine) and parsed[1].harmless


def test_formats_are_told_by_name_and_mistakes_are_sentences(tmp_path: Path) -> None:
    odd = tmp_path / "a.doc"
    odd.write_text("x")
    with pytest.raises(UserError, match="cannot tell the format"):
        open_readers([odd])
    with pytest.raises(UserError, match="does not exist"):
        open_readers([tmp_path / "missing.csv"])
    with pytest.raises(UserError, match="unknown format"):
        open_readers([odd], "word")
    with pytest.raises(UserError, match="in twos"):
        open_readers([odd], "parallel")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="holds no files"):
        open_readers([empty])


def test_a_folder_stands_for_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", ".hidden.jsonl"):
        (tmp_path / name).write_text("")
    assert [reader.path.name for reader in open_readers([tmp_path])] == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("blank", ["", "   ", "\r"])
@pytest.mark.parametrize(("suffix", "mark"), [(".csv", ","), (".tsv", "\t")])
def test_a_blank_line_does_not_end_a_table(tmp_path: Path, blank: str, suffix: str, mark: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text(f"{blank}\nlead{mark}headline\nOne lead.{mark}One\n{blank}\n{blank}\nTwo leads.{mark}Two\n")
    found = read(path)
    assert [each for each in found if isinstance(each, Pair)] == [Pair("One lead.", "One"), Pair("Two leads.", "Two")]
    assert all(bad.harmless for bad in found if isinstance(bad, BadLine))


def test_parquet_rows_are_numbered_through_all_batches(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    count = PARQUET_ROWS + 10
    table = pyarrow.table({"lead": [LEAD] * (count - 1) + [None], "headline": [HEADLINE] * count})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    bad = [each for each in read(tmp_path / "a.parquet") if isinstance(each, BadLine)]
    assert [each.line for each in bad] == [count]
