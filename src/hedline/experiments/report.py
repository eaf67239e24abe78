"""The parts of the reproduction report, its tables as plain text and as Markdown, and the numbers printed in the paper.

A part is a title, a table or some text, and notes below it. The paper is Rush, Chopra & Weston 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedline.experiments.record import Row, set_names
from hedline.settings import setting


@dataclass(frozen=True)
class Shown:
    """How results are shown: the page of all of them, or a part on the terminal."""

    doc: Path = setting(Path("docs/reproduction.md"), "The report that `report` and `all` write.")
    check: bool = setting(False, "With report: only say whether the file is stale.", names=("--check",))
    markdown: bool = setting(False, "Print Markdown instead of plain text.", names=("--markdown",))


@dataclass(frozen=True)
class Section:
    """grid: the table, None for text alone; body: Markdown or plain text after it; notes: small print.

    picture: a file that `hedline reproduce pictures` draws beside the results, "" for none.
    """

    title: str
    grid: Grid | None = None
    body: str = ""
    notes: tuple[str, ...] = ()
    picture: str = ""

    def text(self) -> str:
        """For the terminal."""
        drawn = f"picture: {self.picture} (`hedline reproduce pictures` draws it)" if self.picture else ""
        parts = [self.title, as_text(self.grid) if self.grid else "", self.body, *self.notes, drawn]
        return "\n".join(part for part in parts if part)

    def markdown(self, pictures: str = "../results") -> str:
        """For docs/reproduction.md. pictures: the folder of pictures, as seen from the page."""
        drawn = f"![{self.title}]({pictures}/{self.picture})" if self.picture else ""
        parts = [f"## {self.title}", drawn, as_markdown(self.grid) if self.grid else "", self.body]
        parts.append("\n".join(f"- {note}" for note in self.notes))
        return "\n\n".join(part for part in parts if part) + "\n"


def by_set(
    title: str,
    rows: Rows,
    grid: Callable[[str, Rows], Grid],
    notes: Callable[[str, Rows], tuple[str, ...]],
    picture: Callable[[str], str] = lambda name: "",
) -> list[Section]:
    """A table for each set that rows were measured on; without any, one of the published numbers alone."""
    names = set_names(rows)
    made = [Section(f"{title} on {each}", grid(each, rows), "", notes(each, rows), picture(each)) for each in names]
    return made or [Section(title, grid("", rows), "", notes("", rows))]


MISSING = "–"
NOT_MEASURED = "not measured yet"
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")  # the columns of every table

Grid = list[list[str]]  # the first row is the header
Rows = dict[str, Row]


def as_text(grid: Grid) -> str:
    """Columns padded to their widest cell, the first flush left, the rest flush right."""
    widths = [max(len(row[column]) for row in grid) for column in range(len(grid[0]))]
    lines = []
    for row in grid:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def as_markdown(grid: Grid) -> str:
    """A GitHub table with right-aligned numbers."""
    header, *rows = [[cell.replace("|", "\\|") for cell in row] for row in grid]
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def number(value: float | None, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return MISSING if value is None else f"{value:.{digits}f}"


def triple(values: Sequence[float] | None) -> str:
    """ROUGE-1 / ROUGE-2 / ROUGE-L as printed in papers."""
    return MISSING if values is None else " / ".join(f"{value:.2f}" for value in values)


def with_interval(score: dict[str, Any] | None) -> str:
    """`27.29 [26.61, 27.95]`."""
    return MISSING if score is None else f"{score['value']:.2f} [{score['low']:.2f}, {score['high']:.2f}]"


Triple = tuple[float, float, float]  # ROUGE-1, ROUGE-2, ROUGE-L


@dataclass(frozen=True)
class Published:
    """One row of Table 1: DUC-2004 (recall at 75 bytes), Gigaword as printed, and Ext. % on Gigaword."""

    duc: Triple | None = None
    gigaword: Triple | None = None
    extractive: float | None = None


TABLE1: dict[str, Published] = {
    "IR": Published((11.06, 1.67, 9.67), (16.91, 5.55, 15.58), 29.2),
    "PREFIX": Published((22.43, 6.49, 19.65), (23.14, 8.25, 21.73), 100.0),
    "COMPRESS": Published((19.77, 4.02, 17.30), (19.63, 5.13, 18.28), 100.0),
    "W&L": Published((22.0, 6.0, 17.0)),
    "TOPIARY": Published((25.12, 6.46, 20.12)),
    "MOSES+": Published((26.50, 8.13, 22.85), (28.77, 12.10, 26.44), 70.5),
    "ABS": Published((26.55, 7.06, 22.05), (30.88, 12.22, 27.77), 85.4),
    "ABS+": Published((28.18, 8.49, 23.81), (31.00, 12.65, 28.34), 91.5),
    "REFERENCE": Published((29.21, 8.38, 24.46), None, 45.6),
}

# Perplexity on the Gigaword validation set.
TABLE2: dict[str, float] = {"kn5": 183.2, "none": 145.9, "bow": 43.6, "conv": 35.9, "printed": 27.1}

# ROUGE recall on DUC-2003 (75 bytes).
TABLE3: dict[str, Triple] = {
    "greedy ABS+": (26.67, 6.72, 21.70),
    "beam BoW": (22.15, 4.60, 18.23),
    "beam ABS+ extractive": (27.89, 7.56, 22.84),
    "beam ABS+": (28.48, 8.91, 23.97),
}
