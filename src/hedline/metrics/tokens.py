"""From raw text to the tokens that ROUGE-1.5.5 counts, and its stemmer.

Text is bytes to the script: lower-casing touches ASCII only, a non-ASCII character is as many separators as it has
bytes, and a byte limit may cut through a word or a character. A summary may hold several sentences, one per line; the
n-gram metrics see them joined, the LCS metrics one by one.

The stemmer looks a word up in WordNet's exception list first and then applies the script's own variant of Porter's
rules. It is not Porter's algorithm as NLTK or Snowball have it: step 4 is a chain of four separate tests, so that
"governmental" loses "-al" and then "-ment" (the script's comment claims otherwise; its code does this). Words here are
lower-case ASCII letters and digits; digits count as consonants. `speedups.c` holds the inner loops compiled; without a
compiler, or with `HEDLINE_KERNELS=0`, Python does the same.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from hedline.errors import as_new_as

compiled: Any = None
if os.environ.get("HEDLINE_KERNELS", "1") != "0":
    try:
        from hedline.metrics import _speedups  # type: ignore[attr-defined]

        compiled = as_new_as(_speedups, Path(__file__).with_name("speedups.c"))
    except ImportError:
        compiled = None


_CONSONANTS = "[^aeiou][^aeiouy]*"
_VOWELS = "[aeiouy][aeiou]*"
_measure_above_0 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}").match
_measure_above_1 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}").match
_measure_is_1 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?$").match
_has_vowel = re.compile(f"(?:{_CONSONANTS})?[aeiouy]").match
_short_syllable = re.compile(f"{_CONSONANTS}[aeiouy][^aeiouwxy]$").match
_double_consonant = re.compile(r"([^aeiouylsz])\1$").search

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
    "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al",
    "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = dict.fromkeys(
    ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous", "ive", "ize"],
    "",
)

Rule = tuple[tuple[str, str], ...]
Rules = dict[str, Rule]


def _by_last_letters(rules: dict[str, str]) -> Rules:
    """Rules grouped by the suffix's last two letters, longest suffix first (= the leftmost match of the script)."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for suffix in sorted(rules, key=len, reverse=True):
        groups.setdefault(suffix[-2:], []).append((suffix, rules[suffix]))
    return {letters: tuple(group) for letters, group in groups.items()}


_RULES_2, _RULES_3, _RULES_4 = map(_by_last_letters, (_STEP_2, _STEP_3, _STEP_4))


def porter(word: str) -> str:
    """Stem of a lower-case word by the script's rules alone, without the exception list."""
    if len(word) < 3:
        return word
    starts_with_y = word[0] == "y"
    if starts_with_y:
        word = "Y" + word[1:]  # so that no rule takes an initial y for a vowel
    word = _step_1(word)
    word = _replace_suffix(word, _RULES_2.get(word[-2:]), _measure_above_0)
    word = _replace_suffix(word, _RULES_3.get(word[-2:]), _measure_above_0)
    word = _step_5(_step_4(word))
    # The script's `lcfirst`: also lowers a word that lost everything but its Y.
    return word[:1].lower() + word[1:] if starts_with_y else word


def _step_1(word: str) -> str:
    """Plurals, -ed and -ing, final y."""
    if word[-1] == "s":
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif word[-2] != "s":
            word = word[:-1]
    if word.endswith("eed"):
        if _measure_above_0(word[:-3]):
            word = word[:-1]
    elif word.endswith("ed"):
        word = _without_inflection(word, 2)
    elif word.endswith("ing"):
        word = _without_inflection(word, 3)
    if word[-1:] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return word


def _without_inflection(word: str, length: int) -> str:
    """Drop -ed or -ing when a vowel remains, then mend the end."""
    stem = word[:-length]
    if not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _double_consonant(stem):
        return stem[:-1]
    if _short_syllable(stem):
        return stem + "e"
    return stem


def _replace_suffix(word: str, rules: Rule | None, condition: object) -> str:
    """Apply the first rule whose suffix fits, if what is left satisfies the condition; no second try."""
    for suffix, replacement in rules or ():
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if condition(stem) else word  # type: ignore[operator]
    return word


def _step_4(word: str) -> str:
    """Four tests in a row, each on what the one before left: the script's modification of 02/14/2004."""
    word = _replace_suffix(word, _RULES_4.get(word[-2:]), _measure_above_1)
    if word.endswith("ment") and _measure_above_1(word[:-4]):
        word = word[:-4]
    if word.endswith("ent"):
        return word[:-3] if _measure_above_1(word[:-3]) else word
    if word.endswith(("sion", "tion")) and _measure_above_1(word[:-3]):
        return word[:-3]
    return word


def _step_5(word: str) -> str:
    """Final -e and -ll."""
    if word[-1:] == "e":
        stem = word[:-1]
        if _measure_above_1(stem) or (_measure_is_1(stem) and not _short_syllable(stem)):
            word = stem
    if word.endswith("ll") and _measure_above_1(word):
        word = word[:-1]
    return word


_DATA = Path(__file__).parent / "data"


def find_rules() -> Callable[[str], str]:
    """Porter's rules as the script has them, compiled where they could be: lower-case ASCII word -> stem."""
    if compiled is not None:
        rules: Callable[[str], str] = compiled.porter
        return rules

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
        self[word] = stem = self.find(word)
        return stem

    def find(self, word: str) -> str:
        """The stem of a lower-case ASCII word, not remembered: for readers of more words than memory should hold."""
        # Words of up to three letters are never stemmed, and never looked up among the exceptions.
        return word if len(word) <= 3 else exceptions().get(word) or self._rules(word)


STEMMER = Stemmer()


# Upper case to lower case, digits and lower case as they are, all else (the hyphen too: the script keeps it as a
# token of its own and then drops the token) to a space.
_TABLE = bytes(ord(chr(byte).lower()) if chr(byte).isascii() and chr(byte).isalnum() else 0x20 for byte in range(256))
_TABLE_OF_LINES = _TABLE[:10] + b"\n" + _TABLE[11:]  # the same, but line ends stay


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """The `-m`, `-s`, `-b` and `-l` options: at most one limit, None meaning none."""

    stem: bool = True
    stop: bool = False
    byte_limit: int | None = None
    word_limit: int | None = None

    def pieces(self, text: str) -> list[str]:
        """Tokens of a one-sentence text before stemming."""
        return self._split(self._cut(text.encode("utf-8", "replace")))

    def pieces_of_all(self, texts: Sequence[str]) -> list[list[str]]:
        """`pieces` of many texts without line ends, in one go."""
        if self.byte_limit is None and self.word_limit is None:
            data = "\n".join(texts).encode("utf-8", "replace")
        else:
            data = b"\n".join([self._cut(text.encode("utf-8", "replace")) for text in texts])
        lines = data.translate(_TABLE_OF_LINES).decode("ascii").split("\n") if texts else []
        return [self._kept(line.split()) for line in lines] if self.stop else [line.split() for line in lines]

    def joined(self, text: str) -> list[str]:
        """Tokens for the n-gram metrics: all sentences within the limit as one stream."""
        if "\n" not in text:
            return self._stemmed(self.pieces(text))
        return self._tokens(b" ".join(self._within_limit(_sentences(text), cumulative=True)))

    def sentences(self, text: str) -> list[list[str]]:
        """Tokens for the LCS metrics: a list for each sentence within the limit."""
        return [self._tokens(data) for data in self._within_limit(_sentences(text), cumulative=False)]

    def _tokens(self, data: bytes) -> list[str]:
        return self._stemmed(self._split(data))

    def _cut(self, data: bytes) -> bytes:
        """A one-sentence text within the limit."""
        if self.byte_limit is not None:
            return data[: self.byte_limit]
        return data if self.word_limit is None else first_words(data, self.word_limit)

    def _split(self, data: bytes) -> list[str]:
        return self._kept(data.translate(_TABLE).decode("ascii").split())

    def _kept(self, tokens: list[str]) -> list[str]:
        """The tokens without stop words, if they are to go."""
        if not self.stop:
            return tokens
        removed = stop_words()
        return [token for token in tokens if token not in removed]

    def _stemmed(self, tokens: list[str]) -> list[str]:
        return [STEMMER[token] for token in tokens] if self.stem else tokens

    def _within_limit(self, sentences: list[bytes], cumulative: bool) -> list[bytes]:
        """The sentences up to the limit, the one that reaches it cut.

        Odd but so in the script: in bytes, the LCS reader never adds up what it has taken, so every sentence may
        be as long as the whole limit (`cumulative=False`); in words both readers add up.
        """
        if self.byte_limit is None and self.word_limit is None:
            return sentences
        kept: list[bytes] = []
        used = 0
        for data in sentences:
            if self.byte_limit is not None:
                length, room = len(data), self.byte_limit - used
                cut = data[:room]
            else:
                assert self.word_limit is not None
                length, room = count_words(data), self.word_limit - used
                cut = first_words(data, room)
            if length >= room:
                return [*kept, cut]
            kept.append(data)
            if cumulative or self.byte_limit is None:
                used += length
        return kept


# Words of any script for `unicode`: scripts that write no spaces count character by character.
_MARKED = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd])+")
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff])")


def spell_out(text: str) -> str:
    """The text with every word of another script as an ASCII word of its own, which ROUGE-1.5.5's tokens cannot lose.

    Letters are compared in NFKC without case; combining marks stay with their letters. Line ends stay.
    """
    return "\n".join(" ".join(_spelled(line)) for line in text.split("\n"))


def _spelled(line: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", line).casefold()
    for word in _MARKED.findall(_UNSPACED.sub(r" \1 ", plain)):
        # Digits at the end keep the stemmer off; x and z cannot begin or join an English word of digits.
        yield word if word.isascii() else "x" + "z".join(str(ord(letter)) for letter in word)


def other_scripts(texts: Sequence[str]) -> float:
    """The share of letters that are not Latin, 0 where there are no letters."""
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    return sum(letter > "\u024f" for letter in letters) / len(letters) if letters else 0.0


def _sentences(text: str) -> list[bytes]:
    """Lines of a text without the empty ones, as the script's SPL format reads them."""
    return [line for line in text.encode("utf-8", "replace").split(b"\n") if line]


def count_words(data: bytes) -> int:
    """Fields of Perl's `split(/\\s+/)`: white space at the start makes one empty field, at the end none."""
    words = data.split()
    return len(words) + 1 if words and data[:1].isspace() else len(words)


def first_words(data: bytes, limit: int) -> bytes:
    """The first `limit` fields as `-l` takes them: an empty first field (leading white space) counts."""
    words = data.split()
    if data[:1].isspace() and words:
        limit -= 1
    return data if len(words) < limit else b" ".join(words[:limit])
