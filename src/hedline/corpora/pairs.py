"""What every reader yields: a pair of lead and headline, or a bad line that says where and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Pair(NamedTuple):
    """A lead sentence and its headline, both raw text; `date` is `YYYY-MM-DD` or empty."""

    lead: str
    headline: str
    id: str = ""
    source: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A place in a file that gave no pair.

    line: 1-based, 0 when the whole file is meant; harmless: blank, so it never stops the work, only counts.
    """

    file: str
    line: int
    why: str
    harmless: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.why}" if self.line else f"{self.file}: {self.why}"
