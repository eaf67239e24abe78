"""A pair on its way through the filters: raw text, the model's words, and what filters ask about them."""

from __future__ import annotations

from functools import cached_property, lru_cache

from hedline.corpora.pairs import Pair
from hedline.text.stopwords import FUNCTION_WORDS


@lru_cache(maxsize=200_000)
def is_content(word: str) -> bool:
    """Whether a normalised word carries content: it has a letter and is no function word."""
    if word.startswith("'"):
        return False  # clitics: 's, 're, …
    return word not in FUNCTION_WORDS and word not in _BRACKETS and any(letter.isalpha() for letter in word)


_BRACKETS = frozenset({"-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-", "n't"})


class Candidate:
    """A pair with its normalised words; sets are made once, when first asked for."""

    def __init__(self, pair: Pair, lead_words: list[str], headline_words: list[str]) -> None:
        self.pair, self.lead_words, self.headline_words = pair, lead_words, headline_words

    @cached_property
    def lead_types(self) -> frozenset[str]:
        """The lead's word types."""
        return frozenset(self.lead_words)

    @cached_property
    def headline_content(self) -> list[str]:
        """The headline's content words, repeats kept."""
        return [word for word in self.headline_words if is_content(word)]

    @property
    def supported_share(self) -> float:
        """Share of the headline's content words that stand in the lead; 0 when it has none."""
        content = self.headline_content
        return sum(word in self.lead_types for word in content) / len(content) if content else 0.0
