from __future__ import annotations

import os
import time

import pytest

from hedline.bench.serve import Load, judge, processor_seconds, read_inputs, render, run

pytest.importorskip("uvicorn", reason="the server needs hedline[serve]")


def test_every_answer_is_counted_and_compared() -> None:
    load = Load(2.0, {0: b"a", 2: b"x"}, [0.5, 1.5], refused=1, failed=1)
    found = judge(load, [b"a", b"b", b"c"], seconds=1.5)
    assert (found["lost"], found["different"], found["failed"], found["refused"]) == (1, 1, 1, 1)
    assert found["serve_per_second"] == 1.0 and found["summarize_per_second"] == 2.0 and found["share"] == 0.5
    assert (found["median_s"], found["p99_s"]) == (1.5, 1.5)


def test_processor_time_is_that_of_this_process() -> None:
    before, start = processor_seconds(os.getpid()), time.process_time()
    while time.process_time() < start + 0.3:
        pass
    assert processor_seconds(os.getpid()) - before == pytest.approx(0.3, abs=0.1)
    assert processor_seconds(os.getpid(), {os.getpid()}) < before + 0.1


def test_inputs_are_all_different() -> None:
    assert len(set(read_inputs(None, 500))) > 450


@pytest.mark.slow
def test_a_small_run_loses_nothing_and_differs_nowhere() -> None:
    result = run(model="abs", limit=12, threads=1)
    assert all(each["lost"] == each["different"] == each["failed"] == 0 for each in result["rounds"])
    text = render(result)
    assert "12 texts from 12 clients" in text and "a lone request" in text
