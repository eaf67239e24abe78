"""What the forms of a word share, roughly, so that a headline's word is known again in its lead."""

from __future__ import annotations

from collections.abc import Iterable

from hedline.text.polarity_words import IRREGULAR
from hedline.text.tokenize import remembered


@remembered(most=1 << 22)
def stem(word: str) -> str:
    """What the forms of a word share, roughly: closes, closed, closing -> clos; stole -> steal.

    >>> [stem(word) for word in ("closed", "closing", "denies", "banned", "men's", "stole")]
    ['clos', 'clos', 'deny', 'ban', 'men', 'steal']
    """
    if word.endswith(("'s", "’s")):
        word = word[:-2]
    word = IRREGULAR.get(word, word)
    return word if len(word) < 4 or not word.isalpha() else _undoubled(_without_ending(word))


def _without_ending(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (2 if instead else 5 if "ion" in ending else 3):
            return word[: -len(ending)] + instead
    return word


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt" else word


_ENDINGS: Iterable[tuple[str, str]] = (
    ("ies", "y"), ("ied", "y"), ("ation", ""), ("ions", ""), ("ings", ""), ("ion", ""), ("ing", ""), ("ed", ""),
    ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("es", ""), ("ss", "ss"), ("us", "us"), ("s", ""),
    ("e", ""),
)  # fmt: skip
