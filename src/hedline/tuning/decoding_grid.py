"""Which decoding settings suit a model: length penalty, control tokens, reranking, tried one after the other.

A coordinate search: the length penalty is climbed in steps, then every other setting is tried against what is best so
far and kept only if it wins by more than one standard error of the paired difference (a plain setting is as good as
one that chance preferred), then the length penalty is climbed again. Several sets count the same, whatever their size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hedline.tuning.pool import Array

STEP, LOWEST, HIGHEST = 0.2, 0.0, 3.0
FIRST_PENALTY = 1.0
# Less support, and lengths far from human ones, only ever lose: they are dials for users, not candidates here.
CONTROLS = {
    "support": ("<sup:2>", "<sup:3>", "<sup:4>"),
    "case": ("<case:sentence>", "<case:title>"),
    "length": ("<len:9>", "<len:11>", "<len:13>"),
}
RERANKS = ("mbr",)


@dataclass(frozen=True)
class Setting:
    """How to decode: controls are (group, name) pairs; a group that is not named is left open."""

    length_penalty: float = FIRST_PENALTY
    controls: tuple[tuple[str, str], ...] = ()
    rerank: str = "none"

    def with_control(self, group: str, name: str) -> Setting:
        """The same with one control token set."""
        return replace(self, controls=tuple(sorted({**dict(self.controls), group: name}.items())))

    def table(self) -> dict[str, Any]:
        """As tuning.json's `decoding` holds it."""
        return {"length_penalty": self.length_penalty, "controls": dict(self.controls), "rerank": self.rerank}

    def __str__(self) -> str:
        names = " ".join(name for _, name in self.controls)
        return f"length penalty {self.length_penalty:.1f}  {self.rerank:<4}  {names}".rstrip()


@dataclass(frozen=True)
class Trial:
    """One setting: for each set the inputs' objective (n,), mean R-1, R-2, R-L by name, and words a headline."""

    setting: Setting
    gains: tuple[Array, ...]
    rouge: tuple[Mapping[str, float], ...] = ()
    words: tuple[float, ...] = ()

    @property
    def score(self) -> float:
        """Mean over the sets of the mean objective."""
        return float(np.mean([gain.mean() for gain in self.gains]))

    def clearly_above(self, other: Trial) -> bool:
        """Whether the mean paired difference exceeds its standard error."""
        pairs = [ours - theirs for ours, theirs in zip(self.gains, other.gains, strict=True)]
        variance = sum(float(pair.var(ddof=1)) / len(pair) if len(pair) > 1 else 0.0 for pair in pairs)
        return self.score - other.score > math.sqrt(variance) / len(pairs)


@dataclass
class GridSearch:
    """The coordinate search; measure: a setting to its Trial; controls: groups and names worth trying."""

    measure: Callable[[Setting], Trial]
    controls: Mapping[str, Sequence[str]]
    tell: Callable[[Trial], None] = lambda _: None
    trials: dict[Setting, Trial] = field(default_factory=dict)

    def run(self, start: Setting) -> Trial:
        """The best setting found from `start` on."""
        best = self._climb(self._try(start))
        for group, names in self.controls.items():
            best = self._best_of(best, [best.setting.with_control(group, name) for name in names])
        best = self._best_of(best, [replace(best.setting, rerank=name) for name in RERANKS])
        return self._climb(best)

    def _climb(self, best: Trial) -> Trial:
        """Steps of the length penalty, up or else down, while they help."""
        for direction in (STEP, -STEP):
            before = best
            while True:
                penalty = round(best.setting.length_penalty + direction, 6)
                if not LOWEST <= penalty <= HIGHEST:
                    break
                step = self._try(replace(best.setting, length_penalty=penalty))
                if step.score <= best.score:
                    break
                best = step
            if best is not before:
                break
        return best

    def _best_of(self, best: Trial, settings: Sequence[Setting]) -> Trial:
        """The best of some settings where it clearly beats the best so far."""
        winner = max((self._try(setting) for setting in settings), key=lambda trial: trial.score, default=best)
        return winner if winner.clearly_above(best) else best

    def _try(self, setting: Setting) -> Trial:
        if setting not in self.trials:
            self.trials[setting] = self.measure(setting)
            self.tell(self.trials[setting])
        return self.trials[setting]
