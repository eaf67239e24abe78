"""Two parallel text files: leads in one, headlines in the other, a line each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from hedline.corpora.lines import decode_line, read_lines
from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.reader import Record


@dataclass(frozen=True)
class Parallel:
    """Leads in `path`, headlines in `headlines`."""

    path: Path
    headlines: Path

    def records(self) -> Iterator[Record | BadLine]:
        """Pairs of raw lines; when one file is shorter the work ends there with a `BadLine`."""
        for lead, headline in zip_longest(read_lines(self.path), read_lines(self.headlines)):
            if lead is None or headline is None:
                yield self._uneven(lead, headline)
                return
            broken = [item for item in (lead, headline) if isinstance(item, BadLine)]
            if broken:
                yield from broken
            elif not isinstance(lead, BadLine) and not isinstance(headline, BadLine):
                yield Record(lead[0], (lead[1], headline[1]))

    def parse(self, record: Record) -> Pair | BadLine:
        """Decode both lines."""
        texts = []
        for path, raw in zip((self.path, self.headlines), record.raw, strict=True):
            text = decode_line(str(path), record.line, raw)
            if isinstance(text, BadLine):
                return text
            if not text.strip():
                return BadLine(str(path), record.line, "the line is empty", harmless=True)
            texts.append(text)
        return Pair(texts[0], texts[1])

    def _uneven(self, lead: object, headline: object) -> BadLine:
        longer, shorter = (self.headlines, self.path) if lead is None else (self.path, self.headlines)
        present = headline if lead is None else lead
        line = present.line if isinstance(present, BadLine) else present[0]  # type: ignore[index]
        return BadLine(str(longer), line, f"has more lines than {shorter}, which ends before this line")
