"""A pair on its way through the filters: raw text, the model's words, and what filters ask about them."""

from __future__ import annotations

from hedline.corpora.pairs import Pair
from hedline.text.stopwords import FUNCTION_WORDS

_NO_CONTENT = FUNCTION_WORDS | {"-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-", "n't"}
_CACHE_LIMIT = 200_000


def is_content(word: str) -> bool:
    """Whether a normalised word carries content: it has a letter and is no clitic, bracket or function word."""
    return _content[word]


class _Content(dict[str, bool]):
    """Answers by word, remembered: a plain dictionary look-up is what makes the filters quick."""

    def __missing__(self, word: str) -> bool:
        answer = not word.startswith("'") and word not in _NO_CONTENT and any(letter.isalpha() for letter in word)
        if len(self) < _CACHE_LIMIT:
            self[word] = answer
        return answer


_content = _Content()


class Candidate:
    """A pair with its normalised words.

    lead_types: the lead's word types; headline_content: the headline's content words, repeats kept.
    """

    __slots__ = ("headline_content", "headline_words", "lead_types", "lead_words", "pair")

    def __init__(self, pair: Pair, lead_words: list[str], headline_words: list[str]) -> None:
        self.pair, self.lead_words, self.headline_words = pair, lead_words, headline_words
        self.lead_types = frozenset(lead_words)
        self.headline_content = list(filter(_content.__getitem__, headline_words))

    @property
    def supported_share(self) -> float:
        """Share of the headline's content words that stand in the lead; 0 when it has none."""
        content, types = self.headline_content, self.lead_types
        return sum(word in types for word in content) / len(content) if content else 0.0
