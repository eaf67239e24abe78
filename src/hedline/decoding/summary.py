"""What a caller gets back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def no_alignment() -> Matrix:
    """The alignment of an empty headline."""
    return np.zeros((0, 0), np.float32)


@dataclass(frozen=True)
class Hypothesis:
    """One candidate headline.

    tokens: the printed words (N); score: weights · features; features: value by name; alignment: (N, M) attention of
    each word over the input's words; known: (N,) whether each word stands in the input; key: what it was ranked by
    (the score, length-normalised); short: by how much it misses what was asked (0: not at all).
    """

    text: str
    score: float
    tokens: tuple[str, ...]
    features: Mapping[str, float]
    alignment: Matrix
    known: tuple[bool, ...]
    key: float
    short: int = 0


@dataclass(frozen=True)
class Summary:
    """A headline with its evidence.

    tokens, alignment, features as in Hypothesis; source: the input's words (M), the columns of the alignment; copied
    and novel: its words that do and do not stand in the input; nbest: candidates, best first, itself included; notes:
    what a reader should know (input cut, limit not reachable, …).
    """

    text: str
    score: float = 0.0
    tokens: tuple[str, ...] = ()
    alignment: Matrix = field(default_factory=no_alignment)
    source: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    novel: tuple[str, ...] = ()
    nbest: tuple[Hypothesis, ...] = ()
    notes: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Numbers and names of the headline that nothing in the input supports: look at these before you publish."""
        from hedline.metrics.names import unsupported_names
        from hedline.metrics.numbers import unsupported_numbers

        lead = " ".join(self.source)
        return (*unsupported_numbers(self.text, lead), *unsupported_names(self.text, lead)) if lead else ()

    def to_json(self, id: str, lead: str) -> dict[str, Any]:
        """The record of one JSONL line (shared interface); `unsupported` and `notes` where there are any."""
        unsupported = list(self.unsupported)
        return {
            "id": id,
            "lead": lead,
            "headline": self.text,
            "score": round(self.score, 4),
            "tokens": list(self.tokens),
            "alignment": [[round(float(weight), 4) for weight in row] for row in self.alignment],
            "copied": list(self.copied),
            "novel": list(self.novel),
            "nbest": [_candidate(hypothesis) for hypothesis in self.nbest],
            **({"unsupported": unsupported} if unsupported else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def make_summary(nbest: Sequence[Hypothesis], source: Sequence[str], notes: Sequence[str]) -> Summary:
    """The best candidate as a Summary; no candidate gives an empty one."""
    if not nbest:
        return Summary("", source=tuple(source), notes=tuple(notes))
    best = nbest[0]
    marked = list(zip(best.tokens, best.known, strict=True))
    return Summary(
        text=best.text,
        score=best.score,
        tokens=best.tokens,
        alignment=best.alignment,
        source=tuple(source),
        copied=tuple(token for token, known in marked if known),
        novel=tuple(token for token, known in marked if not known),
        nbest=tuple(nbest),
        notes=tuple(notes),
        features=best.features,
    )


def _candidate(hypothesis: Hypothesis) -> dict[str, Any]:
    features = {name: round(value, 4) for name, value in hypothesis.features.items()}
    return {"headline": hypothesis.text, "score": round(hypothesis.score, 4), "features": features}
