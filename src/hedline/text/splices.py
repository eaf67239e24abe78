"""What stands far apart in the lead: words joined over a verb that is left out, subjects without their noun.

Weak models write so most often, but every model does where its text is hard to cut (`clauses.torn` asks).
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
    SPOKEN,
    STOPS,
    TO_BE,
    Words,
    is_finite,
    is_one_place,
    is_verb,
    neighbours,
)
from hedline.text.polarity_words import FEW, PRONOUNS, word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def _headless_subject(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Shipyard to walk out" for "workers at the shipyard will walk out"."""
    link = next((i for i in range(1, min(5, len(told))) if told.lower[i] in ("of", "in", "at", "to", "by")), 0)
    head = link - 1
    if link < 1 or told.lower[head] in FEW | STOPS or is_verb(told, head):
        return
    if any(told.lower[i] in LINKS | STOPS or is_verb(told, i) for i in range(head)) or (
        head and not told.raw[head].islower()
    ):
        return
    main = next((i for i in range(link + 1, len(told)) if told.lower[i] in HELPING | STOPS or is_verb(told, i)), 0)
    verb = next((i for i in range(main, min(main + 4, len(told))) if told.lower[i] not in FEW), 0)
    if not main or told.lower[main] in STOPS or not verb or verb not in places:
        return
    before = [where for where in places[: places.index(verb)] if where >= 0]
    own = any(
        where < 0 and token not in FEW for where, token in zip(places[: places.index(verb)], said.lower, strict=False)
    )
    if told.stems[head] in {*said.stems[: places.index(verb) + 4], *listed.STANDING_FOR}:
        return
    if before and not own and min(before) > link and max(before) < main:
        yield told.lower[head]


def _left_gerund(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "accuse company of river" for "accuse the company of polluting a river"."""
    for place, token in enumerate(said.lower[:-1]):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        where = places[target]
        if token not in ("of", "from", "for", "by") or where < 2:
            continue
        for i in range(where - 1, max(where - 4, 0), -1):
            if told.lower[i].endswith("ing") and told.lower[i - 1] == token and i not in places:
                yield f"{token} {told.lower[i]}"
            if told.lower[i] in LINKS | STOPS:
                break


def _left_participle(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "had public money" for "had misused public money"."""
    for place, token in enumerate(said.lower[:-1]):
        target = next((i for i in range(place + 1, min(place + 4, len(said))) if said.lower[i] not in FEW), place)
        where = places[target]
        if token not in HELPING or where < 2 or told.lower.count(token) != 1 or said.lower[place + 1] in TO_BE:
            continue
        helping = told.lower.index(token)
        if (
            helping < where < helping + 6
            and any(is_verb(told, i) and i not in places for i in range(helping + 1, where))
            and not is_verb(told, where)
        ):
            yield f"{token} {said.lower[target]}"


def _left_main(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Customs officers pilot" for "customs officers arrested the pilot"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if min(here, there) < 0 or not here < there < here + 5 or is_verb(told, here) or is_verb(told, there):
            continue
        if right != left + 1 or STOPS.intersection(told.lower[here:there]):
            continue
        gap = [i for i in range(here + 1, there) if is_verb(told, i)]
        acts = gap and told.lower[gap[0] + 1] in ARTICLES  # "Trump's proposed tariffs" have no verb
        if acts and told.lower[gap[0] - 1] not in RELATIVES and not listed.OPENERS.intersection(told.lower[here:there]):
            yield f"{said.lower[left]} {said.lower[right]}"


def _loose_saying(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "tomb of a queen says" where no queen says it, "talks says to have failed", "cook accuses of"."""
    before = places[-2] if len(said) > 1 else -1
    if said.lower[-1] in ("says", "said", "found") and before >= 0:
        near = range(max(before - 6, 0), min(before + 5, len(told)))
        verbs = [i for i in near if told.lower[i] in SPEAKING or told.stems[i] in SPOKEN]
        if not any(i < before or STOPS.isdisjoint(told.lower[before:i]) for i in verbs):
            yield said.lower[-1]
    for pair in pairwise(said.lower):
        if pair in (("says", "to"), ("accuses", "of")):
            yield " ".join(pair)


def _turned_doer(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Jury acquitted of killing" for "a jury acquitted a nurse on Thursday of killing"."""
    for place, where in enumerate(places[1:-1], 1):
        if where < 1 or said.lower[place + 1] not in ("of", "from") or not is_verb(told, where):
            continue
        passive = not TO_BE.isdisjoint(told.lower[max(where - 3, 0) : where])
        if said.lower[place].endswith("ed") and not passive and told.lower[where + 1 : where + 2] in _OBJECTS:
            yield f"{said.lower[place]} {said.lower[place + 1]}"


_OBJECTS = tuple((each,) for each in ARTICLES)


def _another_speaker(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Prince says he has no plan" for "the prince has no plan, a friend said"."""
    place = next((i for i in range(1, min(6, len(said))) if said.lower[i] in ("says", "say")), 0)
    here = places[place - 1] if place else -1
    speaks = [i for i, token in enumerate(told.lower) if token in SPEAKING or told.stems[i] in SPOKEN]
    if here < 0 or len(speaks) != 1 or not is_one_place(told, told.stems[here]):
        return
    comma = next((i for i in range(speaks[0], -1, -1) if told.lower[i] == ","), -1)
    if (
        here < comma < speaks[0] - 1
        and comma > speaks[0] - 6
        and not PRONOUNS.intersection(told.lower[comma : speaks[0]])
    ):
        yield f"{told.lower[here]} says"


def _only_relative(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """Nothing but who somebody is: "The Brazilian who beat the champion"."""
    opener = next((i for i, token in enumerate(said.lower) if token in RELATIVES | {"whose"}), 0)
    if not opener or not STOPS.isdisjoint(said.lower) or any(_acts(said, told, places, i) for i in range(opener)):
        return
    inner = next((i for i in range(len(told)) if told.lower[i] == said.lower[opener]), -1)
    end = next((i for i in range(inner + 1, len(told)) if told.lower[i] in STOPS), len(told))
    verbs = [i for i in range(opener, len(said)) if _acts(said, told, places, i)]
    if any(places[i] > end for i in verbs):
        return
    if inner > 0 and len(verbs) < 2 and SPEAKING.isdisjoint(said.lower) and max(places) > inner:
        yield said.lower[opener]


def _acts(said: Words, told: Words, places: Sequence[int], place: int) -> bool:
    """Whether a word of a headline may be a verb."""
    where, token = places[place], said.lower[place]
    return token in HELPING | {"to"} or (
        is_finite(told, where) if where >= 0 else token not in FEW and token[-1] == "s"
    )


def _begun_late(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A past tense first, without who did it: "Told him he could", "Praised who was dismissed"."""
    where = places[0]
    if said.lower[0] == "told" and said.lower[1:2] != ("to",) and told.lower[0] != "told":
        yield said.lower[0]
    if where < 1 or len(said) < 3 or not is_verb(told, where) or said.lower[0] != told.lower[where]:
        return
    if said.lower[1] in _AFTER_VERB:
        yield said.lower[0]


_AFTER_VERB = word_set("who him her them that he she they it")


def _loose_exception(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Every district but voted", "One were launched" for "all the boats but one", what is excepted as included."""
    for place, (token, after) in enumerate(pairwise(said.lower)):
        where = places[place + 1]
        empty = token in ("but", "except", "bar") and (token, after) not in pairwise(told.lower)
        acts = (where > 0 and is_verb(told, where)) or (token == "bar" and after in HELPING)
        if empty and acts and not listed.UNIVERSAL.isdisjoint(said.lower[:place]):
            yield token
    excepted = next((i for i, token in enumerate(told.lower) if token in ("except", "excluding")), len(told))
    near = [where for where in places if excepted < where < excepted + 4]
    if near and any(0 <= where < excepted for where in places) and _EXCEPTING.isdisjoint(said.lower):
        yield told.lower[excepted]
    first = said.lower[0]
    if first in listed.COUNTED and ("but", first) in pairwise(told.lower) and "but" not in said.lower:
        yield first


_EXCEPTING = word_set("except excluding but not without most only save other bar apart exempt exempts no never")


def _lost_bound(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Half of doctors" for "just under half of the doctors", "three members" for "only three of the members"."""
    for before, token in pairwise(told.lower):
        share = token in listed.NUMBERS or token == "half" or token[0].isdigit()
        if before not in _BOUNDS or not share or token not in said.lower or told.lower.count(token) != 1:
            continue
        place = said.lower.index(token)
        if _BOUNDED.isdisjoint(said.lower[max(place - 4, 0) : place]):
            yield f"{before} {token}"


_BOUNDS = word_set("under below only just")
_BOUNDED = word_set("under below only just less fewer almost nearly few barely up most")


def _verb_after_link(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "extradited to Singapore for wanted by creditors", "in seven residents die"; "it not sold" without its "had"."""
    pairs = set(pairwise(told.lower))
    for place, (token, after) in enumerate(pairwise(said.lower)):
        where = places[place + 1]
        twice = token != after and len(token) > 4 and token[:5] == after[:5] and (token, after) not in pairs
        free = token in PRONOUNS and after == "not" and "had" not in said.lower[max(place - 1, 0) : place]
        if twice or (free and ((token, after) not in pairs or ("had", token) in pairs)):
            yield f"{token} {after}"
        if token not in _BEFORE_NOUNS or where < 1 or (token, after) in pairs or after != told.lower[where]:
            continue
        noun = told.lower[where - 1] in ARTICLES | LINKS or after.endswith("ing")
        if is_verb(told, where) and not noun:
            yield f"{token} {after}"


_BEFORE_NOUNS = word_set("in for over at from with on")


def _from_aside(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Sweden beaten by Finland to reach final" for "Sweden, beaten by Finland last year, defeated … to reach"."""
    taken = [where for where in places if where >= 0]
    for start, end in pairwise(i for i, token in enumerate(told.lower) if token == ","):
        main = end + 1
        if main >= len(told) or not taken or not _is_aside(told, start, main):
            continue
        inside = [where for where in taken if start < where < end]
        main = next((i for i in range(main, len(told)) if told.lower[i] not in FEW), main)
        if start + 1 in inside and main not in taken and max(taken) > main:
            yield told.lower[start + 1]
        if (
            start + 1 in inside
            and max(taken) < end
            and any(told.stems[i] in listed.CARRYING for i in taken if i < start)
        ):
            yield f"{told.lower[start + 1]} {told.lower[main]}"  # "hope the coral is grown"
        if inside and max(taken) >= main and min(taken) > start:
            yield told.lower[main]


def _is_aside(told: Words, start: int, main: int) -> bool:
    """Whether a participle and its words stand between two commas, and the verb after them."""
    passive = is_verb(told, start + 1) or "by" in told.lower[start + 2 : start + 4]
    return passive and (is_verb(told, main) or told.lower[main] in HELPING or told.lower[main].endswith("s"))


def _aim_of_another(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Venezuela to rebuild roads" for "Venezuela lent Nicaragua a million dollars to rebuild roads"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if right != left + 2 or said.lower[left + 1] != "to" or not 0 <= here < there or told.lower[there - 1] != "to":
            continue
        verb = next((i for i in range(here + 1, there) if is_verb(told, i)), -1)
        if verb < 0 or verb in places or told.lower[verb - 1] in HELPING | {"to"} or left > 4:
            continue
        between = [i for i in range(verb + 1, there - 1) if told.lower[i] not in FEW]
        if len(between) > 2 and STOPS.isdisjoint(told.lower[here:there]) and _acts_not(said, told, places, left):
            yield f"{said.lower[left]} to {said.lower[right]}"


def _acts_not(said: Words, told: Words, places: Sequence[int], end: int) -> bool:
    """Whether a headline has no verb up to a place."""
    return not any(_acts(said, told, places, i) for i in range(1, end + 1))


def _condition_of_another(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "if he has not practised" for "if his ankle heals, but he has not practised"; "would ban" without "unless"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        if token in ("if", "unless") and told.lower.count(token) == 1:
            opener = told.lower.index(token)
            end = next((i for i in range(opener, len(told)) if told.lower[i] in STOPS), len(told))
            after = [where for where in places[place + 1 :] if where >= 0]
            if after and after[0] > end:
                yield token
    if "unless" not in told.lower or not {"unless", "if", "without"}.isdisjoint(said.lower):
        return
    if "would" in said.lower or (told.lower[0] == "unless" and "to" in said.lower):
        yield "unless"


def _lost_name(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "calls claims of a recession" without what he calls them."""
    for where in places:
        if where < 0 or told.stems[where] not in ("call", "describ", "label", "brand", "dismiss"):
            continue
        marks = [i for i in range(where, len(told)) if told.lower[i] in '"“”']
        if len(marks) < 2 or not STOPS.isdisjoint(told.lower[where : marks[0]]):
            continue
        quoted = [i for i in range(marks[0] + 1, marks[1]) if told.lower[i] not in FEW]
        if quoted and not set(quoted) & set(places) and told.lower[marks[0] - 1] != "as":
            yield told.lower[where]


def _run_on(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "asylum seekers stopped short of" for "criticised the treatment of asylum seekers but stopped short of"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        subject = not any(is_verb(told, i) for i in range(max(here, 0)))  # which both verbs have
        after = right == left + 1 and 0 <= here < there and is_verb(told, there) and told.lower[there - 1] == "but"
        if after and not subject:
            yield f"{said.lower[left]} {said.lower[right]}"


def _two_sides(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What one side says and another side disputes, without who says it: "9,000 join strike"."""
    contrast = next((i for i, token in enumerate(told.lower) if token in (";", "but")), -1)
    spoken = [i for i in range(1, min(6, contrast)) if told.lower[i] in ("says", "say", "said", "claims")]
    if not spoken or spoken[0] + 2 > contrast:
        return
    first = [where for where in places if spoken[0] < where < contrast]
    cut = next((i for i, where in enumerate(places) if where > contrast), len(said))
    if len(first) > 1 and (SPEAKING | {":", "claim"}).isdisjoint(said.lower[:cut]):
        yield told.lower[spoken[0]]


def _stray_point(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A point inside a headline, or at the end of words that go on in the lead: "14. Long", "the one for olive."."""
    for place, (token, after) in enumerate(pairwise(said.lower)):
        where = places[place]
        if after != "." or (token, after) in pairwise(told.lower) or len(token) == 1:
            continue
        inside = token[0].isdigit() and place + 2 < len(said)
        goes_on = 0 <= where < len(told) - 1 and place + 2 == len(said)
        if (inside or goes_on) and told.lower[where + 1] not in STOPS | LINKS | listed.BORDERS:
            yield f"{token}."


def _hung_over(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "had damaged in newspaper" for "had damaged the tapestry, contradicting a report in a newspaper"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        links = [token for token in said.lower[left + 1 : right] if token in LINKS - {"and", "or", "as", "to"}]
        if not 0 <= here < there or len(links) != 1 or is_verb(told, there) or told.lower[here + 1] == ",":
            continue
        link = next((i for i in range(there - 1, max(there - 4, here), -1) if told.lower[i] == links[0]), -1)
        head = link - 1
        if link < 0 or head in places or told.lower[head] in FEW | STOPS or not is_one_place(told, told.stems[there]):
            continue
        if "," in told.lower[here:head] and any(
            told.lower[i].endswith("ing") or is_verb(told, i) for i in range(here + 1, link)
        ):
            yield f"{said.lower[left]} {links[0]} {said.lower[right]}"


def _verb_twice(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A verb of the lead in two forms: "Nissan abandoned abandons plant"."""
    for each in sorted(said.known):
        where = told.places.get(each, [])
        forms = [token for token, other in zip(said.lower, said.stems, strict=True) if other == each]
        if len(where) == 1 and len(set(forms)) > 1 and is_verb(told, where[0]) and each not in SPOKEN:
            yield forms[1]


RULES: tuple[Rule, ...] = (
    _headless_subject, _left_gerund, _left_participle, _left_main, _loose_saying, _turned_doer,
    _another_speaker, _only_relative, _begun_late, _loose_exception, _lost_bound, _verb_after_link, _from_aside,
    _aim_of_another, _condition_of_another, _lost_name, _run_on, _two_sides, _stray_point, _hung_over,
    _verb_twice,
)  # fmt: skip
