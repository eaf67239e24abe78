from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.corpora.rows import Row, TableWriter, check_name, columns_of, kind_of, open_table, read_rows
from hedline.errors import UserError

CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)


def write(path: Path, rows: list[Row], kind: str, column: str = "headline") -> None:
    with open_table(path, kind, column) as table:
        for number, row in enumerate(rows):
            table.write(row, f"H{number}")
        table.close()


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_csv_cells_come_back_as_they_were(cells: list[tuple[str, str]]) -> None:
    file = io.StringIO(newline="")
    table = TableWriter(file, "csv", "headline")
    for a, b in cells:
        table.write(Row({"a": a, "b": b}), "h")
    back = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    assert back == [["a", "b", "headline"], *([a, b, "h"] for a, b in cells)]


def test_csv_and_tsv_keep_all_columns_and_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('z,lead,"a b"\n1,"x, ""y""\nz",\n', encoding="utf-8")
    write(tmp_path / "b.csv", list(read_rows(tmp_path / "a.csv", "csv")), "csv")
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == 'z,lead,a b,headline\n1,"x, ""y""\nz",,H0\n'
    (tmp_path / "a.tsv").write_text('lead\tn\nsays "no\t1\n', encoding="utf-8")
    write(tmp_path / "b.tsv", list(read_rows(tmp_path / "a.tsv", "tsv")), "tsv")
    assert (tmp_path / "b.tsv").read_text(encoding="utf-8") == 'lead\tn\theadline\nsays "no\t1\tH0\n'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"a": 1.50, "b": 12345678901234567890123}', '{"a": 1.50, "b": 12345678901234567890123, "headline": "H0"}'),
        ("{}", '{"headline": "H0"}'),
        ('  {"a":"}" }  ', '{"a":"}", "headline": "H0"}'),
        ("", ""),
    ],
)
def test_a_line_of_json_keeps_every_byte_of_its_fields(tmp_path: Path, line: str, expected: str) -> None:
    cells = json.loads(line) if line else {}
    write(tmp_path / "b.jsonl", [Row(cells, line)], "jsonl")
    assert (tmp_path / "b.jsonl").read_text(encoding="utf-8") == expected + "\n"


def test_parquet_keeps_types_and_null_values(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "lead": ["a", None, "c"],
        "when": arrow.array([1, 2, None], arrow.timestamp("ns")),
        "kind": arrow.array(["x", "y", "x"]).dictionary_encode(),
        "tags": [["p"], [], None],
        "price": [Decimal("1.10"), None, Decimal("2.25")],
    }
    table = arrow.table(columns)
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    write(tmp_path / "b.parquet", list(read_rows(tmp_path / "a.parquet", "parquet")), "parquet")
    back = parquet.read_table(tmp_path / "b.parquet")
    assert back.select(table.column_names).equals(parquet.read_table(tmp_path / "a.parquet"))
    assert back["headline"].to_pylist() == ["H0", "H1", "H2"]


def test_tables_change_their_format(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    when = datetime(2024, 5, 1, tzinfo=UTC)
    rows = [Row({"lead": "a", "n": 1, "tags": ["x", "ä"], "when": when}), Row({"lead": "b", "n": None, "tags": []})]
    write(tmp_path / "b.csv", rows, "csv")
    assert (tmp_path / "b.csv").read_text(encoding="utf-8").splitlines()[1:] == [
        'a,1,"[""x"", ""ä""]",2024-05-01 00:00:00+00:00,H0',
        "b,,[],,H1",
    ]
    write(tmp_path / "b.parquet", rows, "parquet")
    assert parquet.read_table(tmp_path / "b.parquet").column_names == ["lead", "n", "tags", "when", "headline"]
    write(tmp_path / "b.jsonl", list(read_rows(tmp_path / "b.csv", "csv")), "jsonl", "h")
    assert json.loads((tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()[0])["h"] == "H0"


def test_output_is_compressed_as_its_name_says(tmp_path: Path) -> None:
    for name, unpack in (("b.csv.gz", gzip.open), ("b.csv.xz", lzma.open)):
        write(tmp_path / name, [Row({"lead": "x"})], "csv")
        with unpack(tmp_path / name) as file:
            assert file.read() == b"lead,headline\nx,H0\n"


def test_nothing_of_the_users_is_lost_silently(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,a\n1,2\n", encoding="utf-8")
    with pytest.raises(UserError, match="has two columns 'a'"):
        list(read_rows(tmp_path / "a.csv", "csv"))
    with pytest.raises(UserError, match="has a column 'headline' already"):
        write(tmp_path / "b.csv", [Row({"headline": "x"})], "csv")
    with pytest.raises(UserError, match="a row has a field 'c' that the first row has not"):
        write(tmp_path / "b.csv", [Row({"a": "x"}), Row({"a": "x", "c": "y"})], "csv")
    with pytest.raises(UserError, match="which TSV cannot"):
        write(tmp_path / "b.tsv", [Row({"a": "x\ty"})], "tsv")
    assert not (tmp_path / "b.csv").exists() and not (tmp_path / "b.tsv").exists()


def test_a_broken_row_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1\n", encoding="utf-8")
    with pytest.raises(UserError, match="1 fields where the header has 2; mend the file"):
        list(read_rows(tmp_path / "a.csv", "csv"))
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    with pytest.raises(UserError, match="is not a readable Parquet file"):
        list(read_rows(tmp_path / "a.parquet", "parquet"))
    with pytest.raises(UserError, match="cannot be read from a pipe"):
        list(read_rows(tmp_path / "none", "parquet"))


def test_names_tell_formats() -> None:
    assert [kind_of(Path(name)) for name in ("a.csv", "a.TSV.gz", "a.ndjson.xz", "a.txt", "a")] == [
        "csv",
        "tsv",
        "jsonl",
        "",
        "",
    ]
    check_name(Path("a.csv"), "csv", "--format")
    check_name(Path("a.out"), "csv", "--format")
    with pytest.raises(UserError, match=r"--format csv does not fit a\.txt, whose name says text"):
        check_name(Path("a.txt"), "csv", "--format")


def test_the_columns_of_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,"b c"\n', encoding="utf-8")
    assert columns_of(tmp_path / "a.csv", "csv") == ["a", "b c"]
    assert columns_of(tmp_path / "a.jsonl", "jsonl") == []
