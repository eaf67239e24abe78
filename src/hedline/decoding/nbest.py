"""N-best lists in Z-MERT's format: `number ||| candidate ||| feature values`, one candidate a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedline.decoding.features import FEATURES
from hedline.decoding.summary import Hypothesis


def zmert_lines(number: int, nbest: Sequence[Hypothesis], features: Sequence[str] = FEATURES) -> Iterator[str]:
    """The lines of one input (numbered from 0), best first; words separated by spaces, values in `features`' order."""
    for hypothesis in nbest:
        values = " ".join(f"{hypothesis.features.get(name, 0.0):.6f}" for name in features)
        yield f"{number} ||| {' '.join(hypothesis.tokens)} ||| {values}"
