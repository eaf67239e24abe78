"""`hedline duc`: the official files become a set, and what is missing is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.cli.main import run

LEAD = "The harbour board sold the old ferry to a museum in Visby on Monday, "
LEAD += "ending a dispute of nine years with the town over the cost of its upkeep."


@pytest.fixture
def year(tmp_path: Path) -> Path:
    """One document of 2004 with three of its four references."""
    folder = tmp_path / "docs" / "d30001t"
    folder.mkdir(parents=True)
    (folder / "TST19981016.0240").write_text(
        f"<DOC>\n<DOCNO> TST19981016.0240 </DOCNO>\n<TEXT>\n{LEAD}\n</TEXT>\n</DOC>\n"
    )
    (tmp_path / "models").mkdir()
    for annotator in "ABC":
        (tmp_path / "models" / f"D30001.P.10.T.{annotator}.TST19981016.0240").write_text(f"Ferry sold {annotator}\n")
    return tmp_path


def test_an_incomplete_year_is_written_and_reported(year: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = year / "set.jsonl"
    paths = ["--docs", str(year / "docs"), "--models", str(year / "models"), "--out", str(out)]
    with pytest.raises(SystemExit) as left:
        run(["duc", "--year", "2004", *paths])
    assert not left.value.code
    said = capsys.readouterr()
    assert said.out == f"{out}: 1 items\n"  # and no word about a complete year
    assert "hedline: note: " in said.err and "TST19981016.0240" in said.err
    (row,) = map(json.loads, out.read_text().splitlines())
    assert row["lead"] == LEAD and row["references"] == ["Ferry sold A", "Ferry sold B", "Ferry sold C"]
