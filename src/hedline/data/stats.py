"""`stats.json`: the paper's corpus paragraph for this data, and what was removed and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hedline.data.blocks import ROLES
from hedline.data.chunkfile import Summary
from hedline.data.division import Division
from hedline.data.tally import Tally, Totals

MAX_BAD_LINES = 100


def build_stats(
    summaries: Sequence[Summary], division: Division, counted: Tally, details: dict[str, Any]
) -> dict[str, Any]:
    """All counts as plain JSON values."""
    removed: Counter[str] = Counter()
    cleaned: Counter[str] = Counter()
    for summary in summaries:
        removed.update(summary["removed"])
        cleaned.update(summary["cleaned"])
    removed.update(division.removed)
    read = Counter(dict.fromkeys(ROLES, 0))
    for summary in summaries:
        read[summary["role"]] += summary["read"]
    lines = [line for summary in summaries for line in summary["bad_lines"]]
    return {
        "read": dict(read),
        "bad": sum(summary["bad"] for summary in summaries),
        "blank": sum(summary["blank"] for summary in summaries),
        "bad_lines": [_place(line) for line in lines if not line[3]][:MAX_BAD_LINES],
        "blank_lines": [_place(line) for line in lines if line[3]][:MAX_BAD_LINES],
        "removed": dict(sorted(removed.items())),
        "cleaned": dict(sorted(cleaned.items())),
        "leaks": division.leaks,
        "shares": division.shares,
        "types": {"input": counted.inputs.types(), "output": counted.outputs.types()},
        "splits": {role: _split(counted.totals[role]) for role in ROLES},
        **details,
    }


def _place(line: list[Any]) -> str:
    """A bad line without its folder, so that the same data gives the same bytes wherever it lies."""
    return f"{line[0].rsplit('/', 1)[-1]}:{line[1]}: {line[2]}"


def _split(totals: Totals) -> dict[str, Any]:
    pairs = max(totals.pairs, 1)
    return {
        "pairs": totals.pairs,
        "input_tokens": totals.input_tokens,
        "output_tokens": totals.output_tokens,
        "mean_input": round(totals.input_tokens / pairs, 3),
        "mean_output": round(totals.output_tokens / pairs, 3),
        "mean_overlap": round(totals.overlap / pairs, 3),
        "mean_overlap75": round(totals.overlap75 / pairs, 3),
    }
