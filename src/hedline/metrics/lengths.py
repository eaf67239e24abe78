"""How long headlines are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedline.errors import UserError


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
