"""Numbers and shares of a lead that a headline gives to something else: a part as the whole, a total as the part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hedline.text import polarity_words as listed
from hedline.text.meaning import HELPING, STOPS, Words, is_verb
from hedline.text.polarity_words import word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def _share_of_them(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "downs 62 drones over Odesa" for "downed 62 drones, most of them over Odesa"."""
    for i in range(1, len(told) - 4):
        if told.lower[i] != "," or told.lower[i + 2] != "of" or told.lower[i + 3] not in ("them", "whom", "which"):
            continue
        share = told.lower[i + 1]
        end = next((j for j in range(i + 1, len(told)) if told.lower[j] in STOPS), len(told))
        partly = share in _SHARES or share in listed.NUMBERS or share[0].isdigit()
        inside = any(i + 3 < where < end for where in places) and any(0 <= where < i for where in places)
        if partly and inside and (_SHARES | {share}).isdisjoint(said.lower):
            yield f"{share} of {told.lower[i + 3]}"


_SHARES = word_set("most some many several few half none one part mostly mainly including two-thirds nearly almost")


def _of_total(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "120 bridges to be closed" for "of the 120 bridges, 17 must be closed"; "17 120 bridges"."""
    known = set(pairwise(told.lower))
    for pair in pairwise(said.lower):
        dated = len(pair[1]) == 4 or "." in told.lower[max(_where(told, pair[0]) - 1, 0)]
        if pair[0].isdigit() and pair[1].isdigit() and pair not in known and not dated:
            yield " ".join(pair)
    for i, token in enumerate(told.lower[:-5]):
        if token != "of" or (i and told.lower[i - 1] not in STOPS | {"that"}) or "," not in told.lower[i:]:
            continue
        comma = told.lower.index(",", i)
        total = next((each for each in told.lower[i + 1 : i + 4] if _is_number(each)), "")
        part = next((each for each in told.lower[comma + 1 : comma + 4] if _is_number(each)), "")
        whole = total in said.lower or any(i < where < comma for where in places)
        if whole and part and part not in said.lower and max(places) > comma + 1:
            yield f"of {total}"


def _is_number(token: str) -> bool:
    return token[0].isdigit() or token in listed.NUMBERS


def _since(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "colder for the first time in 1858" for "for the first time since records began in 1858"."""
    if "since" not in told.lower or "since" in said.lower:
        return
    for token in said.lower:
        where = told.lower.index(token) if len(token) == 4 and token.isdigit() and token in told.lower else 0
        near = told.lower[max(where - 6, 0) : where]
        if "since" in near and STOPS.isdisjoint(near[near.index("since") :]) and told.lower.count(token) == 1:
            yield f"since {token}"


def _studied(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "study finds 40,000 births" for "according to a study of 40,000 births"."""
    for place in range(1, len(said) - 1):
        about = said.lower[place + 1]
        if said.stems[place - 1] not in _STUDIES or said.stems[place] not in _FINDING or about not in told.lower:
            continue
        where = told.lower.index(about)
        if told.lower[where - 1] in ("of", "into", "on") and told.stems[where - 2] == said.stems[place - 1]:
            yield f"{said.lower[place]} {about}"


_STUDIES = word_set("study survey poll report review trial analysi research")
_FINDING = word_set("find found show say suggest reveal")


def _than(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "sales drop in May than" without what is compared: a "than" that nothing leads up to."""
    if "than" in said.lower:
        before = said.lower[: said.lower.index("than")]
        if not any(token in _COMPARING or token.endswith(("er", "ier")) for token in before):
            yield "than"


def _half_as(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "half as much in April" for "half as much as in April"."""
    for i in range(len(told) - 3):
        one, middle, two = told.lower[i : i + 3]
        if one != "as" or two != "as" or (one, middle) not in pairwise(said.lower):
            continue
        after = said.lower[list(pairwise(said.lower)).index((one, middle)) + 2 :][:1]
        if after and after[0] not in ("as", "to") and after[0] in told.lower[i + 3 : i + 6]:
            yield f"as {middle} {after[0]}"


_COMPARING = word_set("more less fewer rather other worse different twice sooner else times elsewhere otherwise")


def _another_share(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Two in five nurses want another job" for "two in five … and one in eight has applied for another job"."""
    for i in range(3, len(told) - 3):
        first = i + told.lower[i + 1 : i + 3].count("than") * 2 + 1
        counted = _is_number(told.lower[first]) or told.lower[first : first + 2] == ("one", "in")
        if told.lower[i] not in ("and", ",", "while", ";") or not counted:
            continue
        verb = next((j for j in range(first + 1, min(first + 6, len(told))) if _acts(told, j)), 0)
        end = next((j for j in range(verb + 1, len(told)) if told.lower[j] in _SHARED_ENDS), len(told))
        other = next((j for j in range(i) if told.lower[j] in said.lower and _is_number(told.lower[j])), i)
        own = [j for j in range(other, i) if _acts(told, j)]
        own = own if set(own).isdisjoint(places) and any(verb < where < end for where in places) else []
        if verb and own and STOPS.isdisjoint(told.lower[first:verb]) and told.lower[first] not in said.lower:
            yield f"{told.lower[i]} {told.lower[first]}"


def _acts(told: Words, place: int) -> bool:
    return told.lower[place] in HELPING or is_verb(told, place)


_SHARED_ENDS = STOPS | listed.BORDERS | word_set("in at on by")


def _where(told: Words, token: str) -> int:
    return told.lower.index(token) if token in told.lower else 0


def _another_bound(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "up to 90 degrees" for "up to 90 watts and turns by 90 degrees", "over 62 drones" for "62 drones, … over"."""
    for place, token in enumerate(said.lower[1:], 1):
        pair = said.lower[max(place - 2, 0) : place]
        kind = next((words for bounds, words in _BOUNDS if pair in bounds or pair[-1:] in bounds), None)
        if kind is None or not token[0].isdigit() or token not in told.lower:
            continue
        if pair[-1] == "over" and "over" not in told.lower and place > 1:
            continue  # "a row over 9 million euros"
        unit = said.lower[place + 1 : place + 2]
        where = [i for i, each in enumerate(told.lower) if each == token]
        where = [i for i in where if told.lower[i + 1 : i + 2] == unit] or where
        if not any(kind & {*told.lower[max(i - 4, 0) : i]} or "or" in told.lower[i + 1 : i + 3] for i in where):
            yield " ".join([*pair, token])


_MORE = word_set(
    "over above more exceed exceeding exceeds exceeded least plus beyond upwards topped surpassed than north"
)
_LESS = word_set("under below less fewer up most nearly almost maximum within than short just only as")
_BOUNDS = (
    ({("over",), ("above",), ("more", "than")}, _MORE),
    ({("under",), ("below",), ("less", "than"), ("fewer", "than"), ("up", "to")}, _LESS),
)


def _another_date(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "slows to 4 percent in March" for "slowed from 9 percent in March to 4 percent in May"."""
    for place, token in enumerate(said.lower[2:], 2):
        if not _is_date(token) or told.lower.count(token) != 1 or said.lower[place - 1] not in ("in", "on", "by"):
            continue
        here = next((each for each in said.lower[max(place - 5, 0) : place - 1] if each[0].isdigit()), "")
        where = told.lower.index(token)
        near = [each for each in told.lower[max(where - 5, 0) : where] if each[0].isdigit()]
        if here in told.lower and near and here not in near and "from" not in said.lower:
            yield f"{here} {token}"


def _is_date(token: str) -> bool:
    return token in listed.MONTHS or (len(token) == 4 and token.isdigit())


def _lost_share(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "if shareholders accept it" for "if fewer than 90 percent of shareholders accept it"."""
    for i in range(1, len(told) - 2):
        if told.lower[i] != "of" or told.stems[i - 1] not in _PARTS:
            continue
        noun = next((j for j in range(i + 1, min(i + 6, len(told))) if j in places), 0)
        few = not _FEWER.isdisjoint(told.lower[max(i - 4, 0) : i])
        number = next((each for each in told.lower[max(i - 3, 0) : i] if _is_number(each)), "")
        if noun and few and number not in said.lower and (_FEWER | _SHARES).isdisjoint(said.lower):
            yield f"{told.lower[i - 1]} of {told.lower[noun]}"


_PARTS = word_set("percent third quarter half fifth tenth")
_FEWER = word_set("fewer less under below only just barely hardly no")


def _lost_limit(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "not allowed to raise rents" for "not allowed to raise rents more than once a year"."""
    for i in range(2, len(told) - 2):
        if told.lower[i] not in ("more", "longer", "later") or told.lower[i + 1] != "than":
            continue
        start = next((j for j in range(i - 1, -1, -1) if told.lower[j] in STOPS), -1)
        denied = [j for j in range(start + 1, i) if _denies(told.lower[j])]
        inside = bool(denied) and sum(denied[0] < where < i for where in places) > 1
        limit = told.lower[i + 2]
        counted = limit in ("once", "twice", "one") or _is_number(limit)
        if inside and counted and any(map(_denies, said.lower)) and limit not in said.lower:
            yield f"{told.lower[i]} than {limit}"


def _denies(token: str) -> bool:
    return token in ("not", "never", "cannot", "no", "nobody", "ban", "bans") or token.endswith(("n't", "n’t"))


def _years_old(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "17-year-old bridges" for "17 of the bridges": a number that is nobody's age in the lead."""
    for token in said.lower:
        number = token.removesuffix("-year-old")
        if number == token or token in told.lower or number not in told.lower:
            continue
        where = told.lower.index(number)
        around = {*told.lower[max(where - 2, 0) : where], *told.lower[where + 1 : where + 2]}
        if around.isdisjoint({",", "(", "aged", "age", "years", "year", "turns", "turned", "turning", "is", "was"}):
            yield token


RULES: tuple[Rule, ...] = (
    _share_of_them, _of_total, _since, _studied, _than, _half_as, _another_share, _another_bound, _another_date,
    _lost_share, _lost_limit, _years_old,
)  # fmt: skip
