"""What a headline states: whether its words stand under the same conditions, doubts and denials as in its lead.

A word that turns, weakens or bounds what follows may not be passed over; a clause after "that" or "to" keeps the word
that carries it, and a condition its "if". Which words may be left out is listed; all others must stay.
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
    STOPS,
    TO_BE,
    Words,
    has_equivalent,
    is_one_place,
    is_verb,
    joined,
    laid_on,
    neighbours,
    owners,
    read_words,
)
from hedline.text.polarity_cues import Cue
from hedline.text.polarity_words import BORDERS, FEW, word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def wrong_relations(headline: str, lead: str, turning: bool = False) -> list[str]:
    """Words that a headline joins in another way than its lead, or that nothing in the lead supports.

    turning: only what turns the meaning round.

    >>> lead = "Hackers working for North Korea stole emails."
    >>> wrong_relations("North Korea stole emails", lead), wrong_relations("Hackers stole emails", lead)
    (['korea stole'], [])
    """
    said, told = read_words(headline), read_words(lead)
    if said.lower[:2] == ("how", "to") and {"you", "your"} & set(told.lower):
        return []  # advice states nothing
    places = laid_on(said, told)
    return [fault for rule in (TURNING if turning else RULES) for fault in rule(said, told, places)]


def _subjects(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "No passenger on the ferry" without what no passenger was or did."""
    for place, token in enumerate(said.lower):
        second = "".join(told.lower[1:2])
        counted = token in listed.COUNTED or token[0].isdigit() or token.endswith(("ths", "thirds"))
        nobody = token in listed.NOBODY or (counted and second in ("of", "in"))  # "Nine of the fourteen miners"
        if told.lower[:1] != (token,) or second[:1].isdigit() or not nobody:
            continue
        end = next((i for i, each in enumerate(told.lower) if each in ",;" and i > 2), len(told))
        inner = {j for i in range(1, end) if told.lower[i] in RELATIVES for j in (i + 1, i + 2)}  # "who were offered"
        helping = max((i for i in range(1, end) if told.lower[i] in _HELPING and i not in inner), default=None)
        verbs = [i for i in range(1, end) if i not in inner and (is_verb(told, i) or _is_present(told, i))]
        if helping is not None:
            predicate = {told.stems[i] for i in range(helping, end) if told.lower[i] not in FEW}
        else:
            predicate = {told.stems[i] for i in verbs}
        tail = zip(said.lower[place:], said.stems[place:], strict=True)
        new = {each for token, each in tail if token not in FEW} - told.known
        if predicate and not predicate & said.known and not new - {"."}:
            yield token


def _is_present(told: Words, place: int) -> bool:
    """Whether a token looks like a verb in the present: "prevents the", "supports the"."""
    return told.lower[place].endswith("s") and not ARTICLES.isdisjoint(told.lower[place + 1 : place + 2])


_HELPING = word_set("is are was were has have had will would can could did does do be been may might")


def _passed_over(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """Words that turn, weaken or bound what follows, where the headline takes what follows and leaves the word."""
    taken = {place for place in places if place >= 0}
    pairs = zip(said.lower, said.stems, strict=True)
    new = frozenset(form for pair in pairs if pair[1] not in told.known for form in pair)
    belongs = owners(said.stems, told.stems)
    judged: set[int] = set()
    for place in taken:
        skipped = 0
        for i in range(place - 1, -1, -1):
            token = told.lower[i]
            if i in taken or i in judged or token in STOPS or token in listed.BORDERS or skipped > _SKIPPED:
                break
            judged.add(i)
            skipped += token not in FEW
            kind = _turns(told, i)
            if kind and _object(told, i, kind).isdisjoint(taken):
                continue  # what it turns is left out
            if kind and not has_equivalent(Cue(kind, token, (), place=i), said.lower, said.stems, new, belongs):
                yield token


_SKIPPED = 4  # content words that a headline may leave out between such a word and what it takes


def _object(told: Words, place: int, kind: str) -> set[int]:
    """Places of what a word turns: the clause after its "that", else the next word that counts or its whole phrase."""
    rest = range(place + 1, len(told))
    if kind in ("negation", "attribution") and "that" in told.lower[place + 1 : place + 4]:
        return set(rest)
    content = [i for i in rest if told.lower[i] not in FEW | STOPS and not told.lower[i].endswith("ly")]
    first = content[0] if content else place
    if kind == "negation" and told.lower[place] != "without":
        return set(content[:2])
    if kind in ("negation", "carrying"):
        return set(range(first, next((i for i in rest if i > first and told.lower[i] in LINKS | STOPS), len(told))))
    return {first}


def _turns(told: Words, place: int) -> str:
    """The kind of a word that turns what follows, "" for others."""
    token, after = told.lower[place], told.lower[place + 1 : place + 2]
    if told.lower[place - 1 : place + 1] == ("or", "not") or told.lower[place : place + 2] in listed.URGES:
        return ""  # "whether or not", "don't miss"
    if token.endswith(("n't", "n’t")) or (token == "outside" and told.lower[place - 1] == "from"):
        return "negation"
    kind, wanted = listed.PASSED_OVER.get(token, ("", frozenset()))
    if not kind or (wanted and wanted.isdisjoint(after)):
        return ""
    return "" if _is_harmless(told, place) else kind


def _is_harmless(told: Words, place: int) -> bool:
    """Whether a word turns nothing here: "a few", "in May", "No. 1", "not only"."""
    token, after = told.lower[place], told.lower[place + 1] if place + 1 < len(told) else ""
    before = told.lower[place - 1] if place else ""
    if token in _HARMLESS_AFTER:
        return before in _HARMLESS_AFTER[token]
    if token in ("may", "might", "could"):  # "you may have seen" is no news that may be wrong
        return before == "you" or (token == "may" and (before in listed.IN or after[:1].isdigit()))
    if token in ("shelves", "dropped"):
        return before in ARTICLES | {"your", "on", "from"} or "new" in told.lower[place + 1 : place + 3]
    if token.startswith("lift"):
        return listed.LIFTED.isdisjoint(told.stems[max(place - 4, 0) : place + 7])
    if token not in ("not", "no", "none"):
        return False
    double = after in listed.NOT_TURNED or after[:2] == "un" or after[:1].isdigit()
    return double or told.lower[place + 1 : place + 3] == ("the", "only")


_HARMLESS_AFTER = {  # "a few", "called to reports of a fire"
    "few": word_set("a the next last past first every"), "reports": word_set("following after to amid"),
}  # fmt: skip


def _governed(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A verb that the lead has only as hoped for ("efforts to rescue", "stopped short of calling"), set free."""
    for place, where in enumerate(places):
        if where < 1 or not told.raw[where].islower():
            continue
        link, gerund = told.lower[where - 1], told.lower[where].endswith("ing")
        linked = link == "to" or (gerund and link in _BEFORE_GERUND)
        ruler = where - 2 if linked else where - 1 if gerund else -1
        if link == "to" and told.stems[ruler] not in listed.HOPED:  # "expected the bank to cut"
            ruler = next((i for i in range(ruler, max(ruler - 5, -1), -1) if told.stems[i] in listed.ASKED), -1)
        asked = listed.ASKED if link == "to" else listed.HOPED
        if ruler < 0 or told.stems[ruler] not in (listed.HOPED | asked if linked else listed.HOLDING_OFF):
            continue
        noun = place > 0 and said.lower[place - 1] in (LINKS | ARTICLES) - {"to"}
        free = not (said.lower[place].endswith("ing") or noun or told.stems[ruler] in said.known)
        aim = told.stems[where - 2] in ("effort", "attempt") or told.stems[where - 2] not in listed.HOPED
        if said.lower[place - 1 : place] == ("to",) and aim:
            continue
        free = free and listed.STANDING_IN.isdisjoint(said.known)
        if free and is_one_place(told, told.stems[where]):
            yield f"{told.lower[ruler]} {told.lower[where]}"


_BEFORE_GERUND = word_set("of from against without about on at")


def _swapped(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A doer that the lead does not make one: "Qatar frees" for "were freed after talks led by Qatar"."""
    for left, right in neighbours(said, places):
        subject, verb = places[left], places[right]
        form = said.lower[right]
        if not 0 <= verb < subject or not is_verb(told, verb) or form.endswith(("ed", "en", "ing")):
            continue
        ahead = said.lower[left + 1 : right]
        if (
            said.lower[left].endswith(("'s", "’s"))
            or (told.lower[verb] == form and not ahead)
            or said.lower[right + 1 : right + 2] in ((), ("by",))
            or said.stems[right] in listed.BY_ITSELF
        ):
            continue
        if ahead not in ((), ("to",), ("will",)) or not is_one_place(told, said.stems[left]):
            continue
        if ahead == ("to",) and _acts_before(said, told, places, left):
            continue  # "Lind beats Berg to reach the final": what for
        if not ahead and not form.endswith("s") and not said.lower[left].endswith("s"):
            continue  # "gas supply": a noun
        if _is_named_before(said.lower[left], told.raw[:verb]) or (not ahead and _is_noun(said, told, places, right)):
            continue
        agent = told.lower[verb + 1 : subject]
        if agent[:1] in (("in",), ("at",)) and not TO_BE.isdisjoint(told.lower[max(verb - 3, 0) : verb]):
            continue  # "allowed in China": who allows it may be China
        led = agent[:1] not in (("by",), ("and",)) and any(is_verb(told, i) for i in range(verb + 1, subject))
        ruled = told.stems[subject + 1 : subject + 2] in (("rul",), ("order",), ("decid",))  # ", a judge ruled"
        if ("by" not in agent or led) and not ruled:
            yield f"{said.lower[left]} {form}"


def _acts_before(said: Words, told: Words, places: Sequence[int], end: int) -> bool:
    """Whether a headline has a verb, or a word of its own that may be one, before a place."""
    return any(
        said.lower[i] in HELPING or (is_verb(told, places[i]) if places[i] >= 0 else said.lower[i].endswith("s"))
        for i in range(1, end)
    )


def _is_named_before(token: str, before: Sequence[str]) -> bool:
    """Whether a country's adjective or a name in full stands before its verb: "Iranian judges", "European Union"."""
    if len(token) < 5 and token in "".join(each[0].lower() for each in before if each[0].isupper()):
        return True
    return len(token) > 3 and any(each[0].isupper() and each.lower().startswith(token[:-1]) for each in before)


def _is_noun(said: Words, told: Words, places: Sequence[int], place: int) -> bool:
    """Whether a verb of the lead is a noun in the headline, before a stop or a verb: "poetry pioneer, dies"."""
    after = said.lower[place + 1]
    verb = places[place + 1] >= 0 and is_verb(told, places[place + 1])
    return not said.lower[place].endswith("s") and (after in STOPS | HELPING or verb)


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
        passive = not TO_BE.isdisjoint(told.lower[max(verb - 3, 0) : verb]) or "by" in told.lower[verb + 1 : verb + 3]
        passive = passive and is_verb(told, verb)
        agent = next((i for i in range(verb + 1, min(verb + 7, len(told))) if told.lower[i] == "by"), len(told))
        if passive and verb - subject < 5 and any(place > agent for place in places[right + 1 : right + 3]):
            yield f"{said.lower[left]} {form}"


def _promoted(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A subject that the lead has after a preposition: "Spain fell" for "unemployment in Spain fell"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or not is_verb(told, there) or LINKS.intersection(said.lower[left + 1 : right]):
            continue
        if any(0 <= place < here - 3 for place in places[:left]) or not RELATIVES.isdisjoint(said.lower[:left]):
            continue  # the headline has a subject before it
        between = told.lower[here + 1 : there]
        if any(
            (token not in FEW and not token.endswith("ly")) or token in ("most", "more", "very") for token in between
        ):
            continue
        after = told.lower[there + 1 : there + 2]
        later = any(is_verb(told, i) and told.lower[i - 1] != "to" for i in range(there + 1, len(told)))
        loose = bool(after) and after[0] in (FEW | LINKS) - ARTICLES
        if told.lower[there].endswith("ed") and later and not between and loose:
            continue  # "food wasted during": no verb of its own
        head = _governor(told, here)
        if (
            head < 0
            or (is_verb(told, head) and not told.lower[head].endswith("ing"))
            or (head and not told.raw[head].islower())
        ):
            continue
        if told.stems[head] not in said.known and told.stems[head] not in listed.STANDING_FOR | listed.SHARED:
            yield f"{said.lower[left]} {said.lower[right]}"


def _governor(told: Words, place: int) -> int:
    """The noun before the preposition that a noun stands after, or before a "who" whose clause it ends; -1 without."""
    for i in range(place - 1, max(place - 5, 0), -1):
        token = told.lower[i]
        if token in listed.PROMOTING:
            return i - 1 if told.lower[i - 1] not in FEW and told.lower[i - 1] not in STOPS else -1
        if token in RELATIVES - {"that"} and i > 1 and i < place - 1 and told.lower[i + 1] not in FEW:
            return i - 1
        if token in STOPS or (token in FEW and token not in ARTICLES | {"and"}):
            return -1
        if is_verb(told, i):
            return i - 2 if i > 1 and told.lower[i - 1] in RELATIVES and not is_verb(told, i - 2) else -1
    return -1


def _doubts(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What stands under a condition, a claim or a denial, where the lead has one."""
    if not listed.DOUBTS.isdisjoint(told.lower):
        from hedline.text.doubts import RULES as DOUBTS

        for rule in DOUBTS:
            yield from rule(said, told, places)


def _no_head(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """The lead's subject without its first noun: "Pope's shirt made by computer" for "a photo of the pope's shirt"."""
    link = next((i for i in range(1, min(7, len(told))) if told.lower[i] in listed.HANGING), 0)
    head = link - 1
    if link < 1 or not told.lower[head].isalpha() or told.lower[head] in FEW or told.lower[0] in BORDERS:
        return
    if any(token in STOPS or (token in FEW and token not in ARTICLES) for token in told.lower[:link]):
        return
    if head and not told.raw[head].islower():
        return
    if told.stems[head] in said.known | listed.STANDING_FOR | listed.SHARED or told.lower[head] in listed.NUMBERS:
        return
    if any(is_verb(told, i) for i in range(link)) or any(0 <= place < head for place in places):
        return
    comma = told.lower.index(",") if "," in told.lower else len(told)
    end = len(told) if told.lower[comma + 1 : comma + 2] in (("who",), ("which",)) else comma
    main = next((i for i in range(link + 1, end) if _is_main(told, i, link)), -1)
    new = any(where < 0 and token not in FEW | STOPS for where, token in zip(places, said.lower, strict=True))
    if main > 0 and main in places and not new and any(link < place < main for place in places[: places.index(main)]):
        yield told.lower[head]


def _is_main(told: Words, place: int, link: int) -> bool:
    """Whether a verb may be that of the lead's subject: not that of an aside, an infinitive or a participle."""
    if not is_verb(told, place) or told.lower[place - 1] == "to" or told.lower[place].endswith("ing"):
        return False
    opener = max((i for i in range(link + 1, place) if told.lower[i] in RELATIVES | {"whose"}), default=0)
    inside = opener and "," not in told.lower[opener:place] and told.lower[link] != "that"
    bare = told.lower[place - 1] not in HELPING | FEW | {","} and told.lower[place + 1 : place + 2]
    return not inside and not (bare and bare[0] in LINKS)


def _second_verb(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Greens lose nine" for "the Greens gained four and the Liberals lost nine", "salad cleared"."""
    first = next((i for i in range(len(told)) if is_verb(told, i)), len(told))
    for left, right in joined(said, told, places):
        here, there = places[left], places[right]
        if there <= here or not is_verb(told, there) or "and" not in told.lower[here:there]:
            continue
        last = there - 1 - told.lower[here:there][::-1].index("and")
        if "," in told.lower[last:there] or not listed.OPENERS.isdisjoint(told.lower[last:there]):
            continue
        own = [i for i in range(last + 1, there) if told.lower[i] not in FEW and not told.lower[i].endswith("ly")]
        if own and last - 2 > here and told.lower[last - 2] in LINKS:
            continue  # "wanted for robbery and fraud were held"
        verbs = any(is_verb(told, i) for i in range(here + 1, last))
        nobody = (
            all(place > first for place in places if place >= 0)
            and not own
            and TO_BE.isdisjoint(told.lower[max(there - 3, 0) : there])
        )
        if (own and verbs and not any(is_verb(told, i) for i in own)) or (nobody and here > first):
            yield f"{said.lower[left]} {said.lower[right]}"


def _hung_on(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """The speaker after a comma behind a preposition: "neither fishing rights in Japan's minister admits"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        where = places[target]
        if token not in listed.PLACING - {"by", "for"} or where < 2 or where + 1 >= len(told):
            continue
        first = where - 1 - (told.lower[where - 1] in ARTICLES)
        named = not told.raw[where].islower() and told.lower[where + 1] in STOPS
        verb = any(is_verb(told, i) for i in range(where + 1, min(where + 7, len(told))))
        if told.lower[first] == "," and verb and not named and token not in told.lower[where - 4 : where]:
            yield f"{token} {said.lower[target]}"


def _split_names(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "French satellites launch from Guiana" for "satellites launched from French Guiana"."""
    for i in range(1, len(told) - 2):
        if not (told.raw[i].istitle() and told.raw[i + 1].istitle() and is_one_place(told, told.stems[i])):
            continue
        if told.raw[i - 1][:1].isupper() or told.raw[i + 2][:1].isupper() or told.lower[i + 1] in FEW:
            continue
        placed = told.lower[i - 1] in _WHERE
        if placed and i in places and i + 1 not in places and 0 < places.index(i) < len(said) - 1:
            place = places.index(i)  # "four French satellites"
            follows = places[place + 1] in (-1, i + 2) or _is_whose(told, places[place + 1], i)
            yield from [told.raw[i]] if said.raw[place] == told.raw[i] and not follows else []
        if i in places and i + 1 in places and told.lower[i - 1] in LINKS:
            between = places[places.index(i) + 1 : places.index(i + 1)]
            yield from [f"{told.raw[i]} {told.raw[i + 1]}"] if any(where >= 0 for where in between) else []


_WHERE = word_set("from in at near to")


def _is_whose(told: Words, noun: int, name: int) -> bool:
    """Whether a noun is what somebody is for a name: "a quarterback for the Lund Lions"."""
    return noun < name < noun + 4 and all(token in {"for", *ARTICLES} for token in told.lower[noun + 1 : name])


def _compared(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "14 kilometres before election" for "14 kilometres instead of the 22 promised before the election"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        if token not in listed.TIMES or told.lower.count(token) != 1:
            continue
        where = told.lower.index(token)
        before = max((i for i in places[:place] if 0 <= i < where), default=where)
        skipped = [each for one, each in pairwise(told.lower[before:where]) if one not in ("more", "fewer", "less")]
        if where and is_verb(told, where - 1) and where - 1 not in places and not listed.COMPARING.isdisjoint(skipped):
            yield f"{told.lower[where - 1]} {token}"


TURNING: tuple[Rule, ...] = (_doubts, _subjects, _passed_over, _swapped, _made_active)
RULES: tuple[Rule, ...] = (
    *TURNING, _governed, _promoted, _no_head, _second_verb, _hung_on,
    _split_names, _compared,
)  # fmt: skip
