"""Counts and timings of a server in Prometheus' text format."""

from __future__ import annotations

import resource
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Counter:
    """A number that only grows, one per combination of label values."""

    kind = "counter"

    def __init__(self, name: str, text: str, *labels: str) -> None:
        self.name, self.text, self.labels = name, text, labels
        self.values: dict[tuple[str, ...], float] = {} if labels else {(): 0.0}

    def add(self, amount: float = 1.0, *values: str) -> None:
        """Grow the number of these label values."""
        self.values[values] = self.values.get(values, 0.0) + amount

    def lines(self) -> Iterator[str]:
        """The samples as lines."""
        for values, number in self.values.items():
            yield f"{self.name}{_labels(self.labels, values)} {number:.10g}"


class Gauge(Counter):
    """A number that goes up and down."""

    kind = "gauge"

    def set(self, value: float, *values: str) -> None:
        """Set the number of these label values."""
        self.values[values] = value


class Histogram:
    """How often a measurement fell below each bound, with its sum and count."""

    kind = "histogram"

    def __init__(self, name: str, text: str, bounds: Sequence[float], *labels: str) -> None:
        self.name, self.text, self.bounds, self.labels = name, text, tuple(bounds), labels
        self.counts: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0] * (len(self.bounds) + 1))
        self.sums: dict[tuple[str, ...], float] = defaultdict(float)
        if not labels:
            _ = self.counts[()]

    def observe(self, value: float, *values: str) -> None:
        """Count one measurement."""
        place = next((i for i, bound in enumerate(self.bounds) if value <= bound), len(self.bounds))
        self.counts[values][place] += 1
        self.sums[values] += value

    def lines(self) -> Iterator[str]:
        """Buckets, sum and count as lines."""
        for values, counts in self.counts.items():
            total = 0
            for bound, count in zip((*self.bounds, "+Inf"), counts, strict=True):
                total += count
                shown = bound if isinstance(bound, str) else f"{bound:g}"
                yield f"{self.name}_bucket{_labels((*self.labels, 'le'), (*values, shown))} {total}"
            yield f"{self.name}_sum{_labels(self.labels, values)} {self.sums[values]:.10g}"
            yield f"{self.name}_count{_labels(self.labels, values)} {total}"


def _labels(names: Sequence[str], values: Sequence[str]) -> str:
    """`{name="value",…}`, empty without labels."""
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in zip(names, values, strict=True))
    return f"{{{pairs}}}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class Metrics:
    """All measurements of one server."""

    def __init__(self) -> None:
        self.requests = Counter("hedline_requests_total", "Requests answered.", "path", "status")
        self.seconds = Histogram("hedline_request_seconds", "Time from request to answer.", SECONDS, "path")
        self.texts = Counter("hedline_texts_total", "Texts summarised.")
        self.refused = Counter("hedline_refused_total", "Requests refused, by reason.", "reason")
        self.left = Counter("hedline_hung_up_total", "Requests whose client went away before the answer.")
        self.batches = Histogram("hedline_batch_texts", "Texts searched together.", TEXTS)
        self.waited = Histogram("hedline_queue_seconds", "Time a text waited for a worker.", SECONDS)
        self.queued = Gauge("hedline_queue_texts", "Texts that wait now.")
        self.in_flight = Gauge("hedline_requests_in_flight", "Requests being answered now.")
        self.workers = Gauge("hedline_workers", "Worker processes that are ready.")
        self.replaced = Counter("hedline_workers_replaced_total", "Worker processes that died or hung.")
        self.memory = Gauge("process_peak_resident_memory_bytes", "Largest memory of the serving process so far.")

    def render(self) -> str:
        """The page that Prometheus reads."""
        self.memory.set(peak_memory())
        lines = []
        for each in vars(self).values():
            lines += [f"# HELP {each.name} {each.text}", f"# TYPE {each.name} {each.kind}", *each.lines()]
        return "\n".join(lines) + "\n"


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
