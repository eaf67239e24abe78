from __future__ import annotations

import os
import time

import pytest

from hedline.bench.serve import Load, judge, processor_seconds, read_inputs, render, run, total

pytest.importorskip("uvicorn", reason="the server needs hedline[serve]")


def test_every_answer_is_counted_and_compared() -> None:
    load = Load(2.0, {0: b"a", 2: b"x"}, [0.5, 1.5], refused=1, failed=1)
    found = judge(load, [b"a", b"b", b"c"], seconds=1.5)
    assert (found["lost"], found["different"], found["failed"], found["refused"]) == (1, 1, 1, 1)
    assert (found["answered"], found["serve_s"], found["summarize_s"], found["share"]) == (2, 2.0, 1.5, 0.5)
    assert (found["median_s"], found["p99_s"]) == (1.5, 1.5)


def test_all_rounds_count_together() -> None:
    slow = {"answered": 90, "lost": 10, "serve_s": 30.0, "summarize_s": 20.0, "share": 0.6, "refused": 3}
    quick = {"answered": 100, "lost": 0, "serve_s": 8.0, "summarize_s": 5.0, "share": 0.625, "refused": 0}
    used = {"summarize_processor_s": 9.0, "serve_processor_s": 10.0, "failed": 0, "different": 0}
    found = total([slow | used, quick | used])
    assert (found["serve_per_second"], found["summarize_per_second"], found["share"]) == (5.0, 8.0, 0.625)
    assert (found["processor_share"], found["lost"], found["refused"]) == (0.9, 10, 3)


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
    assert 1 < result["lone"]["api_processor_ms"] < result["lone"]["serve_processor_ms"] + 20 < 500
