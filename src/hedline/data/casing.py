"""Casing statistics for the truecaser: how words are written inside sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hedline.text.normalize import clean
from hedline.text.tokenize import words


def count_casings(text: str, counts: Counter[str]) -> None:
    """Count the raw tokens of a sentence after its first; a text all in capitals says nothing and is passed over."""
    if not text.isupper():
        counts.update(words(clean(text))[1:])


def write_casings(path: Path, casings: Iterable[tuple[str, int]]) -> None:
    """Write `truecase.tsv` from casing counts."""
