"""Tables in, tables out: what the user's rows keep, and what is refused before anything of them is lost."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from hedline.corpora.rows import Row, columns_of, kind_of, open_table, read_rows, style_of
from hedline.errors import UserError


def rewrite(source: Path, out: Path) -> Path:
    """The rows of a table with a column `n` that counts them."""
    with open_table(out, kind_of(out), "n", style_of(source)) as table:
        rows = list(read_rows(source, kind_of(source)))
        for number, row in enumerate(rows):
            table.write(row, str(number))
        table.close(() if rows else columns_of(source, kind_of(source)))
    return out


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.xz"])
def test_cells_of_every_kind_come_back(tmp_path: Path, name: str) -> None:
    odd = ["", " ", "a\rb", "a\nb", "a\r\nb", 'say "no"', '"', ",", "é \u2028 \x85 \x1c", "\ufeff", "=1+1", "'"]
    source = tmp_path / "odd.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["a,b", 'c"d'], *zip(odd, reversed(odd), strict=True)])
    out = rewrite(source, tmp_path / name)
    rows = [list(row.cells.values()) for row in read_rows(out, "csv")]
    assert rows == [[*pair, str(i)] for i, pair in enumerate(zip(odd, reversed(odd), strict=True))]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_byte_order_mark_and_line_ends_stay(tmp_path: Path, mark: str, end: str, suffix: str) -> None:
    comma = "," if suffix == "csv" else "\t"
    source, out = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    source.write_bytes((mark + comma.join("ab") + end + comma.join("xé") + end).encode())
    written = rewrite(source, out).read_bytes().decode()
    assert written == mark + comma.join("abn") + end + comma.join("xé0") + end


def test_what_is_written_reads_with_the_csv_module(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes(b'a,b\n"x\ry",z\n')
    text = rewrite(source, tmp_path / "b.csv").read_bytes().decode()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["a", "b", "n"], ["x\ry", "z", "0"]]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'a,b\n1,"open\n2,x\n', "a.csv:2: not valid CSV (a quotation mark is not closed)"),
        (b'a,b\n1,"shut"x\n', "a.csv:2: not valid CSV (a letter after the quotation mark that ends a cell)"),
        (b"a,b\r1,x\r", "a.csv:1: not valid CSV (a carriage return outside quotation marks"),
        ("a,b\n1,Café\n".encode("latin-1"), "a.csv:2: invalid UTF-8 at byte 6 of the line; save it as UTF-8"),
        ("a,b\n1,x\n".encode("utf-16"), "a.csv:1: invalid UTF-8 at byte 1 of the line; save it as UTF-8"),
        (b"a,b,a\n1,x,y\n", "has two columns 'a'; rename one of them"),
        (b"a,b\n1\n", "a.csv:2: 1 fields where the header has 2"),
    ],
)
def test_csv_that_would_lose_something_stops_there(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(UserError) as told:
        list(read_rows(tmp_path / "a.csv", "csv"))
    assert sentence in str(told.value)


def test_an_open_quotation_mark_can_be_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b\n1,x\n2,"open\n3,x\n', encoding="utf-8")
    told: list[str] = []
    assert [row.cells["a"] for row in read_rows(tmp_path / "a.csv", "csv", told.append)] == ["1"]
    assert len(told) == 1 and "a.csv:3" in told[0]


def test_json_lines_keep_their_own_text(tmp_path: Path) -> None:
    lines = ['{"a": 12345678901234567890, "b": 1.10, "a": 2}', "{}", '  {"x":"\\u00e9"}  ']
    with open_table(tmp_path / "b.jsonl", "jsonl", "n") as table:
        for line in lines:
            table.write(Row(json.loads(line), line), "v")
    written = (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()
    assert written == [
        '{"a": 12345678901234567890, "b": 1.10, "a": 2, "n": "v"}',
        '{"n": "v"}',
        '{"x":"\\u00e9", "n": "v"}',
    ]


class TestParquet:
    """Needs pyarrow."""

    @pytest.fixture
    def arrow(self) -> Any:
        return pytest.importorskip("pyarrow", reason="Parquet needs hedline[tables]")

    def write(self, arrow: Any, path: Path, columns: dict[str, Any], **options: Any) -> Path:
        from pyarrow import parquet

        parquet.write_table(arrow.table(columns).replace_schema_metadata({"mine": "kept"}), path, **options)
        return path

    def test_types_rows_and_metadata_stay(self, arrow: Any, tmp_path: Path) -> None:
        from pyarrow import parquet

        columns = {
            "kind": arrow.array(["a", "b", None]).dictionary_encode(),
            "nested": arrow.array([{"x": [1]}, None, {"x": []}]),
            "small": arrow.array([1, None, 3], arrow.int8()),
            "bytes": arrow.array([b"\xff\x00", None, b""]),
        }
        source = self.write(arrow, tmp_path / "a.parquet", columns, row_group_size=2)
        before = parquet.read_table(source)
        after = parquet.read_table(rewrite(source, tmp_path / "b.parquet"))
        assert after.drop_columns(["n"]).equals(before) and after["n"].to_pylist() == ["0", "1", "2"]
        assert after.schema.metadata == before.schema.metadata

    def test_a_table_without_rows_keeps_its_types(self, arrow: Any, tmp_path: Path) -> None:
        from pyarrow import parquet

        source = self.write(arrow, tmp_path / "a.parquet", {"a": arrow.array([], arrow.int16())})
        schema = parquet.read_schema(rewrite(source, tmp_path / "b.parquet"))
        assert schema.names == ["a", "n"] and schema.field("a").type == arrow.int16()
        assert rewrite(source, tmp_path / "b.csv").read_text(encoding="utf-8") == "a,n\n"

    def test_fields_that_come_later_are_kept_or_refused(self, arrow: Any, tmp_path: Path) -> None:
        from pyarrow import parquet

        rows = [Row({"a": 1}), Row({"b": "x"})]
        with open_table(tmp_path / "b.parquet", "parquet", "n") as table:
            for row in rows:
                table.write(row, "v")
            table.close()
        assert parquet.read_table(tmp_path / "b.parquet").to_pylist() == [
            {"a": 1, "b": None, "n": "v"},
            {"a": None, "b": "x", "n": "v"},
        ]
        with (
            pytest.raises(UserError, match="a row has a field 'b'"),
            open_table(tmp_path / "c.csv", "csv", "n") as table,
        ):
            for row in rows:
                table.write(row, "v")

    def test_files_of_other_columns_do_not_mix(self, arrow: Any, tmp_path: Path) -> None:
        first = self.write(arrow, tmp_path / "a.parquet", {"a": ["x", "y"]})
        second = self.write(arrow, tmp_path / "b.parquet", {"a": ["z"], "other": [1]})
        (tmp_path / "c.csv").write_text("a\nw\n", encoding="utf-8")
        for sources in ([first, second], [tmp_path / "c.csv", second]):
            rows = [row for path in sources for row in read_rows(path, kind_of(path))]
            with pytest.raises(UserError, match="other columns or types"):
                self.write_all(rows, tmp_path / "d.parquet")
        both = [*read_rows(tmp_path / "c.csv", "csv"), *read_rows(first, "parquet")]
        self.write_all(both, tmp_path / "d.parquet")
        assert [row.cells["a"] for row in read_rows(tmp_path / "d.parquet", "parquet")] == ["w", "x", "y"]

    def write_all(self, rows: list[Row], out: Path) -> None:
        with open_table(out, "parquet", "n") as table:
            for row in rows:
                table.write(row, "v")
            table.close()

    def test_two_columns_of_one_name_are_refused(self, arrow: Any, tmp_path: Path) -> None:
        from pyarrow import parquet

        twins = arrow.Table.from_arrays([arrow.array(["x"]), arrow.array(["y"])], names=["a", "a"])
        parquet.write_table(twins, tmp_path / "a.parquet")
        with pytest.raises(UserError, match="two columns 'a'"):
            list(read_rows(tmp_path / "a.parquet", "parquet"))
