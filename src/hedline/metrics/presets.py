"""How the field scores: which limit, which of R, P and F is the number in the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hedline.errors import UserError
from hedline.metrics.rouge import RougeScorer
from hedline.metrics.statistics import SCORE_NAMES


@dataclass(frozen=True)
class Preset:
    """Options of the scorer and the score that counts (R, P or F)."""

    name: str
    headline: str
    bytes: int | None = None
    words: int | None = None
    stem: bool = True
    stop: bool = False
    multi: str = "pool"
    metrics: Sequence[str] = ("1", "2", "L")
    alpha: float = 0.5
    jackknife: bool = False

    @property
    def column(self) -> int:
        """Position of the score that counts among R, P, F."""
        return SCORE_NAMES.index(self.headline)

    def scorer(self) -> RougeScorer:
        """The scorer of these options."""
        return RougeScorer(
            self.metrics,
            stem=self.stem,
            stop=self.stop,
            bytes=self.bytes,
            words=self.words,
            multi=self.multi,
            alpha=self.alpha,
            jackknife=self.jackknife,
        )


PRESETS = {
    # DUC-2004 task 1: recall of the first 75 bytes (`-m -n 2 -b 75`).
    "duc": Preset("duc", headline="R", bytes=75),
    # Gigaword test sets since 2015: F1 of the whole headline (`-m -n 2`).
    "gigaword": Preset("gigaword", headline="F"),
}


def find_preset(name: str) -> Preset:
    """A preset by name."""
    if name not in PRESETS:
        raise UserError(f"unknown preset {name!r}: use {' or '.join(PRESETS)}")
    return PRESETS[name]


def with_limits(preset: Preset, bytes: int | None, words: int | None) -> Preset:
    """The preset with another length limit: None keeps its own, 0 takes it away, a limit in words replaces bytes."""
    if bytes is None and words is None:
        return preset
    return replace(preset, bytes=bytes or None, words=words or None)
