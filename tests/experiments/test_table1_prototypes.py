"""`hedline reproduce prototypes`: baselines on the first inputs beside the least that they should reach."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_world import pair, write_set

from hedline.baselines.system import find_system
from hedline.errors import UserError
from hedline.experiments import record, table1
from hedline.experiments.record import Request, Row

WITHOUT_MODELS = {"test, first 500/Trimmer"}  # runs wherever its parser is installed


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """IR fitted on pairs of the small world, and a set called test."""
    monkeypatch.setattr(record, "commit", lambda: "0123456789ab")
    data = tmp_path / "pairs.jsonl"
    rows = [{"lead": lead, "headline": headline} for lead, headline in map(pair, range(40))]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    find_system("ir").fit([data], tmp_path / "models" / "ir", {})
    return Request(
        results=tmp_path / "results", models=tmp_path / "models", sets=(write_set(tmp_path / "test.jsonl", 210),)
    )


def scores(one: float, two: float, longest: float, width: float = 0.5) -> Row:
    values = dict(zip(("ROUGE-1", "ROUGE-2", "ROUGE-L"), (one, two, longest), strict=True))
    return {name: {"value": value, "low": value - width, "high": value + width} for name, value in values.items()}


def test_prefix_is_measured_on_the_inputs_of_either_group(request_: Request) -> None:
    rows = table1.run_prototypes(request_).rows
    assert set(rows) - WITHOUT_MODELS == {"test, first 500/PREFIX", "test, first 500/IR", "test, first 200/PREFIX"}
    assert rows["test, first 500/PREFIX"]["items"] == 210 and rows["test, first 200/PREFIX"]["items"] == 200
    assert rows["test, first 500/IR"]["score"] == "F"
    assert (
        rows["test, first 500/IR"]["provenance"]["model"] and not rows["test, first 200/PREFIX"]["provenance"]["model"]
    )


def test_rows_of_both_numbers_of_inputs_stand_beside_the_prototypes(request_: Request) -> None:
    section = next(
        each for each in table1.render_prototypes(table1.run_prototypes(request_).rows) if each.title.endswith("test")
    )
    grid = {line[0]: line for line in section.grid or []}
    assert grid["IR, first 500"][-2:] == ["18.74 / 5.31 / 16.02", "yes"]
    assert grid["PREFIX, first 200"][-2:] == ["–", "–"] and "[" in grid["PREFIX, first 200"][1]
    assert grid["COMPRESS, first 200"][1] == "not measured yet"


def test_only_what_is_asked_for_and_no_more_than_the_limit(request_: Request) -> None:
    rows = table1.run_prototypes(replace(request_, systems=("IR",), limit=7)).rows
    assert {key: row["items"] for key, row in rows.items()} == {"test, first 500/IR": 7}
    with pytest.raises(UserError, match="no system 'ABS'"):
        table1.run_prototypes(replace(request_, systems=("ABS",)))
    with pytest.raises(UserError, match="prototypes needs --set"):
        table1.run_prototypes(replace(request_, sets=()))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (scores(11.92, 1.66, 10.85), "yes"),
        (scores(11.916, 1.7, 10.9), "yes"),  # equal as printed
        (scores(11.74, 1.66, 10.85), "R-1 by 0.18, inside the interval"),
        (scores(11.00, 1.53, 10.85), "R-1 by 0.92; R-2 by 0.13, inside the interval"),
    ],
)
def test_the_verdict_names_what_falls_short(row: Row, says: str) -> None:
    assert table1.verdict(row, table1.PROTOTYPE_SCORES["IR"]["wire2004"]) == says
