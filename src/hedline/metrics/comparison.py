"""Several systems on one set: each system's scores, and its difference to the first, with p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedline.errors import UserError
from hedline.metrics.presets import Preset
from hedline.metrics.report import LONG_NAMES, Report, evaluate_outputs
from hedline.metrics.significance import Comparison, compare


@dataclass(frozen=True)
class ComparisonTable:
    """Systems by name; the first is the baseline, and comparisons[i] is of system i + 1 against it."""

    names: tuple[str, ...]
    reports: tuple[Report, ...]
    comparisons: tuple[Comparison, ...]

    def to_json(self) -> dict[str, Any]:
        """Scores and differences in per cent, p-values, signature."""
        first = self.reports[0]
        return {
            "baseline": self.names[0],
            "score": first.preset.headline,
            "summaries": first.count,
            "systems": {
                name: {metric: self._cell(index, column) for column, metric in enumerate(first.names)}
                for index, name in enumerate(self.names)
            },
            "signature": first.signature,
        }

    def to_text(self) -> str:
        """A block of lines for each metric."""
        first = self.reports[0]
        kind = LONG_NAMES[first.preset.headline]
        lines = [f"{first.count:,} summaries, {kind} in per cent; differences to {self.names[0]}, two-sided p-values"]
        width = max(map(len, self.names)) + 2
        for column, metric in enumerate(first.names):
            header = f"{'score':>8}{'difference':>12}  {'95 % interval':>16}{'p bootstrap':>13}{'p randomised':>14}"
            lines.append(f"{metric:<{max(width, 14)}}{header}")
            lines += [self._line(index, column, max(width, 14)) for index in range(len(self.names))]
        return "\n".join([*lines, first.signature])

    def _cell(self, index: int, column: int) -> dict[str, float]:
        kind = self.reports[0].preset.column
        cell = {"score": round(100 * float(self.reports[index].means[column, kind]), 3)}
        if index:
            found = self.comparisons[index - 1]
            cell |= {
                "difference": round(100 * float(found.difference[column, kind]), 3),
                "low": round(100 * float(found.interval.low[column, kind]), 3),
                "high": round(100 * float(found.interval.high[column, kind]), 3),
                "p_bootstrap": round(float(found.p_bootstrap[column, kind]), 5),
                "p_randomization": round(float(found.p_randomization[column, kind]), 5),
            }
        return cell

    def _line(self, index: int, column: int, width: int) -> str:
        cell = self._cell(index, column)
        line = f"{self.names[index]:<{width}}{cell['score']:8.2f}"
        if index == 0:
            return line
        bounds = f"[{cell['low']:+.2f}, {cell['high']:+.2f}]"
        p_values = f"{cell['p_bootstrap']:13.4f}{cell['p_randomization']:14.4f}"
        return f"{line}{cell['difference']:+12.2f}  {bounds:>16}{p_values}"


def compare_outputs(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    preset: Preset,
    *,
    resamples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
) -> ComparisonTable:
    """Compare systems (name -> outputs) on one set of references; the first one is the baseline."""
    if len(systems) < 2:
        raise UserError("comparing needs at least two systems")
    reports = tuple(evaluate_outputs(outputs, references, preset, resamples=resamples) for outputs in systems.values())
    comparisons = tuple(
        compare(report.scores, reports[0].scores, resamples=resamples, trials=trials, seed=seed)
        for report in reports[1:]
    )
    return ComparisonTable(tuple(systems), reports, comparisons)
