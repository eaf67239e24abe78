"""One input of a subword model: its words, what may be copied from it, its numbers and n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hedline.decoding.features import NGrams, read_ngrams
from hedline.decoding.numbers import NumberGuard
from hedline.decoding.scorer import Ints

_AMOUNTS = frozenset("0123456789$£€¥")
_EDGES = "'\"`“”‘’«».,:;!?()[]{}…–—-"


def core(word: str) -> str:
    """A word without the punctuation around it; all of it when it is nothing else."""
    return word.strip(_EDGES) or word


def word_key(word: str) -> str:
    """What words are compared by: letter case and punctuation around them do not count."""
    return core(word).casefold()


def _unquoted(word: str) -> str:
    """The core of a word, a minus before a number kept: without it the headline would say the opposite."""
    bare = core(word)
    before = word[: word.find(bare)]
    negative = before.endswith("-") and not before.endswith("--") and bare[0] in _AMOUNTS
    return f"-{bare}" if negative else bare


@dataclass(frozen=True)
class SubwordInput:
    """One input, ready for the search.

    ids: (M,) what the model reads (control tokens first); text: the cleaned input; words: its white-space words;
    spans: (len(words) + 1) offsets of the words' pieces in ids; candidates: (S,) output ids ascending, None for all.
    """

    ids: Ints
    text: str
    words: tuple[str, ...]
    spans: tuple[int, ...]
    candidates: Ints | None
    variant: str

    @cached_property
    def ngrams(self) -> NGrams:
        """N-grams over the keys of the words."""
        return read_ngrams([word_key(word) for word in self.words], self.variant)

    @cached_property
    def guard(self) -> NumberGuard:
        """The numbers of the whole text."""
        return NumberGuard(self.text)

    @cached_property
    def copyable(self) -> dict[bytes, tuple[int, ...]]:
        """The words that may be taken from the input, as written and without punctuation around, with their places."""
        found: dict[bytes, list[int]] = {}
        for place, word in enumerate(self.words):
            for form in dict.fromkeys((word, _unquoted(word))):
                found.setdefault(form.encode("utf-8", "replace"), []).append(place)
        return {form: tuple(places) for form, places in found.items()}

    def next_place(self, form: bytes, place: int) -> int | None:
        """The first place of a word after `place`."""
        return next((other for other in self.copyable.get(form, ()) if other > place), None)


def spans_of(words: Sequence[str], pieces: Sequence[bytes], first: int) -> tuple[int, ...]:
    """Where each word's pieces begin, from position `first` on; pieces of a word follow each other without spaces."""
    starts = [first + index for index, piece in enumerate(pieces) if index == 0 or piece[:1] == b" "]
    return (*starts[: len(words)], first + len(pieces))
