"""Where sentences end: a rule over two neighbouring chunks, so abbreviations and initials are no trap."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STOP = re.compile(r"[.?!…][\])}>\"'”’»]*\Z")
_CHUNK = re.compile(r"\S+")
_OPENING = "\"'`([{<“‘«„"
_CLOSING = "\"')]}>”’»"
_MAY_STOP = frozenset(".?!…" + _CLOSING)


def _list(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Always followed by a name or by more of the same sentence.
_TITLES = _list("""
    mr mrs ms mx dr prof rev hon fr st ste sen sens rep reps gov govs gen col lt maj capt cmdr sgt cpl pvt adm brig
    supt insp det atty pres messrs mt ft vs v rt cf e.g i.e eg ie ald asst assoc dept amb mme mlle approx
""")
# Abbreviations when a number follows; otherwise ordinary words that may end a sentence.
_BEFORE_NUMBER = _list("""
    no nos rs p pp vol art sec ch fig figs ca jan feb mar apr jun jul aug sep sept oct nov dec
""")
# End a sentence only when the next word is one that often begins a sentence.
_ABBREVIATIONS = _list("""
    inc corp co ltd llc plc bros jr sr esq ph.d etc al ave blvd rd sq hwy bldg est tel ext mon tue tues wed thu thur
    thurs oz lb lbs yd km kg hr hrs secs dist univ ala ariz ark calif colo conn fla ga ill ind kan ky md mass mich
    minn mont neb nev okla ore pa penn tenn tex va vt wis wyo ont que alta
""")
_STARTERS = _list("""
    the a an this that these those he she it they we i you his her its their our my but and so yet when while if in
    on at for from as after before since although though because however meanwhile there here what who why how where
    one some many most all both no not now then according police officials
""")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")


def ends_sentence(chunk: str, following: str) -> bool:
    """Whether a sentence ends between two neighbouring chunks (strings without white space).

    >>> ends_sentence("Mr.", "Smith"), ends_sentence("home.", "The"), ends_sentence("U.S.", "troops")
    (False, True, False)
    """
    if not _STOP.search(chunk):
        return False
    start = following.lstrip(_OPENING)[:1]
    if not start or start.islower() or not (start.isalnum() or start == "#"):
        return False
    body = chunk.rstrip(_CLOSING)
    if not body.endswith(".") or body.endswith(".."):
        return True
    return not _is_abbreviation(body[:-1].lstrip(_OPENING), following.strip(_OPENING + _CLOSING + ".,;:"))


def _is_abbreviation(word: str, following: str) -> bool:
    """Whether the period after `word` belongs to the word alone."""
    lower = word.lower()
    if lower in _TITLES:
        return True
    starts = following.lower() in _STARTERS
    if len(word) == 1 and word.isalpha():
        return word != "I" and not starts
    if lower in _BEFORE_NUMBER:
        return following[:1].isdecimal() or following[:1] == "#"
    if lower in _ABBREVIATIONS or _ACRONYM.fullmatch(word):
        return not starts
    return False


def ending_chunks(chunks: Sequence[str]) -> list[int]:
    """Positions of the chunks that end a sentence, the last chunk always among them; none for no chunks."""
    if not chunks:
        return []
    last = len(chunks) - 1
    ends = [
        i for i, chunk in enumerate(chunks[:last]) if chunk[-1] in _MAY_STOP and ends_sentence(chunk, chunks[i + 1])
    ]
    return [*ends, last]


def split_sentences(text: str) -> list[str]:
    """The text's sentences as they stand in it, without the white space around them.

    >>> split_sentences("Mr. J. K. Doe paid $3.50. \\"Fine,\\" he said. (So it goes.) Done")
    ['Mr. J. K. Doe paid $3.50.', '"Fine," he said.', '(So it goes.)', 'Done']
    """
    spans = [match.span() for match in _CHUNK.finditer(text)]
    sentences, first = [], 0
    for end in ending_chunks([text[a:b] for a, b in spans]):
        sentences.append(text[spans[first][0] : spans[end][1]])
        first = end + 1
    return sentences


def first_sentence(text: str) -> str:
    """The first sentence, an empty string for a blank text."""
    return next(iter(split_sentences(text)), "")
