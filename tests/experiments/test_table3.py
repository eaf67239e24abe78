"""Table 3: the decoders and modes."""

from __future__ import annotations

import json

import pytest

from hedline.experiments import table3
from hedline.experiments.record import Request

pytestmark = pytest.mark.usefixtures("committed")


def test_table3_extractive_row_copies_everything(request_: Request) -> None:
    rows = table3.run(request_).rows
    assert rows["tiny/beam ABS+ printed extractive"]["ext"] == 100
    assert rows["tiny/greedy ABS+ printed"]["provenance"]["configuration"]["options"]["decoder"] == "greedy"
    grid = table3.render(rows)[0].grid
    assert grid is not None and "26.67 / 6.72 / 21.70" in grid[2] and "-1.81 / -2.19 / -2.27" in grid[2]


@pytest.mark.parametrize(
    ("first", "says"),
    [(0, "tuned on inputs of this very table"), (11, "inputs of this very table"), (12, "tuned on other inputs")],
)
def test_table3_says_when_its_weights_were_tuned_on_its_inputs(request_: Request, first: int, says: str) -> None:
    path = request_.models / "printed" / "tuning.json"
    tuning = {"set": {"name": "tiny.jsonl", "inputs": 500}, "settings": {"skip": first}}
    path.write_text(json.dumps(json.loads(path.read_text()) | tuning))
    section = table3.render(table3.run(request_).rows)[0]
    assert any(says in note for note in section.notes)
