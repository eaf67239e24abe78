"""Spaces between tokens as small tables, so that lengths of final texts are known without building them.

`text.detokenize.needs_space` depends on two tokens only, and through few of their properties: every token has a left
class (how it behaves before another) and a right class (after another), and a table over classes holds the answer.
"""

from __future__ import annotations

import numpy as np

from hedline.text import detokenize

BEGIN = 0  # left class of the empty text
_PLAIN, _JOINING = 1, 2
_FIRSTS = {word: 3 + number for number, word in enumerate(detokenize._JOINED)}
_SECONDS = {
    word: 2 + number
    for number, word in enumerate(
        sorted({s for v in detokenize._JOINED.values() for s in ([v] if isinstance(v, str) else v)})
    )
}


def left_class(token: str) -> int:
    """How a token behaves at the end of a text."""
    first = _FIRSTS.get(token.lower())
    if first is not None:
        return first
    return _PLAIN if detokenize.needs_space(token, "x") else _JOINING


def right_class(token: str) -> int:
    """How a token behaves when it is added to a text."""
    second = _SECONDS.get(token.lower())
    if second is not None:
        return second
    return 0 if detokenize.needs_space("x", token) else 1


def _table() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    lefts, rights = ["", "x", "(", *_FIRSTS], ["x", ",", *_SECONDS]
    rows = [[int(detokenize.needs_space(left, right)) for right in rights] for left in lefts]
    return np.array(rows, np.int64)


SPACE = _table()  # (left classes, right classes): 1 where a space stands between
BEGINS = SPACE.copy()  # 1 where a new white-space word begins
BEGINS[BEGIN] = 1
