"""Who does what to whom: a headline that gives a verb another doer or object, or a word another complement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
    ARTICLES,
    HELPING,
    LINKS,
    RELATIVES,
    SPEAKING,
    STOPS,
    TO_BE,
    Words,
    is_one_place,
    is_verb,
    neighbours,
)
from hedline.text.polarity_words import FEW, word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def _target(said: Words, place: int) -> int:
    """The word after a preposition, an article left out."""
    return place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))


def _content(told: Words, places: Sequence[int] | range) -> list[int]:
    """Those of some places of the lead where a word says something."""
    return [i for i in places if told.lower[i] not in FEW and told.lower[i] not in STOPS]


def _another_complement(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "hit by police" for "hit by a bus that was being chased by police"."""
    for place in range(1, len(said) - 1):
        ruler, where, link = places[place - 1], places[_target(said, place)], said.lower[place]
        if link not in _COMPLEMENTS or ruler < 0 or told.lower[ruler + 1 : ruler + 2] != (link,) or where < ruler + 4:
            continue
        if told.lower[ruler + 2] in ("what", "being"):
            continue
        gap = range(ruler + 2, where)
        parted = any(_parts(told, i, where, link) for i in gap)
        own = _content(told, gap)
        kept = places[:place] if link == "by" else places[place + 1 :]  # behind it: "cause of Graz fire"
        if parted and own and set(own).isdisjoint(kept) and is_one_place(told, told.stems[where]):
            yield f"{said.lower[place - 1]} {link} {told.lower[where]}"


_COMPLEMENTS = word_set("by for of with from against")
_PARTING = RELATIVES | TO_BE | word_set("; whose but while")


def _parts(told: Words, place: int, end: int, link: str) -> bool:
    """Whether what hangs on a preposition is over at a place: a clause begins there, or a doer of something else."""
    token = told.lower[place]
    clause = token == "," and any(is_verb(told, i) or told.lower[i] in SPEAKING for i in range(place + 1, end))
    return token in _PARTING or clause or token == link == "by"


def _agent_acted_on(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Xenon to be taken over by rival" for "will be taken over by its rival Xenon"; "Nortel to take over by"."""
    for place, where in enumerate(places[:-1]):
        if where < 1 or not is_verb(told, where) or "by" not in said.lower[place + 1 : place + 3]:
            continue
        if "by" not in told.lower[where + 1 : where + 4]:
            continue
        agent = told.lower.index("by", where)
        active = said.lower[place - 1 : place] == ("to",) and said.lower[place] != told.lower[where]
        if active and not TO_BE.isdisjoint(told.lower[max(where - 2, 0) : where]):
            yield f"to {said.lower[place]} by"
        subject = next((i for i in range(place - 1, -1, -1) if said.lower[i] not in FEW), -1)
        end = next(
            (i for i in range(agent, len(told)) if told.lower[i] in STOPS or told.lower[i] in HELPING), len(told)
        )
        if subject >= 0 and agent < places[subject] < end and is_one_place(told, said.stems[subject]):
            yield f"{said.lower[subject]} {said.lower[place]} by"


def _made_passive(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Paolini knocked out by Gauff" for "Paolini knocked out Gauff"."""
    for place, where in enumerate(places[:-2]):
        link = next((i for i in range(place + 1, min(place + 3, len(said) - 1)) if said.lower[i] == "by"), 0)
        if where < 1 or not link or not is_verb(told, where) or said.lower[place] != told.lower[where]:
            continue
        object_ = max(places[link + 1 : link + 3])
        passive = not TO_BE.isdisjoint(told.lower[max(where - 3, 0) : where]) or "by" in told.lower[where : where + 5]
        near = STOPS.isdisjoint(told.lower[where:object_]) and "by" not in told.lower[where:object_]
        if where < object_ and near and not passive:
            yield f"{said.lower[place]} by {told.lower[object_]}"


def _opponents(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Leeds goalkeeper" for "the goalkeeper was dropped for the match against Leeds"."""
    if "against" not in told.lower:
        return
    for place, where in enumerate(places[:-1]):
        noun = places[place + 1]
        if where < 3 or told.raw[where].islower() or not 0 <= noun < where or not told.raw[noun].islower():
            continue
        link = where - 1 - (told.lower[where - 1] in ARTICLES)
        governor = next((i for i in range(link - 1, -1, -1) if told.lower[i] not in FEW), -1)
        apart = (
            any(token in FEW for token in told.lower[noun:governor])
            and is_one_place(told, told.stems[where])
            and not is_verb(told, noun)
        )
        if told.lower[link] == "against" and apart and said.lower[place - 1 : place] not in (("against",), ("vs",)):
            yield f"{told.lower[where]} {told.lower[noun]}"


def _another_object(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "rules out raising the next election" for "rules out raising the tax before the next election"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there < here + 16 or not (ARTICLES | _PARTICLES).issuperset(said.lower[left + 1 : right]):
            continue
        if told.lower[here + 1] in LINKS | STOPS | listed.BORDERS or not told.raw[here].islower():
            continue
        form = said.lower[left]
        acts = form.endswith("ing") or (is_verb(told, here) and (form.endswith("s") or right > left + 1))
        link = next((i for i in range(here + 1, there) if told.lower[i] in _AWAY), here)
        joint = next((i for i in range(there - 1, here, -1) if told.lower[i] not in ARTICLES | {"next", "last"}), here)
        hung = told.lower[joint] in LINKS | _AWAY or (told.lower[joint].endswith("ing") and joint not in places)
        if (
            not acts
            or not hung
            or said.lower[right].removesuffix("'s") != told.lower[there]
            or not STOPS.isdisjoint(told.lower[here:there])
        ):
            continue
        lost = [i for i in _content(told, range(here + 1, link)) if not told.lower[i].endswith("ly")]
        if lost and set(lost).isdisjoint(places) and is_one_place(told, told.stems[there]):
            yield f"{said.lower[left]} {said.lower[right]}"


_PARTICLES = word_set("out up off down")
_AWAY = word_set("before after in at from near against during for on until by")


def _reversed(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Berg beats Lind" for "Lind beat Berg, who had beaten him"."""
    for place in range(1, len(said) - 1):
        one, verb, two = said.stems[place - 1 : place + 2]
        if said.raw[place - 1].islower() or said.raw[place + 1].islower() or said.lower[place] in FEW | STOPS:
            continue
        around = [(told.stems[i - 1], told.stems[i + 1]) for i in told.places.get(verb, ()) if 0 < i < len(told) - 1]
        if (two, one) in around and (one, two) not in around:
            yield f"{said.lower[place - 1]} {said.lower[place]}"


def _whom(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "defender who had mocked him" for "the defender whom he had mocked"."""
    if "whom" not in told.lower or "whom" in said.lower:
        return
    if "who" in said.lower and "who" not in told.lower:
        yield "who"
    whom = told.lower.index("whom")
    verb = next((i for i in range(whom + 2, min(whom + 7, len(told))) if is_verb(told, i)), 0)
    doer = _content(told, range(whom + 1, verb))
    if verb in places and doer and set(doer).isdisjoint(places):
        at = places.index(verb)
        form = said.lower[max(at - 1, 0) : at + 1]
        yield from ["whom"] if form[0] in ("has", "have", "had") or form[-1].endswith("s") else []


def _turned_way(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "gives flights to company" for "accepted flights from a company"."""
    for place in range(1, len(said) - 1):
        target = _target(said, place)
        where, ways = places[target], _WAYS.get(said.lower[place], "")
        if not ways or where < 2 or is_verb(told, where) or not is_one_place(told, told.stems[where]):
            continue
        link = next((i for i in range(where - 1, max(where - 4, 0), -1) if told.lower[i] in LINKS), 0)
        both = said.lower[place] in told.lower[max(link - 2, 0) : link]  # "to and from Bali"
        if told.lower[link] == ways and not both and said.lower[place - 1] not in ("due", "thanks", "close") and link:
            yield f"{said.lower[place]} {said.lower[target]}"


_WAYS = {"to": "from", "from": "to"}


def _new_link(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "have jobs in the language" for "have jobs, although half speak the language"."""
    for place in range(1, len(said) - 1):
        here, target = places[place - 1], _target(said, place)
        there = places[target]
        if said.lower[place] not in ("in", "of", "for", "with", "on") or not 0 <= here < there - 2:
            continue
        verb = there - 1 - (told.lower[there - 1] in ARTICLES)
        gap = told.lower[here + 1 : verb]
        parted = not listed.CONTRAST.isdisjoint(gap) and said.lower[place] not in told.lower[here + 1 : there]
        acts = is_verb(told, verb) or (told.lower[verb] not in FEW | STOPS and told.lower[there - 1] in ARTICLES)
        if parted and acts and verb not in places and is_one_place(told, told.stems[there]):
            yield f"{said.lower[place]} {said.lower[target]}"


RULES: tuple[Rule, ...] = (
    _another_complement, _agent_acted_on, _made_passive, _opponents, _another_object, _reversed, _whom, _turned_way,
    _new_link,
)  # fmt: skip
