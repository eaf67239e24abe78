"""Progress of long work: a live line with rate and time left on a terminal, a plain line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


class Progress:
    """A counter that reports itself on stderr.

    total: how many units are expected, None when unknown; every: seconds between plain lines off a terminal.
    """

    def __init__(self, what: str, total: int | None = None, unit: str = "items", every: float = 15.0) -> None:
        self.what, self.total, self.unit, self.every = what, total, unit, every
        self.done = 0
        self.note = ""
        self.start = self._last = time.monotonic()
        self._live = sys.stderr.isatty()

    def advance(self, count: int = 1, note: str = "") -> None:
        """Count `count` more units; reports at most ten times a second (live) or every `every` seconds."""
        self.done += count
        self.note = note or self.note
        now = time.monotonic()
        if now - self._last >= (0.1 if self._live else self.every):
            self._last = now
            self._write(self.line(), end="\r" if self._live else "\n")

    def line(self) -> str:
        """One line: what, how far, how fast, how long still."""
        seconds = max(time.monotonic() - self.start, 1e-9)
        rate = self.done / seconds
        parts = [f"{self.what}: {self.done:,}" + (f" of {self.total:,}" if self.total else "") + f" {self.unit}"]
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2f}/s")
        if self.total and self.done:
            parts.append(f"{duration((self.total - self.done) / rate)} left")
        if self.note:
            parts.append(self.note)
        return ", ".join(parts)

    def close(self) -> None:
        """Leave a last line behind."""
        seconds = time.monotonic() - self.start
        self._write(f"{self.line()}, took {duration(seconds)}", end="\n")

    def _write(self, text: str, end: str) -> None:
        clear = "\x1b[2K\r" if self._live else ""
        print(f"{clear}{text}", end=end, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds as `1h02m`, `3m05s` or `4.2s`."""
    if seconds >= 3600:
        return f"{int(seconds // 3600)}h{int(seconds % 3600 // 60):02d}m"
    if seconds >= 60:
        return f"{int(seconds // 60)}m{int(seconds % 60):02d}s"
    return f"{max(seconds, 0):.1f}s"


def track(items: Iterable[T], what: str, total: int | None = None, unit: str = "items", least: int = -1) -> Iterator[T]:
    """Iterate with progress; a last line is left behind where there were more than `least` items."""
    progress = Progress(what, total, unit)
    for item in items:
        yield item
        progress.advance()
    if progress.done > least:
        progress.close()
