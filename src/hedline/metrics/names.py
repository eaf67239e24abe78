"""Names in a headline that nothing in its input supports.

What counts as a name, erring towards silence, since a capital proves little in a headline:

- A word with two capitals or more ("NATO", "McKinsey", "U.N.") is a name, unless the whole headline is in capitals.
- In a sentence-case headline, a capitalised word is a name unless it opens the headline or a part of it (after a
  colon, a full stop, a dash or an opening quote), where any word is capitalised.
- In a title-case headline, and at an opening, capitals mean nothing by themselves: the word is a name only if a casing
  table is given and it says that the word is usually capitalised inside sentences.
- The pronoun "I", digits and words of one letter are never names.

What counts as support, erring towards kindness: the input holds the word in any case, with or without a possessive,
a plural s, or points ("U.S." and "US"); or a word of which it is a short derivation ("Russia", "Russian"); or
consecutive capitalised words whose initials it spells ("European Union" supports "EU"). A compound is
supported when each of its parts is.
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
    initials = _initials(lead_tokens)
    return [name for name in names if not _supported(name, known, initials)]


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


def _initials(tokens: list[str]) -> set[str]:
    """Initials of every run of two to six capitalised words, small words inside a run passed over."""
    found: set[str] = set()
    run = ""
    for token in tokens:
        if token[:1].isupper():
            run = (run + token[0].lower())[-6:]
            found.update(run[start:] for start in range(len(run) - 1))
        elif token.lower() not in _INITIALS_SKIP:
            run = ""
    return found


def _supported(name: str, known: set[str], initials: set[str]) -> bool:
    return all(
        bool(_forms(part) & known) or part in initials or any(_derived(part, word) for word in known)
        for part in _parts(name)
    )


def _derived(left: str, right: str) -> bool:
    """Whether the longer word is the shorter one (of at least four letters) and up to three letters more."""
    short, long = sorted((left, right), key=len)
    return len(short) >= _MIN_STEM and len(long) - len(short) <= _MAX_ENDING and long.startswith(short)
