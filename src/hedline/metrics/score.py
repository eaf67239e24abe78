"""Scores of a set of headlines as an object, and comparisons of several systems on one set.

A `Report` has means with intervals, lengths, support in the input and the signature; a comparison has each system's
report and its difference to the first, with p-values. `score_files` and `compare_files` are what `hedline score` and
`hedline compare` do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedline.arrays import Doubles
from hedline.corpora.sets import align, read_outputs, read_references
from hedline.errors import UserError
from hedline.metrics.measures import SCORE_NAMES
from hedline.metrics.resampling import Comparison, Draws, Interval, compare, interval, resample_means
from hedline.metrics.rouge import Preset, find_preset, signature
from hedline.metrics.tokens import other_scripts

if TYPE_CHECKING:
    from hedline.metrics.support import Extractiveness

MUCH = 0.1  # share of letters outside the Latin alphabet that is worth a word


@dataclass(frozen=True)
class Lengths:
    """Means over headlines: words split at white space, bytes of UTF-8; empty: how many headlines are."""

    words: float
    bytes: float
    empty: int


def measure_lengths(headlines: Sequence[str]) -> Lengths:
    """Mean lengths of a set."""
    if not headlines:
        raise UserError("nothing to measure: the set is empty")
    count = len(headlines)
    return Lengths(
        words=sum(len(headline.split()) for headline in headlines) / count,
        bytes=sum(len(headline.encode("utf-8", "replace")) for headline in headlines) / count,
        empty=sum(not headline.strip() for headline in headlines),
    )


def lengths_text(lengths: Lengths) -> str:
    """Mean lengths, and empty headlines if there are any."""
    empty = f"; {lengths.empty:,} empty" if lengths.empty else ""
    return f"mean length {lengths.words:.2f} words, {lengths.bytes:.1f} bytes{empty}"


def score_files(outputs: Path, references: Sequence[Path], preset: Preset, draws: Draws | None = None) -> Report:
    """Score a file of outputs; support in the inputs is measured where every reference carries its lead."""
    expected = read_references(references)
    found = align(read_outputs(outputs), expected)
    leads = [row.lead for row in expected]
    report = evaluate_outputs(
        [row.texts[0] for row in found],
        [row.texts for row in expected],
        preset,
        leads=leads if all(leads) else None,
        draws=draws,
    )
    return replace(report, note=script_note([text for row in expected for text in row.texts], preset))


def script_note(texts: Sequence[str], preset: Preset) -> str:
    """What to say where ROUGE-1.5.5's tokens, ASCII letters and digits, miss much of the texts; else nothing."""
    share = 0.0 if preset.unicode else other_scripts(texts)
    if share <= MUCH:
        return ""
    return f"{share:.0%} of the references' letters are not Latin, and ROUGE-1.5.5 sees none of them; give --unicode"


def compare_files(
    systems: Sequence[Path], references: Sequence[Path], preset: Preset, draws: Draws | None = None
) -> ComparisonTable:
    """Compare files of outputs; systems are named by their files, with folders where names repeat."""
    if len(systems) < 2:
        raise UserError("comparing needs at least two files of outputs")
    expected = read_references(references)
    plain = [path.name.split(".")[0] for path in systems]
    names = plain if len(set(plain)) == len(plain) else [str(path) for path in systems]
    if len(set(names)) != len(names):
        raise UserError("the same file of outputs is named twice: there is nothing to compare")
    outputs = {
        name: [row.texts[0] for row in align(read_outputs(path), expected)]
        for name, path in zip(names, systems, strict=True)
    }
    texts = [row.texts for row in expected]
    return compare_outputs(outputs, texts, preset, draws)


LONG_NAMES = {"R": "recall", "P": "precision", "F": "F"}


@dataclass(frozen=True)
class Report:
    """ROUGE of n summaries.

    scores: (n, metrics, 3) R, P, F of each summary, in 0..1; means: (metrics, 3); interval: bounds, each (metrics, 3).
    """

    names: tuple[str, ...]
    scores: Doubles
    means: Doubles
    interval: Interval
    preset: Preset
    signature: str
    confidence: float
    resamples: int
    lengths: Lengths
    extractiveness: Extractiveness | None = None
    note: str = ""

    @property
    def count(self) -> int:
        """How many summaries were scored."""
        return len(self.scores)

    @property
    def headline(self) -> dict[str, float]:
        """Metric -> the mean that counts (the preset's R, P or F), in per cent."""
        return {name: 100 * float(row[self.preset.column]) for name, row in zip(self.names, self.means, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """All means and bounds in per cent, lengths, support, signature."""
        value: dict[str, Any] = {
            "summaries": self.count,
            "preset": self.preset.name,
            "headline_score": self.preset.headline,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "scores": {name: self._row(index) for index, name in enumerate(self.names)},
            "lengths": asdict(self.lengths),
            "signature": self.signature,
        }
        if self.extractiveness is not None:
            value["extractiveness"] = self.extractiveness.to_json()
        return value

    def to_text(self) -> str:
        """A table in per cent, the score that counts marked, then lengths, support and signature."""
        lines = [self._header()]
        lines += [self._line(index) for index in range(len(self.names))]
        support = self.extractiveness.to_text() if self.extractiveness else lengths_text(self.lengths)
        return "\n".join([*lines, support, self.signature])

    def _row(self, index: int) -> dict[str, dict[str, float]]:
        parts = zip(SCORE_NAMES, self.means[index], self.interval.low[index], self.interval.high[index], strict=True)
        return {
            kind: {
                name: round(100 * float(value), 3) for name, value in zip(("mean", "low", "high"), values, strict=True)
            }
            for kind, *values in parts
        }

    def _header(self) -> str:
        counted = self.preset.headline
        cells = [f"{LONG_NAMES[kind] + ('*' if kind == counted else ''):>26}" for kind in SCORE_NAMES]
        note = f"{self.count:,} summaries; mean [{self.confidence:g} % interval] in per cent; * is the score to quote"
        return f"{note}\n{'':14}{''.join(cells)}"

    def _line(self, index: int) -> str:
        means, low, high = self.means[index], self.interval.low[index], self.interval.high[index]
        cells = [
            f"{100 * mean:6.2f} [{100 * below:5.2f}, {100 * above:5.2f}]".rjust(26)
            for mean, below, above in zip(means, low, high, strict=True)
        ]
        return f"{self.names[index]:14}{''.join(cells)}"


def evaluate_outputs(
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    preset: str | Preset = "gigaword",
    *,
    leads: Sequence[str] | None = None,
    casing: Mapping[str, str] | None = None,
    draws: Draws | None = None,
) -> Report:
    """Score headlines against their references; with the inputs (`leads`), measure support in them too.

    casing: usual casings, to find names in title-case headlines (see `unsupported_names`).
    """
    draws = draws or Draws()
    preset = find_preset(preset) if isinstance(preset, str) else preset
    scorer = preset.scorer()
    scores = scorer.score_all(outputs, references)
    return Report(
        names=scorer.names,
        scores=scores,
        means=scores.mean(axis=0),
        interval=interval(resample_means(scores, draws.resamples), draws.confidence),
        preset=preset,
        signature=signature(scorer, [len(each) for each in references]),
        confidence=draws.confidence,
        resamples=draws.resamples,
        lengths=measure_lengths(outputs),
        extractiveness=None if leads is None else _support(outputs, leads, casing),
    )


def _support(outputs: Sequence[str], leads: Sequence[str], casing: Mapping[str, str] | None) -> Extractiveness:
    from hedline.metrics.support import measure_extractiveness  # here: scores without inputs need none of it

    return measure_extractiveness(outputs, leads, casing)


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
    draws: Draws | None = None,
) -> ComparisonTable:
    """Compare systems (name -> outputs) on one set of references; the first one is the baseline."""
    if len(systems) < 2:
        raise UserError("comparing needs at least two systems")
    reports = tuple(evaluate_outputs(outputs, references, preset, draws=draws) for outputs in systems.values())
    comparisons = tuple(compare(report.scores, reports[0].scores, draws) for report in reports[1:])
    return ComparisonTable(tuple(systems), reports, comparisons)
