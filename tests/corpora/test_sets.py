"""Evaluation sets and pairs files read as such."""

import json
from pathlib import Path

import pytest

from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.errors import UserError


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_sets_pairs_and_limits(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"id": "x", "lead": "It rained.", "references": ["Rain", "Wet day"]},
        {"lead": "It snowed.", "headline": "Snow"},
    )
    both = [EvaluationItem("x", "It rained.", ("Rain", "Wet day")), EvaluationItem("2", "It snowed.", ("Snow",))]
    assert read_evaluation_set(path) == both
    assert read_evaluation_set(path, limit=1) == both[:1]


def test_csv_pairs_work_as_a_set(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("lead,headline,id\nIt rained.,Rain,7\n")
    assert read_evaluation_set(path) == [EvaluationItem("7", "It rained.", ("Rain",))]


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({"lead": "x"}, "a.jsonl:2: needs 'references'"),
        ({"lead": "x", "references": []}, "a.jsonl:2: needs"),
        ({"lead": "x", "references": ["a", " "]}, "a.jsonl:2: needs"),
        ({"lead": " ", "references": ["a"]}, "a.jsonl:2: field 'lead' is missing or empty"),
        ({"id": 1, "lead": "x", "references": ["a"]}, "already used on line 1"),
        ([1], "a.jsonl:2: not a JSON object"),
    ],
)
def test_any_bad_line_stops_with_file_and_line(tmp_path: Path, row: object, match: str) -> None:
    path = write(tmp_path / "a.jsonl", {"id": "1", "lead": "It rained.", "references": ["Rain"]}, row)
    with pytest.raises(UserError, match=match):
        read_evaluation_set(path)


def test_an_empty_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no evaluation items"):
        read_evaluation_set(write(tmp_path / "a.jsonl"))
