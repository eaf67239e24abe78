"""Who did what to whom: whether a headline joins a lead's words as the lead does.

A noun that is an object of "for" or "by" in the lead does not become a subject, "that" keeps the noun it belongs to,
"from" and "to" keep their numbers, a verb keeps its object, and words of two sentences are not run together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedline.text.lead_words import (
    ARTICLES,
    LINKS,
    RELATIVES,
    STANDING_FOR,
    STOPS,
    TO_BE,
    Rule,
    Words,
    is_one_place,
    is_verb,
    link,
    neighbours,
)
from hedline.text.polarity_cues import stem
from hedline.text.polarity_words import BE, FEW, IRREGULAR, word_set

_ENDS = frozenset(";.!?")
_PROMOTING = word_set("for by with against of in to near at")  # a noun after one is no subject


def _spliced(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """Neighbours that stand in different sentences of the lead: "shoot wrong bear that attacked a hiker"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        single = is_one_place(told, said.stems[right]) and is_one_place(told, said.stems[left])
        if 0 <= here < there and single and _has_end(told, here + 1, there) and "and" not in said.lower[left:right]:
            yield f"{said.lower[left]} {said.lower[right]}"


def _run_on(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Excluding energy prices fell" for "Excluding energy, prices fell": the comma of an opening phrase is gone."""
    if not said.lower or said.lower[0] not in _OPENING or told.lower[:1] != said.lower[:1] or "," not in told.lower:
        return
    comma = told.lower.index(",")
    for left, right in neighbours(said, places):
        if 0 <= places[left] < comma < places[right]:
            yield f"{said.lower[left]} {said.lower[right]}"


_OPENING = word_set(
    """excluding except apart unless if had should were without despite although while until once with aside"""
)


def _has_end(told: Words, start: int, stop: int) -> bool:
    """Whether a sentence ends between two places; the point of a short form ("Gov.") ends none."""
    return any(
        token == ";" or (token in _ENDS and len(told.lower[start + i - 1]) > 4 and _opens(told, start + i))
        for i, token in enumerate(told.lower[start:stop])
    )


def _opens(told: Words, end: int) -> bool:
    """Whether the word before a point is no name and the word after it begins a sentence."""
    return told.raw[end - 1].islower() and end + 1 < len(told) and told.raw[end + 1][0].isupper()


def _antecedents(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "bear that attacked" where the lead has "animal that attacked"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        follower = said.stems[place + 1]
        if token not in RELATIVES or follower in FEW or said.lower[place + 1] in FEW:
            continue
        owners = [
            told.stems[i - 1]
            for i, each in enumerate(told.lower[:-1])
            if i and each in RELATIVES and told.stems[i + 1] == follower and told.lower[i - 1] not in STOPS
        ]
        if not owners:  # "rival Togo won", "coach who won"
            owners = [
                told.stems[i - 1]
                for i in told.places.get(follower, ())
                if i
                and is_verb(told, i)
                and told.lower[i - 1] not in FEW | STOPS
                and not told.lower[i - 1].endswith("ly")
            ]
        asked = token == "who" and any("whom" in told.lower[max(i - 5, 0) : i] for i in told.places.get(follower, ()))
        if asked or (owners and not said.known.intersection(owners)):
            yield f"{said.lower[place - 1]} {token}"


def _promoted(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A subject that the lead has after a preposition: "Spain fell" for "unemployment in Spain fell"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or not is_verb(told, there) or LINKS.intersection(said.lower[left + 1 : right]):
            continue
        between = told.lower[here + 1 : there]
        if any(
            (token not in FEW and not token.endswith("ly")) or token in ("most", "more", "very") for token in between
        ):
            continue
        after = told.lower[there + 1 : there + 2]
        if told.lower[there].endswith("ed") and not between and after and after[0] in (FEW | LINKS) - ARTICLES:
            continue  # "food wasted during": no verb of its own
        head = _governor(told, here)
        if head >= 0 and told.stems[head] not in said.known and told.stems[head] not in STANDING_FOR:
            yield f"{said.lower[left]} {said.lower[right]}"


def _governor(told: Words, place: int) -> int:
    """The noun before the preposition that a noun stands after, or before a "who" whose clause it ends; -1 without."""
    for i in range(place - 1, max(place - 5, 0), -1):
        token = told.lower[i]
        if token in _PROMOTING:
            return i - 1 if told.lower[i - 1] not in FEW and told.lower[i - 1] not in STOPS else -1
        if token in STOPS or (token in FEW and token not in ("the", "a", "an", "its", "his", "her", "their")):
            return -1
        if is_verb(told, i):
            return i - 2 if i > 1 and told.lower[i - 1] == "who" else -1
    return -1


def _swapped(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A doer that the lead does not make one: "Qatar frees" for "were freed after talks led by Qatar"."""
    for left, right in neighbours(said, places):
        subject, verb = places[left], places[right]
        form = said.lower[right]
        if not 0 <= verb < subject or not is_verb(told, verb) or form.endswith(("ed", "en", "ing")):
            continue
        if said.lower[left].endswith(("'s", "’s")) or told.lower[verb] == form:
            continue
        if said.lower[left + 1 : right] not in ((), ("to",), ("will",)):
            continue
        agent = told.lower[verb + 1 : subject]
        if "by" not in agent or any(is_verb(told, i) for i in range(verb + 1, subject)):
            yield f"{said.lower[left]} {form}"


def _made_active(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Mill sues paper" for "the mill was sued by a paper"."""
    for left, right in neighbours(said, places):
        subject, verb = places[left], places[right]
        form = said.lower[right]
        if (
            not 0 <= subject < verb
            or right - left > 1
            or form == told.lower[verb]
            or form.endswith(("ed", "en", "ing"))
        ):
            continue
        passive = not TO_BE.isdisjoint(told.lower[max(verb - 3, 0) : verb]) or told.lower[verb + 1 : verb + 2] == (
            "by",
        )
        passive = passive and is_verb(told, verb)
        if passive and "by" in told.lower[verb + 1 : verb + 7] and verb - subject < 5:
            yield f"{said.lower[left]} {form}"


def _agents(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "by", "against", "over", "from" and "to" before a name or number that the lead gives another part."""
    for place, token in enumerate(said.lower[:-1]):
        target = place + 1 + (said.lower[place + 1] in ("the", "a", "an") and place + 2 < len(said))
        where = places[target]
        if token not in _CHANGED or where < 0 or not is_one_place(told, told.stems[where]):
            continue
        before = link(told, where)
        if before in _CHANGED[token]:
            yield f"{token} {said.lower[target]}"


_CHANGED = {
    "by": word_set("in at near to against"),
    "over": word_set("in at near"),
    "against": word_set("in at near by"),
    "from": word_set("to by"),
    "to": word_set("from"),
    "after": word_set("on before until"),
    "before": word_set("on after"),
}


def _owners(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "coach of Togo" for "coach of Ghana"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        if token != "of" or places[place - 1] < 0 or places[place + 1] < 0:
            continue
        owned = [i for i in told.places[said.stems[place - 1]] if told.lower[i + 1 : i + 2] == ("of",)]
        named = set(said.stems[place + 1 : place + 4]) - FEW
        if owned and not any(named & set(_phrase(told, i + 2)) for i in owned):
            yield f"{said.lower[place - 1]} of {said.lower[place + 1]}"
        whole = places[place + 1]
        rightful = _owner(told, whole)
        if not owned and rightful and rightful not in said.known and rightful not in STANDING_FOR:
            yield f"{said.lower[place - 1]} of {said.lower[place + 1]}"


def _modifiers(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Kenyan court" for "the court … a Kenyan runner": an adjective of another noun."""
    for place in range(len(said) - 1):
        here, there = places[place], places[place + 1]
        if here < 0 or there < 0 or not told.raw[here][0].isupper() or not told.lower[here].endswith(_OF_A_PEOPLE):
            continue
        noun = told.raw[here + 1 : here + 2]
        if not noun or not noun[0].islower() or noun[0] in FEW or is_verb(told, here + 1) or here == 0:
            continue
        if there not in range(here + 1, here + 5) and told.lower[here - 1] not in LINKS and there < here:
            yield f"{said.lower[place]} {said.lower[place + 1]}"


_OF_A_PEOPLE = ("an", "ese", "ish", "ch", "ek", "ic")


def _reattached(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "breed in 1980" for "breed in the region, down from 1,300 in 1980": a phrase hung on another word."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or right - left < 2 or not told.lower[there][0].isdigit():
            continue
        link = there - 1
        while link > here and told.lower[link] in ARTICLES:
            link -= 1
        head = told.lower[link - 1]
        if told.lower[link] not in LINKS - {"to"} or told.lower[link] not in said.lower[left + 1 : right]:
            continue
        stops = not STOPS.isdisjoint(told.lower[here:link])
        if stops and head not in FEW | STOPS and told.stems[link - 1] not in said.known:
            yield f"{said.lower[left]} {told.lower[link]} {said.lower[right]}"


def _owner(told: Words, place: int) -> str:
    """Of "destruction of the tapes", for the place of "tapes", the stem of "destruction"; "" without an "of"."""
    i = place - 1
    while i > 0 and told.lower[i] in ARTICLES:
        i -= 1
    return told.stems[i - 1] if i > 0 and told.lower[i] == "of" and told.lower[i - 1] not in FEW else ""


def _possessed(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Hungary's statement" where nothing in the lead makes it Hungary's."""
    for place, token in enumerate(said.lower[:-1]):
        here, there = places[place], places[place + 1]
        if not token.endswith(("'s", "’s")) or here < 0 or there < 0 or token in told.lower:
            continue
        if there < here:
            parted = not _PARTING.isdisjoint(told.lower[there + 1 : here])
        else:
            parted = there - here < 5 and not STOPS.isdisjoint(told.lower[here:there])
        far = there < here - 4 and link(told, here) in ("from", "of", "by", "with", "against", "to")
        if parted or far or not _EXCEPTING.isdisjoint(told.lower[max(here - 3, 0) : here]):
            yield f"{token} {said.lower[place + 1]}"


_PARTING = word_set("that whose who by against after")
_EXCEPTING = word_set("exception except excluding apart unlike without against")


def _objects(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "drug slowed in a trial" for "drug slowed the growth in a trial": the object is gone."""
    for left, right in neighbours(said, places):
        verb = places[right]
        after = said.lower[right + 1 : right + 2] or ("",)
        cut = not after[0] and not (RELATIVES | {"to"}).isdisjoint(said.lower[left + 1 : right])
        if not 0 <= places[left] < verb or not (cut or after[0] in LINKS - {"to", "and", "or"}):
            continue
        follows = told.lower[verb + 1] if verb + 1 < len(told) else ""
        active = said.lower[right].endswith("s") or told.lower[verb - 1] not in BE
        if active and is_verb(told, verb) and (follows in ARTICLES or (cut and follows[:1].isdigit())):
            yield f"{said.lower[right]} {after[0]}"


def _replaced(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "revokes the minister" for "revokes the doctorate it had awarded to the minister": another object."""
    for left, right in neighbours(said, places):
        verb, thing = places[left], places[right]
        if not 0 <= verb < thing - 2 or not is_verb(told, verb) or told.lower[verb + 1] not in ARTICLES:
            continue
        if LINKS.intersection(said.lower[left + 1 : right]) or told.lower[verb - 1] in BE:
            continue
        noun = _object(told, verb + 2)
        if noun and thing > noun[-1] and not said.known.intersection(told.stems[i] for i in noun):
            yield f"{said.lower[left]} {said.lower[right]}"


def _object(told: Words, start: int) -> list[int]:
    """Places of the content words from a place on, up to the first word that is none."""
    found = []
    for i in range(start, min(start + 5, len(told))):
        if told.lower[i] in FEW | STOPS | LINKS:
            break
        found.append(i)
    return found


def _taken_back(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "members back the exception" for "with the exception of one, all members backed …": an object from before."""
    for left, right in neighbours(said, places):
        verb, thing = places[left], places[right]
        if not 0 <= thing < verb or not is_verb(told, verb) or LINKS.intersection(said.lower[left + 1 : right]):
            continue
        active = BE.isdisjoint(told.lower[max(verb - 3, 0) : verb]) and told.lower[verb + 1 : verb + 2] != ("by",)
        before = next((places[i] for i in range(left - 1, -1, -1) if places[i] >= 0), -1)
        if active and thing < before < verb and told.lower[verb + 1 : verb + 2] and told.lower[verb + 1] in ARTICLES:
            yield f"{said.lower[left]} {said.lower[right]}"


def _phrase(told: Words, start: int) -> list[str]:
    """Stems from a place on, up to a stop or a new clause, seven at most."""
    found: list[str] = []
    for token, each in zip(told.lower[start : start + 7], told.stems[start : start + 7], strict=True):
        if token in STOPS or token in RELATIVES or token == "whose":
            break
        found.append(each)
    return found


def _voice(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "had taken" for "had been taken", "who accused" for "who is accused", "accused of river" without "polluting"."""
    for place, token in enumerate(said.lower[:-1]):
        near = range(place + 1, min(place + 5, len(said)))
        target = next((i for i in near if said.lower[i] not in _SMALL or i == near[-1]), place + 1)
        where = places[target]
        if token not in _HOLDING or where < 2:
            continue
        between = [each for each in _after_last(told, token, where) if each not in ARTICLES]
        if not between:
            continue
        if token in _BEFORE_PASSIVE and between[0] in ("been", *TO_BE) and is_verb(told, where):
            yield f"{token} {said.lower[target]}"
        elif between[0] not in FEW and between[0] not in STOPS and stem(between[0]) not in said.known:
            verbal = (
                between[0].endswith(("ed", "ing"))
                or between[0] in IRREGULAR
                or (token in _NEGATED and not between[0].endswith("ly"))
            )
            if verbal or (
                token in TO_BE and ((between[1:2] and between[1] in FEW | _PLACES) or told.lower[where] in _PLACES)
            ):
                yield f"{token} {said.lower[target]}"


_BEFORE_PASSIVE = word_set("has have had who that which")
_PLACES = word_set("everywhere here there nowhere today again")
_SMALL = ARTICLES | word_set("another any some all both only if")
_NEGATED = word_set("not never cannot without no")
_HOLDING = _NEGATED | _BEFORE_PASSIVE | TO_BE | word_set("of for by without from will to")


def _after_last(told: Words, token: str, end: int) -> tuple[str, ...]:
    """The tokens between the last place of a token, at most five before an end, and that end."""
    for i in range(end - 1, max(end - 8, -1), -1):
        if told.lower[i] == token:
            return told.lower[i + 1 : end]
    return ()


def _verbs_gone(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "tribunal sale" for "tribunal voided the sale": subject and object side by side, the verb between them gone."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there - 1 or there - here > 4 or right - left > 2:
            continue
        verb, after = told.lower[here + 1], told.lower[here + 2]
        past = verb.endswith(("ed", "es", "ts")) or (verb in IRREGULAR and verb not in ("dead", "death"))
        thing = after in ARTICLES or after[0].isdigit() or after in _NUMBERS
        thing = thing or (there == here + 2 and verb.endswith("ed") and told.raw[here].islower())
        verbal = (
            said.lower[right + 1 : right + 2] and places[right + 1] < 0 and said.lower[right + 1].endswith(("s", "ed"))
        )
        if past and verb not in FEW and thing and stem(verb) not in said.known and not verbal:
            yield f"{said.lower[left]} {said.lower[right]}"


def _made_passive(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "it was not offered" for "it had not offered its striker"."""
    for place, where in enumerate(places):
        if where < 2 or not is_verb(told, where) or TO_BE.isdisjoint(said.lower[max(place - 2, 0) : place]):
            continue
        active = not word_set("had has have did will would").isdisjoint(told.lower[max(where - 3, 0) : where])
        if active and BE.isdisjoint(told.lower[max(where - 3, 0) : where]) and told.lower[where + 1 : where + 2]:
            before = next((places[i] for i in range(place - 1, -1, -1) if places[i] >= 0), -1)
            if told.lower[where + 1] in ARTICLES and before < where:
                yield said.lower[place]


_NUMBERS = word_set("two three four five six seven eight nine ten")


def _heads(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "buys taxis" for "buys a maker of taxis": the noun before "of" is gone, and what follows takes its part."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or there - here > 8 or LINKS.intersection(said.lower[left + 1 : right]):
            continue
        if not is_verb(told, here) or said.lower[left].endswith(("'s", "’s")):
            continue
        for i in range(here + 2, there):
            if (
                told.lower[i] in ("of", "by", "against", "for")
                and told.lower[i - 1] not in FEW
                and told.lower[i - 1] not in STOPS
            ):
                gap = told.lower[i + 1 : there]
                head = told.stems[i - 1]
                if any(token in STOPS or token in LINKS for token in gap) or head in said.known:
                    continue
                if head not in STANDING_FOR and not told.lower[i - 1][0].isdigit() and i - 1 > here:
                    yield f"{said.lower[left]} {said.lower[right]}"


TURNED_RELATIONS: tuple[Rule, ...] = (_swapped, _made_passive, _made_active)
RELATIONS: tuple[Rule, ...] = (
    *TURNED_RELATIONS, _spliced, _run_on, _antecedents, _promoted, _agents, _owners, _possessed,
    _modifiers, _reattached, _objects, _replaced, _taken_back, _voice, _verbs_gone, _heads,
)  # fmt: skip
