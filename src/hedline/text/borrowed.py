"""What a headline says of another than its lead does: who acts, who speaks, whose object.

Each rule looks at two words that a headline puts next to each other and asks what stands between them in the lead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
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


def _content(told: Words, places: Sequence[int] | range) -> list[int]:
    """Those of some places of the lead where a word says something."""
    return [i for i in places if told.lower[i] not in FEW and told.lower[i] not in STOPS]


def _lost_clause(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "no evidence of cancer" for "no evidence that the test detects cancer"."""
    for i in range(1, len(told) - 3):
        if told.lower[i] != "that" or told.stems[i - 1] not in _SIGNS | _FEARS or i - 1 not in places:
            continue
        place = places.index(i - 1)
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        inside = {where for where in places[place + 1 :] if i < where < end}
        lost = inside.isdisjoint(_content(told, range(i + 1, end))[:3])
        runs_on = told.stems[i - 1] in _FEARS and not HELPING.isdisjoint(said.lower[place + 2 :])
        if said.lower[place + 1 : place + 2] == ("of",) and inside and (lost or runs_on):
            yield f"{told.lower[i - 1]} of"


_SIGNS = word_set("evid evidenc proof sign indicat hint suggest")
_FEARS = word_set("fear hop worry concern")  # "fears of the dam could burst"


def _whether(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "juice lowers blood pressure" for "wanted to find out whether juice lowers blood pressure"."""
    if "whether" not in told.lower or not _OPEN.isdisjoint({*said.lower, *said.known}):
        return
    for i, token in enumerate(told.lower[:-3]):
        if token != "whether" or i == 1 or told.lower[i + 1] in ("or", "to"):
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        content = _content(told, range(i + 1, end))
        inside = {where for where in places if i < where < end}
        asker = any(0 <= where < i for where in places)
        if len(inside) >= max(2, (len(content) + 1) // 2) and not asker:
            yield token


_OPEN = word_set(
    """whether if ? could may might can would should prob probe investigat examin test debat decid vot consider weigh
    mull quest question doubt look explor ask determin rul see argu disput discuss how unclear uncertain assess"""
)


_FIRST_PERSON = {
    form: person
    for person, forms in (
        ("i", "i i'm i've i'd i'll me my mine myself"),
        ("we", "we we're we've we'll we'd us our ours"),
    )
    for form in forms.split()
}
_OWN = word_set("my your our")


def _persons(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "at my shop" for "at your shop", "I'm not leaving" for "we are not leaving"."""
    spoken = [token.replace("’", "'") for token in said.lower]
    there = {_FIRST_PERSON.get(token.replace("’", "'"), "") for token in told.lower} - {""}
    if not there and {"you", "your"}.isdisjoint(told.lower):
        return  # a story told in the first person
    for place, (raw, token) in enumerate(zip(said.raw, spoken, strict=True)):
        person = _FIRST_PERSON.get(token, "")
        known = spoken[place : place + 2] == ["we", "know"]
        if there and person and raw != "US" and person not in there and not known:
            yield token
        where = max(places[place + 1 : place + 3], default=-1)
        before = set(told.lower[max(where - 2, 0) : max(where, 0)])
        if (
            token in _OWN
            and before & (_OWN | _THEIRS)
            and token not in before
            and is_one_place(told, told.stems[where])
        ):
            yield token


_THEIRS = word_set("his her their")


def _found_what(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "none of the miners found" for "none of the miners found alive"."""
    for i, (verb, state) in enumerate(pairwise(told.lower)):
        if state in _STATES and i in places and is_verb(told, i) and told.stems[i + 1] not in said.known:
            place = places.index(i)
            after = said.lower[place + 1 : place + 2]
            if said.lower[place] == verb and (not after or after[0] in STOPS | LINKS):
                yield f"{verb} {state}"


_STATES = word_set("alive guilty safe liable innocent unharmed responsible unconscious unfit empty intact unlawful")


def _infinitives(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "switch to power to homes" for "a switch that cut power to homes": a noun as a verb."""
    known = set(pairwise(told.lower))
    for place in range(1, len(said)):
        where = places[place]
        if said.lower[place - 1] != "to" or where < 1 or ("to", said.lower[place]) in known:
            continue
        same = said.lower[place] == told.lower[where] and is_one_place(told, told.stems[where])
        verb = told.lower[where - 1] not in FEW and where - 1 not in places and told.lower[where - 2] in RELATIVES
        if same and verb and said.lower[place + 1 : place + 2] and said.lower[place + 1] in LINKS:
            yield f"to {said.lower[place]}"


def _run_in(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Unless lawmakers pass bill to send workers" for "Unless they pass a bill, workers will be sent"."""
    if said.lower[0] != told.lower[0] or said.lower[0] not in _OPENING or "," not in told.lower or "," in said.lower:
        return
    comma = told.lower.index(",")
    yield from _over_comma(said, places, comma)
    if min((where for where in places[1:] if where >= 0), default=0) > comma:
        yield said.lower[0]  # "Unless workers will be sent home"
    for left, right in neighbours(said, places):
        if 0 < places[left] < comma < places[right] and said.lower[left + 1 : right] == ("to",):
            yield said.lower[0]


def _over_comma(said: Words, places: Sequence[int], comma: int) -> Iterator[str]:
    """ "Excluding fuel and food prices" for "Excluding fuel and food, consumer prices"."""
    for left, right in neighbours(said, places):
        if 0 <= places[left] < comma < places[right] - 1 and right == left + 1 and said.lower[0] in _LISTING:
            yield f"{said.lower[left]} {said.lower[right]}"


_LISTING = word_set("excluding except besides unlike including barring")
_OPENING = _LISTING | word_set(
    "unless if should although though while without despite after when barring once because since"
)


def _as_condition(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "ward provides midwives" for "will reopen provided it finds midwives"; "on medical condition"."""
    for i in range(3, len(told) - 2):
        pair = (told.lower[i - 1], told.lower[i])
        if pair == ("on", "condition") and i in places:
            before = said.lower[places.index(i) - 1 : places.index(i)]
            yield from ["condition"] if before and before[0] not in FEW else []
        promised = not listed.PROMISING.isdisjoint(told.lower[max(i - 12, 0) : i])
        if told.lower[i] != "provided" or told.lower[i + 1] not in listed.REPORTED or not promised:
            continue
        forms = [token for token in said.lower if token.startswith("provid")]
        verb = next((j for j in range(i + 2, min(i + 6, len(told))) if told.lower[j] not in FEW), i)
        pronoun = told.lower[i + 1] in listed.PRONOUNS
        if forms and (forms[0] != "provided" or (pronoun and told.stems[verb] not in said.known)):
            yield forms[0]


def _another_is(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "predecessor was safe" for "his predecessor had told him that the dam was safe"."""
    for place in range(1, len(said) - 1):
        here, there = places[place - 1], places[place + 1]
        if said.lower[place] not in TO_BE or here < 0 or there < here + 4 or told.lower[there - 1] not in TO_BE:
            continue
        subject = there - 2
        own = told.lower[subject] not in FEW | STOPS and subject != here and subject not in places
        parted = not (SPEAKING | {"that", "but"}).isdisjoint(told.lower[here + 1 : subject])
        once = is_one_place(told, told.stems[there]) and is_one_place(told, told.stems[here])
        if own and parted and once:
            yield f"{said.lower[place - 1]} {said.lower[place]}"


def _not_them(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "war will get it" for "if they want war, they will get it"; "Grandma turns up" for "it turned up"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or not is_verb(told, there) or LINKS.intersection(said.lower[left + 1 : right]):
            continue
        subject = there - 1 - (told.lower[there - 1] in HELPING)
        pronoun = told.lower[subject] if subject > here else ""
        if pronoun not in _ABOUT or pronoun in said.lower or not is_one_place(told, told.stems[there]):
            continue
        others = {"he", "she"} if pronoun == "it" else {pronoun}
        known = told.lower[here + 1 : subject] if pronoun == "it" else told.lower[:here]
        if not others.isdisjoint(known):
            yield f"{said.lower[left]} {said.lower[right]}"


_ABOUT = word_set("they we i it he she")


def _verb_first(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Suspect burned by mother" for "Detectives suspect that it was burned by the mother"."""
    where = places[0]
    if where > 0 and told.lower[where + 1 : where + 2] == ("that",) and said.lower[1:2] != ("that",):
        noun = told.lower[where - 1] in FEW | STOPS or where - 1 in places
        yield from [] if noun or said.lower[0] != told.lower[where] else [said.lower[0]]


def _cut_owner(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "in the pocket of Dad's" for "in the pocket of Dad's old coat"; "where to watch" behind other words."""
    last = places[-1]
    if said.lower[-1].replace("’", "'") in _CONTRACTED:
        yield said.lower[-1]
    after = next((pair[1] for pair in pairwise(told.lower) if pair[0] == said.lower[-1]), "")
    if said.lower[-1] in _WANTING and after and after not in FEW | STOPS:
        yield said.lower[-1]  # "There will be no new"
    if last < 0 and said.raw[-1].isalpha() and any(token.startswith(said.lower[-1] + "-") for token in told.lower):
        yield said.lower[-1]  # "everyone but self" for "everyone but the self-employed"
    if (
        said.lower[-1] in ("apart", "aside", "other")
        and 0 < last < len(told) - 1
        and told.lower[last + 1] in _EXCEPTING
    ):
        yield said.lower[-1]
    if said.lower[-1].endswith(("'s", "’s")) and 0 <= last < len(told) - 1:
        after = told.lower[last + 1]
        yield from (
            [said.lower[-1]]
            if after not in FEW | STOPS and told.raw[last + 1].islower() and not is_verb(told, last + 1)
            else []
        )
    for place, pair in enumerate(pairwise(said.lower)):
        if place and pair in (("where", "to"), ("how", "to")) and said.lower[place - 1] not in STOPS:
            yield from [" ".join(pair)] if pair not in pairwise(told.lower) and "watch" in said.lower else []


_EXCEPTING = word_set("from than")
_CONTRACTED = word_set("he's she's it's they're we're i'm you're that's who's he'll she'll they'll we'll i'll")
_WANTING = word_set("new own every each another any some")


def _past_doubt(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "leak could cause explosion" for "a leak could have caused the explosion"."""
    for place in range(1, len(said)):
        where = places[place]
        if said.lower[place - 1] in _MODALS and where > 1 and told.lower[where - 1] == "have":
            yield from [f"{said.lower[place - 1]} {said.lower[place]}"] if told.lower[where - 2] in _MODALS else []


_MODALS = word_set("could may might would")


RULES: tuple[Rule, ...] = (
    _lost_clause, _whether, _persons, _found_what, _infinitives, _run_in, _as_condition, _another_is, _not_them,
    _verb_first, _cut_owner, _past_doubt,
)  # fmt: skip
