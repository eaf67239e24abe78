"""Corpus statistics of casing: which words are names, acronyms or `iPhone`, learnt where nothing else capitalises."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from hedline.errors import UserError
from hedline.files import write_text
from hedline.text.normalize import news_words, normalize_word

MOST_FORMS = 2_000_000  # spellings held while counting, about 250 MB; rarer ones go when there are more
SHOUTED = 20  # capitals
_LETTERS = re.compile(r"[^\W\d_]+")
LOWER_MINIMUM = 20  # a lower-case word is kept, as proof that a capital was only a sentence's, from this count on
# What follows these is capitalised for its position: a new sentence, a quotation, a dateline's dash.
BREAKS = frozenset([".", "?", "!", ":", "...", "``", "`", "''", "(", "[", "-", "--", "*", "|", "•"])


def same_length(form: str, word: str) -> bool:
    """Whether printing `form` for `word` changes neither the number of characters nor that of UTF-8 bytes."""
    return len(form) == len(word) and len(form.encode("utf-8", "replace")) == len(word.encode("utf-8", "replace"))


def is_plain(word: str) -> bool:
    """Whether a word has letters and no capital, also in scripts that have no capitals at all.

    >>> is_plain("storm"), is_plain("Storm"), is_plain("وزير"), is_plain("2026")
    (True, False, True, False)
    """
    return word == word.lower() and any(map(str.isalpha, word))


def says_casing(tokens: Sequence[str]) -> bool:
    """Whether capitals mean something in a text: not if it is all lower-case, nor if nearly all is capitalised."""
    cased = [token for token in tokens if token.lower() != token.upper()]
    lower = sum(token == token.lower() for token in cased)
    return lower < len(cased) and (lower >= 0.25 * len(cased) or len(cased) < 4)


def calm(text: str, forms: Mapping[str, str]) -> str:
    """A text in capitals as it is usually written; forms: lower-case word to its usual form inside sentences.

    >>> calm("THE MAYOR OF LUND RESIGNED, SHE SAID.", {"lund": "Lund"})
    'The mayor of Lund resigned, she said.'
    """
    calmed = _LETTERS.sub(lambda word: forms.get(word[0].lower(), word[0].lower()), text)
    return calmed[:1].upper() + calmed[1:]


def is_shouted(text: str) -> bool:
    """Whether a text has capitals alone, and more of them than an acronym or two."""
    return text == text.upper() and sum(map(str.isupper, text)) >= SHOUTED


class CaseCounts:
    """How often each spelling stands inside a sentence. Counts of parts of a corpus add up.

    Counting the same parts and merging them in the same order gives the same result, by however many workers
    the parts were counted.
    """

    def __init__(self, most: int = MOST_FORMS) -> None:
        self.forms: Counter[str] = Counter()
        self.most = most

    def add(self, text: str) -> None:
        """Count the words of a raw text."""
        self.add_tokens(news_words(text))

    def add_tokens(self, tokens: Sequence[str]) -> None:
        """Count the cased tokens of a text; one whose casing says nothing is passed over."""
        if says_casing(tokens):
            self.forms.update([right for left, right in pairwise(tokens) if left not in BREAKS])
            if len(self.forms) > self.most:
                self._prune()

    def merge(self, other: CaseCounts) -> None:
        """Add another part's counts to these."""
        self.forms.update(other.forms)
        if len(self.forms) > self.most:
            self._prune()

    def _prune(self) -> None:
        """Forget the rarest spellings, a count at a time, until half the room is free."""
        rarest = 1
        while len(self.forms) > self.most // 2:
            self.forms = Counter({form: count for form, count in self.forms.items() if count > rarest})
            rarest += 1

    def truecaser(self, minimum: int = 2, vocabulary: Container[str] | None = None) -> Truecaser:
        """The most frequent spelling of each word seen at least `minimum` times (of `vocabulary`, where given).

        Words mostly in lower case are kept from a count of 20 on: they tell a sentence's capital from a name's.
        """
        best: dict[str, tuple[int, str]] = {}
        totals: Counter[str] = Counter()
        for form, count in self.forms.items():
            word = normalize_word(form)
            if "#" in word or word == word.upper() or not same_length(form, word):
                continue
            totals[word] += count
            best[word] = max(best.get(word, (0, "")), (count, form))
        return Truecaser(
            {
                word: form
                for word, (_, form) in sorted(best.items())
                if totals[word] >= (LOWER_MINIMUM if form == word else minimum)
                and (vocabulary is None or word in vocabulary)
            }
        )


class Truecaser:
    """From a lower-case word to its usual spelling."""

    def __init__(self, forms: Mapping[str, str] | None = None) -> None:
        self.forms = dict(forms or {})

    def __len__(self) -> int:
        """How many words are known."""
        return len(self.forms)

    def form(self, word: str) -> str | None:
        """The usual spelling (the word itself if that is lower-case), None for a word seldom seen.

        A compound unknown as a whole is spelt part by part.

        >>> Truecaser({"nato": "NATO", "led": "led"}).form("nato-led")
        'NATO-led'
        """
        known = self.forms.get(word)
        if known is None and "-" in word and not word.startswith("-"):
            parts = [self.forms.get(part) for part in word.split("-")]
            if any(parts):
                known = "-".join(form or part for form, part in zip(parts, word.split("-"), strict=True))
        return known

    def save(self, path: Path) -> None:
        """Write `truecase.tsv`: word, tab, spelling; sorted by word."""
        write_text(path, "".join(f"{word}\t{form}\n" for word, form in sorted(self.forms.items())))

    @classmethod
    def load(cls, path: Path) -> Truecaser:
        """Read `truecase.tsv`; a line that is not two spellings of one word is an error with its number."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {path}: {error}") from None
        return cls(dict(_entries(path, text)))


def _entries(path: Path, text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n")[:-1], 1):
        word, tab, form = line.partition("\t")
        if not tab or not same_length(form, word) or form.lower() != word:
            raise UserError(f"{path}, line {number}: expected a lower-case word, a tab and its spelling")
        yield word, form
