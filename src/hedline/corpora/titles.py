"""Title punctuation: kept, or dropped as in the released preparation."""

from __future__ import annotations

from collections.abc import Sequence

KEEP, DROP, NAMAS = "keep", "drop", "namas"
MODES = (KEEP, DROP, NAMAS)

_COMMON = frozenset({'"', "'", "''", "!", "=", "-", "--", ",", "?", ".", "``", "`", "-rrb-", "\\/"})
_DROPPED = {
    DROP: _COMMON | {"-lrb-", ":", ";", "...", "/"},
    # The release misspells -lrb- as -llb-, so opening brackets, colons and semicolons stay.
    NAMAS: _COMMON | {"-llb-"},
}


def title_words(words: Sequence[str], mode: str) -> list[str]:
    """A headline's words under a punctuation mode; all of them when nothing else would remain."""
    if mode == KEEP:
        return list(words)
    dropped = _DROPPED[mode]
    return [word for word in words if word not in dropped] or list(words)
