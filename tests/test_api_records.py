"""Many records: order, constant look-ahead, every way of running gives the same lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_models import LEADS, words_folder

from hedline import api
from hedline.api import Job, summarize_records
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import Summary
from hedline.stream import Record


def test_no_more_is_read_than_a_few_chunks_ahead(monkeypatch):
    monkeypatch.setattr(api, "CHUNK", 10)
    taken = 0

    def endless():
        nonlocal taken
        for number in range(10**9):
            taken += 1
            yield Record(str(number), f"text {number}")

    results = summarize_records(
        endless(),
        Job("", None, 1),
        workers=1,
        work=lambda texts: [Summary(text.upper()) for text in texts],
    )
    first = [next(results) for _ in range(25)]
    assert [summary.text for _, summary in first] == [f"TEXT {number}" for number in range(25)]
    assert taken <= 40


def test_a_batch_is_answered_before_more_is_read():
    taken = []

    def slow_pipe():
        for number in range(3):
            taken.append(number)
            yield Record(str(number), f"text {number}")

    job = Job("", None, 1)
    results = summarize_records(slow_pipe(), job, workers=2, work=lambda texts: [Summary(text) for text in texts])
    assert (next(results)[1].text, taken) == ("text 0", [0])
    assert (next(results)[1].text, taken) == ("text 1", [0, 1])


def test_processes_give_the_same_lines_in_the_same_order(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(api, "CHUNK", 4)
    job = Job(str(words_folder(tmp_path / "model")), DecodeOptions(bytes=40), 2)
    records = [Record(str(number), LEADS[number % 3] + f" {number}") for number in range(22)]
    alone = [(record, summary.text) for record, summary in summarize_records(records, job, workers=1)]
    together = [(record, summary.text) for record, summary in summarize_records(records, job, workers=2)]
    assert together == alone
    assert [record for record, _ in alone] == records


@pytest.mark.slow
def test_ray_gives_the_same_lines(tmp_path: Path, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(api, "CHUNK", 4)
    job = Job(str(words_folder(tmp_path / "model")), DecodeOptions(words=5), 2)
    records = [Record(str(number), LEADS[number % 3]) for number in range(10)]
    try:
        spread = [summary.text for _, summary in summarize_records(records, job, workers=2, engine="ray")]
    finally:
        ray.shutdown()
    assert spread == [summary.text for _, summary in summarize_records(records, job, workers=1)]
