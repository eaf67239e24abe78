"""ROUGE-1.5.5's own variant of Porter's rules, in Python; `speedups.c` holds them compiled.

It is not Porter's algorithm as NLTK or Snowball have it: step 4 is a chain of four separate tests, so that
"governmental" loses "-al" and then "-ment" (the script's comment claims otherwise; its code does this).
Words here are lower-case ASCII letters and digits; digits count as consonants.
"""

from __future__ import annotations

import re

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
