"""Scores of a set as an object: means with intervals, lengths, support in the input, and the signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hedline.errors import UserError
from hedline.metrics.bootstrap import Interval, interval, resample_means
from hedline.metrics.lengths import Lengths, lengths_text, measure_lengths
from hedline.metrics.presets import Preset, find_preset
from hedline.metrics.signature import signature
from hedline.metrics.statistics import SCORE_NAMES, Array

if TYPE_CHECKING:
    from hedline.metrics.extractive import Extractiveness

LONG_NAMES = {"R": "recall", "P": "precision", "F": "F"}


@dataclass(frozen=True)
class Report:
    """ROUGE of n summaries.

    scores: (n, metrics, 3) R, P, F of each summary, in 0..1; means: (metrics, 3); interval: bounds, each (metrics, 3).
    """

    names: tuple[str, ...]
    scores: Array
    means: Array
    interval: Interval
    preset: Preset
    signature: str
    confidence: float
    resamples: int
    lengths: Lengths
    extractiveness: Extractiveness | None = None

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
    resamples: int = 1000,
    confidence: float = 95.0,
) -> Report:
    """Score headlines against their references; with the inputs (`leads`), measure support in them too.

    casing: usual casings, to find names in title-case headlines (see `unsupported_names`).
    """
    if resamples < 2 or not 0 < confidence < 100:
        raise UserError("an interval needs at least 2 resamples and a confidence between 0 and 100 per cent")
    preset = find_preset(preset) if isinstance(preset, str) else preset
    scorer = preset.scorer()
    scores = scorer.score_all(outputs, references)
    return Report(
        names=scorer.names,
        scores=scores,
        means=scores.mean(axis=0),
        interval=interval(resample_means(scores, resamples), confidence),
        preset=preset,
        signature=signature(scorer, [len(each) for each in references]),
        confidence=confidence,
        resamples=resamples,
        lengths=measure_lengths(outputs),
        extractiveness=None if leads is None else _support(outputs, leads, casing),
    )


def _support(outputs: Sequence[str], leads: Sequence[str], casing: Mapping[str, str] | None) -> Extractiveness:
    from hedline.metrics.extractive import measure_extractiveness  # the tokeniser is needed only here

    return measure_extractiveness(outputs, leads, casing)
