"""Names in a headline that nothing in its input supports.

What counts as a name, erring towards silence, since a capital proves little in a headline:

- A word with two capitals or more ("NATO", "McKinsey", "U.N.") is a name, unless the whole headline is in capitals.
- In a sentence-case headline, a capitalised word is a name unless it opens the headline or a part of it (after a
  colon, a full stop, a dash or an opening quote), where any word is capitalised.
- In a title-case headline, and at an opening, capitals mean nothing by themselves: the word is a name only if a casing
  table is given and it says that the word is usually capitalised inside sentences.
- The pronoun "I", function words ("Is", "An"), digits and words of one letter are never names.

What counts as support, erring towards kindness: the input holds the word in any case, with or without a possessive,
a plural s, or points ("U.S." and "US"); or a word of which it is a short derivation or the like ("Russia" and
"Russian", "Ukraine" and "Ukrainian"); or a capitalised word that it clips ("Democrats" supports "Dems"); or consecutive
words whose initials it spells, small words counted or not ("European Union" supports "EU", "general manager" GM,
"Department of Justice" DOJ, "PlayStation 5" PS5), where states and unions want capitals ("use such" does not support
"US"). A compound is supported when each of its parts is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hedline.text.stopwords import FUNCTION_WORDS
from hedline.text.tokenize import words

_OPENERS = frozenset({":", ".", "!", "?", "-", "--", "–", "—", "``", '"', "“", "‘", "'", "|", ";", "..."})
_INITIALS_SKIP = frozenset({"of", "the", "and", "for", "in", "on", "de"})
_MIN_STEM = 4
_MAX_ENDING = 3
_PEOPLES = frozenset({"a", "e", "y", "o", "i", "n", "ey", "ia", "an", "ian", "ean", "ese", "ish", "ic"})
_MIN_CLIP = 3
_LONGEST_ACRONYM = 6
_STATES = frozenset({"us", "uk", "eu", "un", "uae", "usa"})


def unsupported_names(headline: str, lead: str, casing: Mapping[str, str] | None = None) -> list[str]:
    """The headline's names, as written, without support in the input.

    casing: lower-case word -> its usual form inside sentences (a `Truecaser`'s table), to recognise names in
    title-case headlines and at the start; without it those are passed over.
    """
    names = find_names(headline, casing)
    if not names:
        return []
    lead_tokens = words(lead)
    known = {form for token in lead_tokens for part in _parts(token) for form in _forms(part)}
    proper = [token.lower() for token in lead_tokens if token[:1].isupper()]
    spelled = known | _acronyms(lead_tokens)
    return [name for name in names if not _supported(name, spelled, known, proper)]


def find_names(headline: str, casing: Mapping[str, str] | None = None) -> list[str]:
    """The words of a headline that are names by the rules above, in order, with repeats."""
    tokens = words(headline)
    if _all_capitals(tokens):
        return [token for token in tokens if _usually_capitalised(token, casing)]
    title_case = is_title_case(tokens)
    names, opening = [], True
    for token in tokens:
        if token[:1].isalpha() and len(token) > 1:
            if _capitals(token) >= 2 or (
                token[0].isupper()
                and token.lower() not in FUNCTION_WORDS
                and (_usually_capitalised(token, casing) if title_case or opening else token not in _ALWAYS)
            ):
                names.append(token)
            opening = False
        elif token in _OPENERS:
            opening = True
        else:
            opening = opening and not token[:1].isalnum()
    return names


_ALWAYS = frozenset({"I'm", "I've", "I'll"})


def is_title_case(tokens: list[str]) -> bool:
    """Whether nearly all content words after the first are capitalised (at least two of them, 70 %)."""
    content = [t for t in tokens[1:] if t[:1].isalpha() and len(t) > 3 and t.lower() not in FUNCTION_WORDS]
    capitalised = sum(token[0].isupper() for token in content)
    return len(content) >= 2 and capitalised >= 0.7 * len(content)


def _all_capitals(tokens: list[str]) -> bool:
    letters = "".join(token for token in tokens if token[:1].isalpha())
    return len(letters) > 5 and letters.isupper()


def _capitals(token: str) -> int:
    return sum(character.isupper() for character in token)


def _usually_capitalised(token: str, casing: Mapping[str, str] | None) -> bool:
    form = casing.get(token.lower(), "") if casing is not None else ""
    return form[:1].isupper()


def _parts(token: str) -> list[str]:
    """Parts of a compound, points removed: `Franco-German` -> franco, german; `U.S.` -> us."""
    return [part for part in re.split(r"[-–/]", token.replace(".", "").lower()) if part]


def _forms(word: str) -> set[str]:
    """A word without possessive and plural endings, and as it is."""
    forms = {word}
    for ending in ("'s", "’s", "'", "’", "s", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            forms.add(word[: -len(ending)])
    return forms


def _acronyms(tokens: list[str]) -> set[str]:
    """What the words of an input may be shortened to, in small letters."""
    capitalised = [token if token[:1].isupper() or token.lower() in _INITIALS_SKIP else "," for token in tokens]
    return _initials(capitalised) | (_initials(tokens) - _STATES)


def _initials(tokens: list[str]) -> set[str]:
    """Initials of every run of two to six words, with the small words in it and without; numbers stay whole."""
    found: set[str] = set()
    for skipped in (frozenset[str](), _INITIALS_SKIP):
        run: list[str] = []
        for token in tokens:
            if not token[:1].isalnum():
                run = []
            elif token.lower() not in skipped:
                run = [*run, _initial(token)][-_LONGEST_ACRONYM:]
                found.update("".join(run[start:]) for start in range(len(run) - 1))
    return found


def _initial(token: str) -> str:
    """What a word gives to an acronym: its first letter, all capitals of `PlayStation`, or the whole number."""
    if token.isdigit():
        return token
    inner = "".join(character for character in token if character.isupper())
    return (inner if len(inner) > 1 and not token.isupper() else token[0]).lower()


def _supported(name: str, spelled: set[str], known: set[str], proper: list[str]) -> bool:
    """known: forms of the input's words; spelled: these and its acronyms; proper: its capitalised words."""
    return all(
        bool(_forms(part) & spelled)
        or any(_derived(part, word) for word in known)
        or any(_clips(form, word) for form in _forms(part) for word in proper)
        for part in _parts(name)
    )


def _clips(short: str, word: str) -> bool:
    """Whether a form of three letters or more is how the word begins."""
    return len(short) >= _MIN_CLIP and word.startswith(short)


def _derived(left: str, right: str) -> bool:
    """Whether one word is the other and up to three letters more, or both differ in the ending of a people's name.

    >>> _derived("russia", "russian"), _derived("ukraine", "ukrainian"), _derived("johnson", "johnston")
    (True, True, False)
    """
    shared = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    endings = {left[shared:], right[shared:]}
    if "" in endings:
        return shared >= _MIN_STEM and max(map(len, endings)) <= _MAX_ENDING
    return shared >= _MIN_STEM and endings <= _PEOPLES
