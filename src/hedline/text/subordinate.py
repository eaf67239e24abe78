"""Subordinate clauses: relative ones whose words a headline gives to something else, conditions without their verb,
and participles behind a share of a group.

They are asked for only where the lead has a "who" or "that", or the headline an "if", a "but" or a share
(`clauses.torn`). What is said of a share ("only one of five climbers trapped by an avalanche") stands in the verb after
it or in the verb that it is the object of; the participle says who the group is. A headline that stops before the verb
states the participle of the share instead: only one climber trapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
    HELPING,
    LINKS,
    RELATIVES,
    SAYING,
    SPEAKING,
    SPOKEN,
    STOPS,
    TO_BE,
    Words,
    is_finite,
    is_verb,
    joined,
)
from hedline.text.polarity_words import FEW, word_set

_NOT_MAIN = listed.OPENERS | listed.BORDERS | RELATIVES | {"than"}
_ADVERBS = word_set("during underground inside aboard overnight last this there here")

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def _vouched(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "officer who ordered her" for "the officer who she says ordered her"."""
    taken = set(places)
    if ":" in said.lower or not (SAYING | listed.EQUIVALENTS["hedging"][0]).isdisjoint({*said.known, *said.lower}):
        return
    for i in range(len(told) - 4):
        if told.lower[i] not in RELATIVES:
            continue
        says = next((j for j in range(i + 2, min(i + 5, len(told) - 1)) if _says(told, j)), 0)
        plain = all(told.lower[j] in FEW or told.raw[j].islower() for j in range(i + 1, says))
        if says and plain and told.lower[says + 1] not in STOPS and taken.intersection((says + 1, says + 2)):
            yield told.lower[says]


def _says(told: Words, place: int) -> bool:
    return told.lower[place] in SPEAKING or told.stems[place] in ("claim", "alleg", "believ", "think")


def _beyond(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "officer who feared for her life" for "the officer who …, telling the judge that she feared"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        if token not in ("who", "which", "whose") or places[place - 1] < 0:
            continue
        opener = next((i for i in range(places[place - 1], len(told)) if told.lower[i] == token), -1)
        verb = next((i for i in places[place + 1 : place + 6] if i >= 0 and is_verb(told, i)), -1)
        if 0 <= opener < verb and any(each in STOPS for each in told.lower[opener:verb]):
            yield f"{token} {told.lower[verb]}"


def _inserted(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "The age of 97 gave her last concert" for "Brandt, who died at the age of 97, gave her last concert"."""
    taken = set(places)
    for left, right in joined(said, told, places):
        here, there = places[left], places[right]
        opener = next(
            (i for i in range(here, 0, -1) if told.lower[i] in listed.INSERTED and told.lower[i - 1] == ","), 0
        )
        if not opener or not is_verb(told, there):
            continue
        end = next((i for i in range(opener, len(told)) if told.lower[i] == ","), len(told))
        named = any(0 <= place < opener - 1 for place in taken)
        if here < end < there < end + 4 and not named:
            yield f"{said.lower[left]} {said.lower[right]}"


def _cut_short(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A clause without its verb: "but number of people without work" for "but the number of … rose"."""
    for place, token in enumerate(said.lower[:-1]):
        if token not in listed.CUT or token not in told.lower:
            continue
        opener = told.lower.index(token)
        end = next((i for i in range(opener + 1, len(told)) if told.lower[i] in STOPS), len(told))
        stop = next((i for i in range(place + 1, len(said)) if said.lower[i] in STOPS), len(said))
        rest = [i for i in places[place + 1 : stop] if i >= 0]
        verbs = [i for i in range(opener + 1, end) if is_finite(told, i)]
        if not rest or not verbs or not all(opener < i < end for i in rest):
            continue
        if any(i < rest[0] and told.lower[i - 1] == "to" for i in verbs) or not _has_verb(
            said, told, places, place, stop
        ):
            yield token


def _has_verb(said: Words, told: Words, places: Sequence[int], start: int, stop: int) -> bool:
    """Whether a part of a headline has a verb, or what may be one: a word of its own, or one in "ing"."""
    for i in range(start + 1, stop):
        token, where = said.lower[i], places[i]
        if token in HELPING | SPEAKING | listed.PRONOUNS or token.endswith("ing") or token in _BASES:
            return True
        if is_finite(told, where) if where >= 0 else token not in FEW:
            return True
    return False


def _headless(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A condition without what depends on it: "40 million euros provided shareholder puts in the same"."""
    for place, token in enumerate(said.lower):
        if token not in listed.CONDITIONS or not 0 < place < len(said) - 1 or told.lower.count(token) != 1:
            continue
        where = told.lower.index(token)
        before = [i for i in places[:place] if i >= 0]
        if not before or max(before) > where or told.lower[where - 1] in TO_BE:
            continue
        own = "to" in said.lower[:place] or any(
            token in listed.DENIAL or "n't" in token for token in said.lower[:place]
        )
        if not own and not _has_verb(said, told, places, -1, place) and STOPS.isdisjoint(said.lower[:place]):
            yield token


def _antecedents(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "bear that attacked" where the lead has "animal that attacked", "who asked" for "whom he asked"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        where = places[place + 1]
        if token not in RELATIVES or where < 2 or not is_verb(told, where):
            continue
        near = next((i for i in range(where - 1, max(where - 4, 0), -1) if told.lower[i] in RELATIVES | {"whom"}), 0)
        parted = not STOPS.difference(',:"“”').isdisjoint(told.lower[max(places[place - 1], 0) : near])
        if near and (told.lower[near] == "whom" or (parted and told.stems[near - 1] not in said.known | STOPS)):
            yield f"{said.lower[place - 1]} {token}"


def _quantified(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "fewer than half of passengers" without what they did, where a clause inside the lead says it."""
    for i in range(1, len(told)):
        token, before = told.lower[i], told.lower[i - 1]
        if token not in listed.SHARES or token not in said.lower or before not in STOPS | listed.BEFORE_SHARES:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        helping = next((j for j in range(i + 1, end) if told.lower[j] in HELPING), end)
        predicate = {told.stems[j] for j in range(helping + 1, end) if told.lower[j] not in FEW}
        tail = said.lower[said.lower.index(token) :]
        new = any(places[j] < 0 and said.lower[j] not in FEW for j in range(len(said) - len(tail), len(said)))
        if predicate and predicate.isdisjoint(said.known) and not new:
            yield token


def _whose(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Writer flees after arrest" for "the writer, whose husband was arrested, fled"."""
    for i in range(1, len(told) - 3):
        if told.lower[i] != "whose" or "whose" in said.lower:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        verb = next((j for j in range(i + 2, end) if is_verb(told, j)), 0)
        owned = [j for j in range(i + 1, verb) if told.lower[j] not in FEW]
        if verb in places and owned and set(owned).isdisjoint(places):
            yield f"whose {told.lower[owned[-1]]}"


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
    return token in HELPING or not (token in FEW or token in STOPS or token in listed.WHOLE or token in listed.COUNTED)


def _share(told: Words, said: Words) -> int | None:
    """Where the lead has the share that a headline begins with."""
    for token in said.lower[:3]:
        for i, each in enumerate(told.lower[:-1]):
            numbered = each in listed.COUNTED or each[0].isdigit() or each.split("-")[0] in listed.COUNTED
            if each == token and (token in listed.WHOLE or (numbered and told.lower[i + 1] in ("of", "in"))):
                return i
    return None


def _describes(told: Words, place: int) -> bool:
    """Whether a participle stands behind its noun and has no object: "soldiers sent to", "miners trapped since"."""
    before, after = told.lower[place - 1], told.lower[place + 1 : place + 2]
    behind = before not in FEW | STOPS | HELPING and not is_verb(told, place - 1) and not before.endswith("ly")
    return is_verb(told, place) and behind and bool(after) and after[0] in LINKS | listed.BORDERS | _ADVERBS


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


_BASES = frozenset(listed.IRREGULAR.values())


RULES: tuple[Rule, ...] = (
    _vouched,
    _beyond,
    _inserted,
    _cut_short,
    _headless,
    _antecedents,
    _quantified,
    _whose,
    cut_share,
)
