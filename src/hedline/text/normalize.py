"""The paper's normalisation: lower-case, every digit to `#`, brackets to their Treebank names."""

from __future__ import annotations

import re

from hedline.text.chunks import ChunkCache, split_news
from hedline.text.clean import clean
from hedline.text.sentences import ending_chunks

__all__ = ["BRACKETS", "clean", "news_words", "normalize", "normalize_word"]

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


# A chunk's tokens, and its normalised words: inside a sentence, and at its end.
inner_tokens = ChunkCache(split_news)
last_tokens = ChunkCache(lambda chunk: split_news(chunk, final=True))
_inner_words = ChunkCache(lambda chunk: tuple(map(normalize_word, split_news(chunk))))
_last_words = ChunkCache(lambda chunk: tuple(map(normalize_word, split_news(chunk, final=True))))


def normalize(text: str) -> list[str]:
    """The model's words of a raw text: the same as `read_source(text).words`, without positions.

    >>> normalize("Prices rose 3.5% in the U.S. (again).")
    ['prices', 'rose', '#.#', '%', 'in', 'the', 'u.s.', '-lrb-', 'again', '-rrb-', '.']
    """
    return _read(text, _inner_words, _last_words)


def news_words(text: str) -> list[str]:
    """The same words, cased and with their digits: `normalize` is `normalize_word` of each.

    >>> news_words("Prices rose 3.5% in the U.S. (again).")
    ['Prices', 'rose', '3.5', '%', 'in', 'the', 'U.S.', '(', 'again', ')', '.']
    """
    return _read(text, inner_tokens, last_tokens)


def _read(text: str, inner: ChunkCache[tuple[str, ...]], last: ChunkCache[tuple[str, ...]]) -> list[str]:
    """What the caches give for each chunk; `last` for those that end a sentence."""
    chunks = clean(text).split()
    found: list[str] = []
    start = 0
    for end in ending_chunks(chunks):
        found += [word for chunk in chunks[start:end] for word in inner[chunk]]
        found += last[chunks[end]]
        start = end + 1
    return found
