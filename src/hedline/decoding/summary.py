"""What a caller gets back: a headline with its score, alignment and candidates, and n-best lists as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hedline.arrays import Floats
from hedline.decoding.features import FEATURES


def no_alignment() -> Floats:
    """The alignment of an empty headline."""
    return np.zeros((0, 0), np.float32)


@dataclass(frozen=True)
class Hypothesis:
    """One candidate headline.

    tokens: the printed words (N); score: weights · features; features: value by name; alignment: (N, M) attention of
    each word over the input's words; known: (N,) whether each word stands in the input; key: what it was ranked by
    (the score with the length's reward); short: by how much it misses what was asked (0: not at all);
    units: words or pieces, the end included, that the length penalty counts.
    """

    text: str
    score: float
    tokens: tuple[str, ...]
    features: Mapping[str, float]
    alignment: Floats
    known: tuple[bool, ...]
    key: float
    short: int = 0
    units: int = 0

    def with_text(self, text: str) -> Hypothesis:
        """The same candidate in other capitals: `text` has the same characters, but for their case."""
        if text == self.text:
            return self
        tokens, place = [], 0
        for token in self.tokens:
            start = self.text.find(token, place)
            tokens.append(text[start : start + len(token)] if start >= 0 else token)
            place = start + len(token) if start >= 0 else place
        return replace(self, text=text, tokens=tuple(tokens))


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
    alignment: Floats = field(default_factory=no_alignment)
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
        from hedline.metrics.support import unsupported_names, unsupported_numbers

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


def zmert_lines(number: int, nbest: Sequence[Hypothesis], features: Sequence[str] = FEATURES) -> Iterator[str]:
    """The lines of one input (numbered from 0), best first; words separated by spaces, values in `features`' order."""
    for hypothesis in nbest:
        values = " ".join(f"{hypothesis.features.get(name, 0.0):.6f}" for name in features)
        yield f"{number} ||| {' '.join(hypothesis.tokens)} ||| {values}"
