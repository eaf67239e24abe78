"""What is maximised: any ROUGE, BLEU, or a weighted sum of several, from sufficient statistics.

A ROUGE score of a corpus is the mean over its inputs, so each hypothesis contributes one number; BLEU is a ratio of
sums, so each contributes its counts. Both are additive *columns* (n, m) and a *scale* from sums to scores; a weighted
sum of objectives lays their columns side by side. The error surface needs nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedline.errors import UserError
from hedline.metrics.bleu import WIDTH as BLEU_WIDTH
from hedline.metrics.bleu import bleu
from hedline.metrics.measures import parse_measure
from hedline.metrics.statistics import F_SCORE, PRECISION, RECALL, scores_from
from hedline.tuning.pool import Array

Scale = Callable[[Array], Array]
"""Sums of columns (intervals, m) to corpus scores (intervals,)."""

MEASURES = {"r": RECALL, "p": PRECISION, "f": F_SCORE}
REPORTED = ("1", "2", "L")
_TERM = re.compile(
    r"(?:(?P<weight>[0-9.]+)\s*\*\s*)?(?:R(?:OUGE)?-?)?(?P<metric>\S+?)(?:[.:](?P<measure>[rpf])1?)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Term:
    """One summand: metric `1`, `2`, `L`, … or `bleu`; measure `r`, `p` or `f` (empty for BLEU); its share."""

    metric: str
    measure: str
    weight: float

    def __str__(self) -> str:
        name = "BLEU" if self.metric == "bleu" else f"R-{self.metric}.{self.measure}"
        return f"{self.weight:.3g}*{name}"


@dataclass(frozen=True)
class Objective:
    """A weighted sum of metrics; the weights sum to 1, scores are between 0 and 1."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " + ".join(map(str, self.terms))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The ROUGE metrics whose statistics are needed, those of the report first."""
        used = [term.metric for term in self.terms if term.metric != "bleu" and term.metric not in REPORTED]
        return (*REPORTED, *dict.fromkeys(used))

    @property
    def uses_bleu(self) -> bool:
        """Whether BLEU's counts are needed."""
        return any(term.metric == "bleu" for term in self.terms)

    @property
    def width(self) -> int:
        """How many numbers a hypothesis's statistics are."""
        return 3 * len(self.metrics) + (BLEU_WIDTH if self.uses_bleu else 0)

    def rouge(self, statistics: Array) -> Array:
        """R, P and F (n, metrics, 3) of hypotheses' statistics (n, width)."""
        counts = statistics[:, : 3 * len(self.metrics)].reshape(len(statistics), -1, 3)
        return scores_from(counts, np.array([parse_measure(name).exponent for name in self.metrics]))

    def columns(self, statistics: Array, inputs: int) -> Array:
        """Additive columns (n, m) of hypotheses' statistics (n, width) for a corpus of `inputs` inputs."""
        scores = self.rouge(statistics)
        gain = np.zeros(len(statistics))
        for term in self.terms:
            if term.metric != "bleu":
                gain += term.weight * scores[:, self.metrics.index(term.metric), MEASURES[term.measure]]
        parts = [gain[:, None] / inputs]
        if self.uses_bleu:
            parts.append(statistics[:, -BLEU_WIDTH:])
        return np.concatenate(parts, axis=1)

    def scale(self, sums: Array) -> Array:
        """Corpus scores (intervals,) of sums of columns (intervals, m)."""
        total: Array = sums[:, 0]
        for term in self.terms:
            if term.metric == "bleu":
                total = total + term.weight * bleu(sums[:, 1:])
        return total


def parse_objective(text: str, measure: str = "f") -> Objective:
    """Read `R-1 + R-2 + R-L`, `0.3*R-1.r + 0.7*R-2.r` or `bleu`; `measure` where a term names none."""
    terms = [_term(part.strip(), measure) for part in re.split(r"\+|,", text)]
    total = sum(term.weight for term in terms)
    if not total > 0:
        raise UserError(f"the objective {text!r} has no positive weight")
    return Objective(tuple(Term(term.metric, term.measure, term.weight / total) for term in terms))


def _term(text: str, measure: str) -> Term:
    match = _TERM.fullmatch(text)
    try:
        weight = float(match["weight"] or 1) if match else 0.0
        if match and match["metric"].lower() == "bleu":
            return Term("bleu", "", weight)
        name = parse_measure(match["metric"] if match else text).name.removeprefix("ROUGE-")
    except (UserError, ValueError):
        raise UserError(
            f"cannot read the objective {text!r}: write e.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f', 'R-1.r' "
            "(r, p or f after the dot) or 'bleu'"
        ) from None
    return Term(name, ((match and match["measure"]) or measure).lower(), weight)
