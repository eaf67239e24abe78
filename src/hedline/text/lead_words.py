"""A text's words, and where a headline's words stand in its lead: the ground that rules of meaning stand on.

No grammar: tokens, their stems, and guesses at what is a verb or an object of a preposition. Where nothing can be told,
nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hedline.text.polarity_cues import TOKEN, stem
from hedline.text.polarity_words import BE, FEW, IRREGULAR, word_set
from hedline.text.remembered import remembered


def word_stems(words: str) -> frozenset[str]:
    """The stems of the words of a text as a set."""
    return frozenset(map(stem, words.split()))


TOKEN_BYTES = 600  # that Words take for each token when everything was asked of them
STOPS = frozenset(',;:.!?()"“”–—')


LINKS = word_set("of by for in to from against at with near on over and or than as")


RELATIVES = word_set("that who which")


_AUXILIARIES = BE | word_set("has have had will would to may might could can cannot should did does do must not also")


# Whom a place or a group may stand for: "officials in China" are China.
STANDING_FOR = word_stems(
    """government officials president police authorities army ministry minister parliament court troops forces
    lawmakers leaders regulators members group thousands hundreds dozens millions scores team king queen head city
    state country province town village prosecutors firefighters scientists researchers shares stocks mayor governor
    council region number"""
)
DIRECTIONS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        """rise rises rose rising gain gains climb climbs increase increases jump jumps soar soars surge surges grow
        grew grows""",
        """fall falls fell falling drop drops dropped decline declines decrease decreases slump slumps plunge plunges
        slide slides slid shrink shrinks shrank tumble tumbles sink sinks dip dips slip slips slipped""",
    )
)


@dataclass(frozen=True)
class Words:
    """A text's tokens: as written, in small letters and as stems."""

    raw: tuple[str, ...]

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """In small letters."""
        return tuple(token.lower() for token in self.raw)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """What the forms of each share (`polarity_cues.stem`)."""
        return tuple(map(stem, self.lower))

    @cached_property
    def known(self) -> frozenset[str]:
        """All stems."""
        return frozenset(self.stems)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where the stem of each content word stands."""
        found: dict[str, list[int]] = {}
        for place, (token, each) in enumerate(zip(self.lower, self.stems, strict=True)):
            if token not in FEW and token not in STOPS:
                found.setdefault(each, []).append(place)
        return found

    def __len__(self) -> int:
        return len(self.raw)


@remembered(most=1 << 23, weigh=lambda words: TOKEN_BYTES * len(words))
def read_words(text: str) -> Words:
    """A text as tokens; leads are asked for again with every candidate."""
    return Words(tuple(TOKEN.findall(text)))


def laid_on(headline: Words, lead: Words) -> list[int]:
    """For each token of a headline its place in the lead, -1 for words that say little and for new ones.

    Of several places, the next one after the word before is taken, or else the nearest.
    """
    found, last = [], -1
    for token, each in zip(headline.lower, headline.stems, strict=True):
        places = lead.places.get(each) if token not in FEW else None
        if places is None:
            found.append(-1)
            continue
        last = min(places, key=lambda place: (place <= last, abs(place - last)))
        found.append(last)
    return found


def is_steady(headline: str, lead: str, ordered: bool = False) -> bool:
    """Whether a second choice is safe: only words of the lead, at least three that count, a verb among them.

    ordered: in the lead's order too, but for who says it.

    Where the best headline turned the lead's meaning, the next ones often step round the fault with half a sentence.
    """
    said, told = read_words(headline), read_words(lead)
    places = laid_on(said, told)
    stems = {told.stems[place][:4] for place in range(len(told))}
    taken = [place for place in places if place >= 0]
    new = [
        token
        for token, each, place in zip(said.lower, said.stems, places, strict=True)
        if place < 0
        and token not in FEW | STOPS
        and each not in SAYING
        and each[:4] not in stems
        and not token.endswith(("n't", "n’t"))
    ]
    changes = told.lower[0] in _CHANGES or told.lower[0] == "add"
    if changes and told.stems[0] not in said.stems:
        return False  # what a change does is all that it is about
    if new or len(set(taken)) < 3 or not (changes or any(_may_be_verb(told, place) for place in taken)):
        return False
    back = [(left, right) for left, right in neighbours(said, places) if 0 <= places[right] < places[left]]
    jumps = any(SAYING.isdisjoint(said.stems[max(left - 1, 0) : right + 3]) for left, right in back)
    return not (ordered and jumps) and not _rehung(said, told, places)


def _rehung(said: Words, told: Words, places: Sequence[int]) -> bool:
    """Whether a noun stands after another preposition than in the lead: "reopen next month of new pipes"."""
    for place, token in enumerate(said.lower[:-1]):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        where = places[target]
        if token not in LINKS - {"and", "or", "than", "as"} or where < 0 or (token == "to" and is_verb(told, where)):
            continue
        last = next((places[i] for i in range(place - 1, -1, -1) if places[i] >= 0), -1)
        gap = told.lower[last + 1 : where] if last >= 0 else ()
        near = next((i for i in range(where - 1, max(where - 5, -1), -1) if told.lower[i] in LINKS | {"and"}), -1)
        if near < 0 or told.lower[near] != token or not STOPS.isdisjoint(gap):
            return True
        if any(is_verb(told, i) for i in range(near + 1, where)):
            return True
    return False


def is_message(lead: str) -> bool:
    """Whether a text is no news: somebody writes to somebody, tells of a change to a program, or offers a thing.

    >>> is_message("Please find attached the minutes."), is_message("The mayor of Lund resigned on Monday, he said.")
    (True, False)
    """
    told = read_words(lead)
    if not told.raw or not _SAYS.isdisjoint(told.lower):
        return False
    if told.lower[0] in _CHANGES or _TELLTALE.search(lead.lower()):
        return True
    places = range(1, len(told))
    if len(told) < 8 or not (ARTICLES - {"a", "an"}).isdisjoint(told.lower):
        return False
    return not any(_may_be_verb(told, i) or told.lower[i] in TO_BE or told.raw[i][0].isupper() for i in places)


_SAYS = word_set("said says told announced reported")
_TELLTALE = re.compile(
    r"^(?:add|allow|support|make|do not) (?:an? |the |support |option |log )"
    r"|\b(?:please|regards|i am writing|i would like|when i|we (?:present|propose|study|introduce|show|describe)"
    r"|in this paper|steps to reproduce|\d{3} error|stack trace|click on|the browser|dishwasher safe)\b"
)
_CHANGES = word_set("fix fixes fixed refactor remove update use make allow support improve bump rename")


def _may_be_verb(told: Words, place: int) -> bool:
    """Whether a token looks like a verb, or like a noun in the plural before an object."""
    after = told.lower[place + 1 : place + 2]
    present = told.lower[place].endswith("s") and bool(after) and after[0] in ARTICLES | {"to", "that"}
    return present or is_verb(told, place) or told.stems[place] in SAYING


Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def is_one_place(told: Words, word: str) -> bool:
    """Whether a stem stands in the lead once, so that there is no doubt where a headline has it from."""
    return len(told.places.get(word, ())) == 1


def neighbours(said: Words, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Places of two content words of a headline with nothing but words that say little between them."""
    last = -1
    for place, token in enumerate(said.lower):
        if token in STOPS:
            last = -1
        elif token not in FEW:
            if last >= 0:
                yield last, place
            last = place


SPOKEN = word_stems(
    """say says said tell told claim report show suggest according warn announce add deny insist argue believe find
    found call think estimate ask reveal write admit accuse describe state rule study survey poll confirm blame testify
    urge praise criticise criticize promise vow explain hear statement read"""
) | {"according"}


def is_verb(told: Words, place: int) -> bool:
    """Whether a token of the lead looks like a verb: its form, or what stands before it."""
    token = told.lower[place]
    if token in FEW or token in ("dead", "death", "deaths") or not told.raw[place].islower():
        return False
    before = told.lower[place - 1] if place else ""
    present = token.endswith("s") and before in RELATIVES
    return (token.endswith("ed") and len(token) > 4) or token in IRREGULAR or before in _AUXILIARIES or present


def link(told: Words, place: int) -> str:
    """The preposition directly before a noun and its names, "" without one."""
    for i in range(place - 1, max(place - 5, -1), -1):
        token = told.lower[i]
        if token in LINKS:
            return token
        if not (told.raw[i][0].isupper() or token in ("the", "a", "an", ".")):
            return ""
    return ""


ARTICLES = word_set("the a an its his her their")


TO_BE = word_set("is are was were be been being")


SPEAKING = word_set("say says said claim claims claimed told wrote writes write added adds insist insists insisted")


SAYING = word_set("say says said claim claims alleged accus warn tell insist report accord believ think deny")
