"""Shares of a group: "only one of five climbers", "half of the 640 soldiers", "all paintings … except one".

What is said of a share stands in the verb after it, or in the verb that it is the object of. A participle behind the
group ("climbers trapped by an avalanche") says who the group is. A headline that stops before the verb states the
participle of the share instead: only one climber trapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedline.text import polarity_words as listed
from hedline.text.meaning import HELPING, LINKS, RELATIVES, SPEAKING, SPOKEN, STOPS, Words, is_verb
from hedline.text.polarity_words import FEW, word_set

_WHOLE = word_set("all every none only half most fewer less few nobody no both")
_NOT_MAIN = listed.OPENERS | listed.BORDERS | RELATIVES | {"than"}


def cut_share(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A share and the participle of its group without the verb: "About half of soldiers sent to Comoros"."""
    start, end = _share(told, said), _clause_end(said, told, places)
    if start is None or any(where < 0 and _counts(said, i) for i, where in enumerate(places[:end])):
        return
    taken = [where for where in places[:end] if where >= 0]
    described = next((where for where in taken if where > start and _describes(told, where)), None)
    if described is None or min(taken) < start - 2 or told.lower[described] not in said.lower:
        return
    main = _verb_after(told, described)
    if main is not None and max(taken) < main:
        yield told.lower[main]
    ruler = next((i for i in range(start - 1, max(start - 3, -1), -1) if told.lower[i] not in FEW), -1)
    if main is None and ruler > 0 and is_verb(told, ruler) and told.stems[ruler] not in SPOKEN:
        others = [where for where in taken if where != described and (is_verb(told, where) or where < start)]
        yield from [] if others else [told.lower[ruler]]


def _clause_end(said: Words, told: Words, places: Sequence[int]) -> int:
    """Where a headline's statement ends: before a last comma behind which nobody does more than say it."""
    comma = max((i for i, token in enumerate(said.lower) if token in ",:"), default=len(said))
    tail = range(comma + 1, len(said))
    if not SPEAKING.isdisjoint(said.lower[comma:]):
        return comma
    acts = any(said.lower[i] in HELPING | {"to"} or (places[i] >= 0 and is_verb(told, places[i])) for i in tail)
    return len(said) if acts else comma


def _counts(said: Words, place: int) -> bool:
    """Whether a word that the lead does not have says something of its own."""
    token = said.lower[place]
    return token in HELPING or not (token in FEW or token in STOPS or token in _WHOLE or token in listed.COUNTED)


def _share(told: Words, said: Words) -> int | None:
    """Where the lead has the share that a headline begins with."""
    for token in said.lower[:3]:
        for i, each in enumerate(told.lower[:-1]):
            numbered = each in listed.COUNTED or each[0].isdigit() or each.split("-")[0] in listed.COUNTED
            if each == token and (token in _WHOLE or (numbered and told.lower[i + 1] in ("of", "in"))):
                return i
    return None


def _describes(told: Words, place: int) -> bool:
    """Whether a participle stands behind its noun and has no object: "soldiers sent to", "miners trapped since"."""
    before, after = told.lower[place - 1], told.lower[place + 1 : place + 2]
    behind = before not in FEW | STOPS | HELPING and not is_verb(told, place - 1) and not before.endswith("ly")
    return is_verb(told, place) and behind and bool(after) and after[0] in LINKS | listed.BORDERS | _ADVERBS


_ADVERBS = word_set("during underground inside aboard overnight last this there here")


def _verb_after(told: Words, place: int) -> int | None:
    """The verb of a clause whose subject ends in a participle, if it follows before a stop or another clause."""
    for i in range(place + 1, len(told)):
        token = told.lower[i]
        if token in STOPS or (token in _NOT_MAIN and token not in ("and", "since")):
            return None
        if (token in HELPING and told.raw[i] != "May") or (
            is_verb(told, i) and told.lower[i - 1] not in ("to", "and", "or")
        ):
            return None if token in SPEAKING else i
    return None
