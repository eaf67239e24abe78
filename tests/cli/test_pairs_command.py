"""`hedline pairs`: the feeds of examples/ become pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedline.cli.main import run
from hedline.corpora.pairs import Pair
from hedline.corpora.tables import read_pairs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "feeds"


def test_the_examples_give_four_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        run(["pairs", str(EXAMPLES), "--out", str(tmp_path / "pairs.jsonl")])
    assert leaving.value.code == 0
    said = capsys.readouterr().out
    assert "4 pairs from 2 files" in said and "1 repeated" in said and "1 without a sentence of text" in said
    found = list(read_pairs(tmp_path / "pairs.jsonl"))
    assert found[0] == Pair(
        "The city council of Larkwater voted on Tuesday to close the old harbour bridge for six months of repairs.",
        "Council to close harbour bridge for repairs",
        "",
        "harbour-post",
        "2026-02-03",
    )
    assert [pair.date for pair in found] == ["2026-02-03", "2026-02-04", "2026-02-06", "2026-02-08"]
    assert found[2].source == "Valley News (made up)"
