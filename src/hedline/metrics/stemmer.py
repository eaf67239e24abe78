"""The stemmer of ROUGE-1.5.5: WordNet's exception list first, then the script's own variant of Porter's rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from hedline.metrics.speedups import compiled

_DATA = Path(__file__).parent / "data"


def find_rules() -> Callable[[str], str]:
    """Porter's rules as the script has them, compiled where they could be: lower-case ASCII word -> stem."""
    if compiled is not None:
        rules: Callable[[str], str] = compiled.porter
        return rules
    from hedline.metrics.porter import porter

    return porter


@lru_cache(maxsize=1)
def exceptions() -> dict[str, str]:
    """Irregular form -> base form, from WordNet 2.0 (licence: data/NOTICE.txt)."""
    words = iter((_DATA / "exceptions.tsv").read_text(encoding="ascii").split())
    return dict(zip(words, words, strict=True))


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """The SMART words that `-s` removes."""
    return frozenset((_DATA / "stopwords.txt").read_text(encoding="ascii").split())


class Stemmer(dict[str, str]):
    """word -> stem, remembered; `stemmer[word]` is the script's MorphStem with its length test."""

    def __init__(self) -> None:
        super().__init__()
        self._rules = find_rules()

    def __missing__(self, word: str) -> str:
        # Words of up to three letters are never stemmed, and never looked up among the exceptions.
        stem = word if len(word) <= 3 else exceptions().get(word) or self._rules(word)
        self[word] = stem
        return stem


STEMMER = Stemmer()
