"""The statistics of a data folder (`stats.json`) and the page that `prepare` and `stats` print about them.

The page is the paper's corpus paragraph for this data, beside the paper's own numbers, and what was removed and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedline.data.chunks import Summary
from hedline.data.settings import ROLES
from hedline.data.splits import Division
from hedline.data.words import Tally, Totals
from hedline.errors import UserError
from hedline.files import read_json

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


# Section 7.1 of the paper: Annotated Gigaword after its filters.
PAPER = {
    "pairs": "about 4 million",
    "input tokens": "119 million",
    "input types": "110 thousand",
    "mean input length": "31.3",
    "headline tokens": "31 million",
    "headline types": "69 thousand",
    "mean headline length": "8.3",
    "overlapping types": "4.6",
    "in the first 75 characters": "2.6",
}


@dataclass(frozen=True)
class Report:
    """The statistics of a data folder; `fresh` when this run made it, `resumed` when from an interrupted one."""

    folder: Path
    stats: dict[str, Any]
    fresh: bool = True
    resumed: bool = False

    @classmethod
    def of(cls, folder: Path, fresh: bool = True, resumed: bool = False) -> Report:
        """Read the statistics of a data folder."""
        if not (folder / "stats.json").is_file():
            raise UserError(f"{folder} is no data folder (it has no stats.json); make one with `hedline prepare`")
        return cls(folder, read_json(folder / "stats.json"), fresh, resumed)

    def text(self) -> str:
        """Sizes of the splits, the corpus paragraph, removals and bad lines."""
        return "\n".join([*self._subset(), *self._sizes(), "", *self._paragraph(), "", *self._removals(), *self._bad()])

    def _subset(self) -> list[str]:
        """Of a folder made by `hedline subset`: what it holds; the rest of the page is about where it came from."""
        kept = self.stats.get("subset")
        if not kept:
            return []
        pairs = ", ".join(f"{split} {count:,}" for split, count in kept.items())
        return [f"{self.folder} is a subset: pairs: {pairs}; the figures below are of the folder it was made from", ""]

    def _sizes(self) -> list[str]:
        splits = self.stats["splits"]
        sizes = ", ".join(f"{name} {splits[name]['pairs']:,}" for name in splits)
        vocabulary = self.stats["vocabulary"]
        lines = [
            f"{self.folder}: pairs: {sizes}",
            f"vocabulary: {vocabulary['input']:,} input, {vocabulary['output']:,} output (specials included)",
        ]
        if "unknown" in self.stats:
            shares = [
                f"{name} {self._unknown(name, 'input'):.2f} / {self._unknown(name, 'output'):.2f} %"
                for name in splits
                if splits[name]["pairs"]
            ]
            lines.append(f"unknown words in inputs / headlines: {', '.join(shares)}")
        return lines

    def _unknown(self, split: str, side: str) -> float:
        """Percent of a side's words that are not in its vocabulary."""
        tokens = int(self.stats["splits"][split][f"{side}_tokens"])
        return 100 * int(self.stats["unknown"][split][side]) / max(tokens, 1)

    def _paragraph(self) -> list[str]:
        train, types = self.stats["splits"]["train"], self.stats["types"]
        vocabulary = self.stats["vocabulary"]
        kept = self.stats.get("pieces") is None
        ours = {
            "pairs": f"{train['pairs']:,}",
            "input tokens": f"{train['input_tokens']:,}",
            "input types": f"{types['input']:,}" + (f" ({vocabulary['input'] - 4:,} kept)" if kept else ""),
            "mean input length": f"{train['mean_input']:.1f}",
            "headline tokens": f"{train['output_tokens']:,}",
            "headline types": f"{types['output']:,}" + (f" ({vocabulary['output'] - 4:,} kept)" if kept else ""),
            "mean headline length": f"{train['mean_output']:.1f}",
            "overlapping types": f"{train['mean_overlap']:.2f}",
            "in the first 75 characters": f"{train['mean_overlap75']:.2f}",
        }
        rows = [f"{'training pairs':<28}{'this data':>28}   paper"]
        return rows + [f"{name:<28}{value:>28}   {PAPER[name]}" for name, value in ours.items()]

    def _removals(self) -> list[str]:
        read = sum(self.stats["read"].values())
        lines = [f"read {read:,} lines; removed:"]
        for name, count in sorted(self.stats["removed"].items(), key=lambda item: (-item[1], item[0])):
            lines.append(f"  {name:<26}{count:>12,}  {100 * count / max(read, 1):5.1f} %")
        if not self.stats["removed"]:
            lines.append("  nothing")
        if self.stats["cleaned"]:
            lines.append("cleaned:")
            lines += [f"  {name:<26}{count:>12,}" for name, count in self.stats["cleaned"].items()]
        return lines

    def _bad(self) -> list[str]:
        lines = []
        for name, what in (("blank", "blank lines or fields"), ("bad", "bad lines")):
            if self.stats[name]:
                lines.append(f"{what} left out: {self.stats[name]:,}, the first:")
                lines += [f"  {line}" for line in self.stats[f"{name}_lines"][: 3 if name == "blank" else 10]]
        return lines
