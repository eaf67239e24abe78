"""The paper's normalisation: lower-case, every digit to `#`, brackets to their Treebank names."""

from __future__ import annotations

import re

from hedline.text.chunks import ChunkCache, split_news
from hedline.text.clean import clean
from hedline.text.sentences import ending_chunks

__all__ = ["BRACKETS", "clean", "normalize", "normalize_word"]

BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_DIGIT = re.compile(r"\d")


def normalize_word(token: str) -> str:
    """A token as the model's vocabulary spells it.

    >>> normalize_word("U.S."), normalize_word("1,200th"), normalize_word("(")
    ('u.s.', '#,###th', '-lrb-')
    """
    if token in BRACKETS:
        return BRACKETS[token]
    return _DIGIT.sub("#", token.lower())


_inner = ChunkCache(lambda chunk: tuple(normalize_word(token) for token in split_news(chunk)))
_last = ChunkCache(lambda chunk: tuple(normalize_word(token) for token in split_news(chunk, final=True)))


def normalize(text: str) -> list[str]:
    """The model's words of a raw text: the same as `read_source(text).words`, without positions.

    >>> normalize("Prices rose 3.5% in the U.S. (again).")
    ['prices', 'rose', '#.#', '%', 'in', 'the', 'u.s.', '-lrb-', 'again', '-rrb-', '.']
    """
    chunks = clean(text).split()
    ends = ending_chunks(chunks)
    words: list[str] = []
    start = 0
    for end in ends:
        words += [word for chunk in chunks[start:end] for word in _inner[chunk]]
        words += _last[chunks[end]]
        start = end + 1
    return words
