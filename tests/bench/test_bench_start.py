"""`hedline bench start`: a cold headline beside an import of numpy."""

from __future__ import annotations

import pytest

from hedline.bench import start
from hedline.errors import UserError


def test_both_programs_are_timed_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []

    def stub(arguments: list[str]) -> start.Cost:
        ran.append(arguments[0])
        return start.Cost(3.0, 2.0) if arguments[0] == "-m" else start.Cost(1.0 + len(ran), 0.5)

    monkeypatch.setattr(start, "time_process", stub)
    result = start.run(limit=3)
    assert ran == ["-m", "-c"] * 4  # the first of each warms up
    assert result["seconds"]["hedline"]["wall"] == {"median": 3.0, "best": 3.0}
    assert result["seconds"]["import numpy"]["wall"] == {"median": 7.0, "best": 5.0}
    assert result["ratio_of_best"] == {"wall": 0.6, "processor": 4.0}
    assert "0.60 x the time of importing numpy, 4.00 x" in start.render(result)


def test_a_process_is_timed_on_the_clock_and_on_the_processor() -> None:
    asleep = start.time_process(["-c", "import time; time.sleep(0.3)"])
    assert asleep.wall > 0.3 > asleep.processor > 0
    assert start.time_process(["-c", "sum(i * i for i in range(3_000_000))"]).processor > asleep.processor


def test_a_program_that_fails_is_told() -> None:
    with pytest.raises(UserError, match="failed: no such model"):
        start.time_process(["-c", "import sys; sys.exit('no such model')"])
