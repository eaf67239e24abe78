"""`truecase.tsv` from the casing counts of all chunks, held in bounded memory."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path

from hedline.text.truecase import CaseCounts

LEAST = 2  # a spelling seen once may be a slip


def write_casings(path: Path, casings: Iterable[tuple[str, int]], vocabulary: Container[str] | None) -> None:
    """Write the usual spelling of each word (of `vocabulary`, where given) from (spelling, count)."""
    counts = CaseCounts()
    counts.forms.update({form: count for form, count in casings if count >= LEAST})
    counts.truecaser(LEAST, vocabulary).save(path)
