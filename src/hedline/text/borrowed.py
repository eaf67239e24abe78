"""What a headline says of another than its lead does: who acts, who speaks, whose object.

Each rule looks at two words that a headline puts next to each other and asks what stands between them in the lead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

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


def _lost_clause(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "no evidence of cancer" for "no evidence that the test detects cancer"."""
    for i in range(1, len(told) - 3):
        if told.lower[i] != "that" or told.stems[i - 1] not in _SIGNS or i - 1 not in places:
            continue
        place = places.index(i - 1)
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        inside = {where for where in places[place + 1 :] if i < where < end}
        if (
            said.lower[place + 1 : place + 2] == ("of",)
            and inside
            and inside.isdisjoint(_content(told, range(i + 1, end))[:3])
        ):
            yield f"{told.lower[i - 1]} of"


_SIGNS = word_set("evid evidenc proof sign indicat hint suggest")


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


def _cut_owner(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "in the pocket of Dad's" for "in the pocket of Dad's old coat"; "where to watch" behind other words."""
    last = places[-1]
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


def _whom(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "defender who had mocked him" for "the defender whom he had mocked"."""
    if "whom" in told.lower and "whom" not in said.lower and "who" in said.lower and "who" not in told.lower:
        yield "who"


def _past_doubt(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "leak could cause explosion" for "a leak could have caused the explosion"."""
    for place in range(1, len(said)):
        where = places[place]
        if said.lower[place - 1] in _MODALS and where > 1 and told.lower[where - 1] == "have":
            yield from [f"{said.lower[place - 1]} {said.lower[place]}"] if told.lower[where - 2] in _MODALS else []


_MODALS = word_set("could may might would")


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


RULES: tuple[Rule, ...] = (
    _another_complement, _agent_acted_on, _made_passive, _lost_clause, _whether, _persons, _found_what, _infinitives,
    _run_in, _as_condition, _opponents, _another_is, _another_object, _not_them,
    _cut_owner, _whom, _past_doubt, _turned_way,
)  # fmt: skip
