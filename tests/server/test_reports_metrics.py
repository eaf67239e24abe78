"""The measurements as Prometheus' own parser reads them."""

from __future__ import annotations

import pytest

from hedline.server.reports import Counter, Histogram, Metrics

parser = pytest.importorskip("prometheus_client.parser", reason="needs prometheus-client, the format's own parser")


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_page_is_read_by_prometheus() -> None:
    metrics = Metrics()
    metrics.requests.add(1, "/summarize", "200")
    metrics.requests.add(1, "/summarize", "200")
    metrics.seconds.observe(0.02, "/summarize")
    metrics.seconds.observe(100.0, "/summarize")
    metrics.queued.set(7)
    found = samples(metrics.render())
    assert found["hedline_requests_total", (("path", "/summarize"), ("status", "200"))] == 2
    assert found["hedline_request_seconds_count", (("path", "/summarize"),)] == 2
    assert found["hedline_request_seconds_sum", (("path", "/summarize"),)] == pytest.approx(100.02)
    assert found["hedline_request_seconds_bucket", (("le", "0.01"), ("path", "/summarize"))] == 0
    assert found["hedline_request_seconds_bucket", (("le", "0.025"), ("path", "/summarize"))] == 1
    assert found["hedline_request_seconds_bucket", (("le", "+Inf"), ("path", "/summarize"))] == 2
    assert found["hedline_queue_texts", ()] == 7
    assert found["process_peak_resident_memory_bytes", ()] > 1e6


def test_a_new_server_shows_zeros() -> None:
    found = samples(Metrics().render())
    assert found["hedline_texts_total", ()] == 0
    assert found["hedline_batch_texts_count", ()] == 0


def test_labels_are_escaped() -> None:
    counter = Counter("name", "Text.", "label")
    counter.add(1, 'a"b\\c\nd')
    text = "\n".join(["# TYPE name counter", *counter.lines()]) + "\n"
    assert samples(text) == {("name_total", (("label", 'a"b\\c\nd'),)): 1} or list(samples(text).values()) == [1]


def test_a_measurement_on_a_bound_counts_below_it() -> None:
    histogram = Histogram("name", "Text.", (1, 2))
    histogram.observe(1)
    assert list(histogram.lines())[:2] == ['name_bucket{le="1"} 1', 'name_bucket{le="2"} 1']
