"""Tables as plain text and as Markdown, from the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MISSING = "–"
NOT_BUILT = "not built yet"
NOT_MEASURED = "not measured yet"

Grid = list[list[str]]  # the first row is the header


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
