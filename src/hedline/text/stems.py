"""What the forms of a word share, roughly, so that a headline's word is known again in its lead."""

from __future__ import annotations

from collections.abc import Collection, Iterable

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


def is_nearly(word: str, known: Collection[str]) -> bool:
    """Whether a word looks like one of those known, but for a few letters that are no other ending of it.

    >>> is_nearly("readmeme", ["readme"]), is_nearly("closing", ["closed"])
    (True, False)
    """
    from difflib import get_close_matches  # here: few headlines have such a word

    alike = [each for each in known if each[0] == word[0] and len(each) > 4 < len(word)]
    near = get_close_matches(word, alike, n=1, cutoff=0.75)
    same = sum(word[: i + 1] == each[: i + 1] for each in near for i in range(min(len(word), len(each))))
    return bool(near) and not {word[same:], near[0][same:]} <= _OF_THE_SAME


# Endings of one word's forms.
_OF_THE_SAME = frozenset(["", "s", "es", "ed", "ing", "en", "n", "e", "er", "ers", "ion", "ions", "ment", "al"])
_ENDINGS: Iterable[tuple[str, str]] = (
    ("ies", "y"), ("ied", "y"), ("ation", ""), ("ions", ""), ("ings", ""), ("ion", ""), ("ing", ""), ("ed", ""),
    ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("es", ""), ("ss", "ss"), ("us", "us"), ("s", ""),
    ("e", ""),
)  # fmt: skip
