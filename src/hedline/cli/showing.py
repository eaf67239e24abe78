"""How `hedline summarize` writes its results."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import IO

from hedline.decoding.nbest import zmert_lines
from hedline.decoding.stream import Record
from hedline.decoding.summary import Summary
from hedline.errors import UserError

MOST_MAPS = 200  # heat maps in one file


class Printer:
    """Writes summaries as they come, notes to stderr, and heat maps at the end.

    explain: FILE.html, FILE.svg, or `-` for the terminal; show: the same as `-`.
    """

    def __init__(self, file: IO[str], form: str, nbest: int, explain: str | None, show: bool) -> None:
        self.file, self.form, self.nbest = file, form, nbest
        self.in_terminal = show or explain == "-"
        self.path = None if explain in (None, "-") else Path(str(explain))
        if self.path is not None and self.path.suffix not in (".html", ".svg"):
            raise UserError(f"--explain writes FILE.html or FILE.svg (or - for the terminal), not {explain}")
        self.count = 0
        self.maps: list[tuple[str, Summary]] = []

    def show(self, record: Record, summary: Summary) -> None:
        """Write one result."""
        if self.maps and self.path is not None and self.path.suffix == ".svg":
            raise UserError("an SVG shows one text; write --explain FILE.html for several")
        for note in summary.notes:
            print(f"hedline: text {record.id}: {note}", file=sys.stderr)
        if self.form == "jsonl":
            print(json.dumps(summary.to_json(record.id, record.lead), ensure_ascii=False), file=self.file)
        elif self.form == "zmert":
            for line in zmert_lines(self.count, summary.nbest):
                print(line, file=self.file)
        elif self.nbest > 1 and summary.nbest:
            for hypothesis in summary.nbest:
                print(f"{record.id}\t{hypothesis.score:.4f}\t{hypothesis.text}", file=self.file)
        else:
            print(summary.text, file=self.file)
        self.count += 1
        if self.in_terminal:
            from hedline.decoding.heatmap import terminal_map

            print(terminal_map(summary), file=self.file)
        self.file.flush()  # who reads a pipe gets each headline when it is there
        if self.path is not None and len(self.maps) < MOST_MAPS:
            self.maps.append((record.lead, summary))

    def close(self) -> None:
        """Write the heat maps."""
        if self.path is None:
            return
        from hedline.decoding.heatmap import html_page, svg_map
        from hedline.files import write_text

        if self.path.suffix == ".svg":
            write_text(self.path, svg_map(self.maps[0][1]) if self.maps else "")
        else:
            write_text(self.path, html_page([summary for _, summary in self.maps]))
