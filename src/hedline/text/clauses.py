"""Clauses of a lead that a headline takes apart: words joined across a border, verbs with another's subject.

A headline may leave out words of its lead, but what it joins has to belong together there. No grammar is needed to see
the coarse errors: where a clause begins, which noun stands before its verb, who speaks, and who is acted on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
    ARTICLES,
    HELPING,
    LINKS,
    SPEAKING,
    SPOKEN,
    STOPS,
    TO_BE,
    Words,
    is_finite,
    is_one_place,
    is_verb,
    joined,
    laid_on,
    neighbours,
    read_words,
)
from hedline.text.polarity_words import BORDERS, FEW, word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def torn(text: str, lead: str, firm: bool = False) -> list[str]:
    """Words that a headline joins although the lead has them in two clauses, and clauses without their beginning.

    firm: only with the rules that seldom err.
    """
    said, told = read_words(text), read_words(lead)
    if not said.raw or not told.raw:
        return []
    places = laid_on(said, told)
    return [fault for rule in (FIRM if firm else RULES) for fault in rule(said, told, places)]


def is_sentence(headline: str, lead: str) -> bool:
    """Whether a headline is word for word a later sentence of its lead, which means there what it means here.

    >>> is_sentence("Lund opens a bridge", "Mayor denies report. Lund opens a bridge. It is new.")
    True
    """
    said, told = read_words(headline.replace("’", "'")), read_words(lead.replace("’", "'"))
    ends = [-1, *(i for i, token in enumerate(told.lower) if token in ".!?"), len(told)]
    whole = said.lower[: len(said) - (said.lower[-1:] == (".",))]
    return len(whole) > 3 and any(told.lower[one + 1 : two] == whole for one, two in pairwise(ends[1:]))


def _torn(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What a semicolon, the end of a relative clause or the "by" of a doer parts in the lead."""
    for left, right in joined(said, told, places):
        if _is_torn(said, told, places, left, right):
            yield f"{said.lower[left]} {said.lower[right]}"


def _begun(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A headline that begins with a verb without its subject."""
    if _lacks_subject(said, told):
        yield said.raw[0]


def _is_torn(said: Words, told: Words, places: Sequence[int], left: int, right: int) -> bool:
    """Whether a semicolon, the end of a relative clause or the "by" of a doer parts two neighbours in the lead."""
    here, there = places[left], places[right]
    once = is_one_place(told, said.stems[left]) and is_one_place(told, said.stems[right])
    stands_for = not _STANDING.isdisjoint(told.lower[max(there - 4, 0) : there])  # "the spill was small; it killed"
    if once and not stands_for and any(_ends_clause(told, i) for i in range(min(here, there) + 1, max(here, there))):
        return True
    if told.lower[here + 1 : here + 2] == ("by",) and here < there < here + 4 and "by" not in said.lower[left:right]:
        # "minister criticised auditor" for "was criticised by the auditor"
        return is_verb(told, here) and not told.lower[here + 2][0].isdigit()
    opener = next((i for i in range(here, 0, -1) if told.lower[i] in listed.INSERTED and told.lower[i - 1] == ","), 0)
    if not opener or "," not in told.lower[opener:there]:
        return False
    end = told.lower.index(",", opener)
    if not here < end < there or "," in told.lower[end + 1 : there]:
        return False
    if told.lower[opener] == "whose":
        return "whose" not in said.lower
    return any(is_verb(told, i) and i not in places for i in range(end + 1, there))


def _ends_clause(told: Words, place: int) -> bool:
    """Whether a token is a semicolon, and not that of a broken character ("quot;", "amp;", "#151;")."""
    before = told.lower[place - 1]
    return told.lower[place] == ";" and before not in ("quot", "amp", "lt", "gt") and not before.isdigit()


_STANDING = listed.PRONOUNS | {"its", "his", "her", "their"}


def _lacks_subject(said: Words, told: Words) -> bool:
    """Whether a headline begins with a verb whose subject it leaves out: "Rose more slowly than prices"."""
    first, places = said.lower[0], laid_on(said, told)
    if not told.raw or first == told.lower[0] or "?" in said.lower:
        return False
    if first in listed.FINITE:
        return True
    place = places[0]
    if _is_object_first(said, told, places):
        return True
    if place < 1 or not first.endswith("s") or not told.lower[place].endswith("ed") or not is_verb(told, place):
        return False
    following = next((where for where in places[1:] if where >= 0), -1)
    bare = len(said) > 1 and said.lower[1] not in LINKS | STOPS | {"into", "that", "but", "whether"}
    return bare and told.lower[place - 1] not in TO_BE and place < following < place + 4


def _is_object_first(said: Words, told: Words, places: Sequence[int]) -> bool:
    """Whether a headline begins with a past tense and its object and goes on: "Protected mice has no effect"."""
    place = places[0]
    if place < 2 or len(said) < 4 or places[1] != place + 1 or not said.lower[0].endswith("ed"):
        return False
    subject = told.lower[place - 1]
    alone = is_verb(told, place) and subject not in FEW | STOPS and place - 1 not in places
    return alone and not HELPING.isdisjoint(said.lower[2:])


def _foreign_subject(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A verb of an inner clause with another subject: "newspaper mocked" for "messages in which he mocked"."""
    first = next((i for i in range(len(told)) if is_finite(told, i)), len(told))
    for left, right in joined(said, told, places):
        here, there = places[left], places[right]
        if there <= here or not is_verb(told, there) or not is_one_place(told, said.stems[right]):
            continue
        if not listed.PRONOUNS.isdisjoint(said.lower[left + 1 : right]):
            continue
        opener = max((i for i in range(here + 1, there) if told.lower[i] in listed.OPENERS), default=-1)
        if any(0 <= place < opener for place in places[right + 1 : right + 3]):
            continue  # its object is the outer clause's, so the verb is another word for that clause's
        inner = range(opener + 1, there)
        if opener < 0 or "," in told.lower[opener:there] or _is_over(told, inner):
            continue
        speaks = told.stems[here + 1] in SPOKEN or told.lower[here + 1] in SPEAKING  # "Lind said he"
        pronoun = not listed.PRONOUNS.isdisjoint(told.lower[opener + 1 : there])
        pronoun = pronoun and here > first and not speaks and opener > here + 1
        own = any(told.lower[i] not in FEW and not told.lower[i].endswith("ly") for i in inner)
        verbs = [i for i in inner if is_finite(told, i) and told.lower[i] not in HELPING]
        if (verbs and told.lower[verbs[-1]] not in SPEAKING) or (verbs and not own):
            continue
        alone = not told.raw[here].islower() and all(each.islower() for each in told.raw[here + 1 : there])
        if not own and alone and (is_verb(told, here + 1) or told.lower[here + 1] in HELPING):
            continue  # "Lindh was hurt so badly that she was ruled out"
        same = told.lower[opener + 1] == "the" and sum(told.lower[i] not in FEW for i in inner) == 1
        if pronoun or (own and not same):  # "said that the game": what it was about
            yield f"{said.lower[left]} {said.lower[right]}"


def _is_over(told: Words, inner: range) -> bool:
    """Whether an inner clause ends before the next verb: "a test that works before symptoms appear could be sold"."""
    finite = [i for i in inner if told.lower[i] in HELPING]
    if len(finite) > 1 and any(told.lower[i] not in FEW for i in range(finite[0], finite[-1])):
        return True  # "an aide who served while he was in office has refused"
    helping = next(iter(finite), inner.stop)
    content = [i for i in range(inner.start, helping) if told.lower[i] not in FEW]
    return helping < inner.stop and len(content) > 1 and told.lower[helping - 1] not in listed.PRONOUNS


def _torn_phrase(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A phrase without the noun or verb it hangs on, which stands beyond a border: "loses to Ryo in Melbourne" for
    "lost to Ryo, his earliest exit in Melbourne".
    """
    taken = set(places)
    pairs = [*joined(said, told, places), *_after_comma(said, places)]
    for left, right in pairs:
        here, there = places[left], places[right]
        if there <= here or is_verb(told, there) or not is_one_place(told, said.stems[right]):
            continue
        link = next((i for i in range(there - 1, max(there - 4, here), -1) if told.lower[i] in LINKS), -1)
        head = link - 1
        if link < 0 or head in taken or told.lower[head] in FEW | STOPS or not told.raw[head].islower():
            continue
        border = max((i for i in range(here + 1, head) if _is_border(told, i)), default=-1)
        if border > 0 and (_goes_on(told, border, head) or not listed.PRONOUNS.isdisjoint(_bare(told, border, there))):
            continue
        if border > 0 and taken.isdisjoint(range(border, there)) and SPOKEN.isdisjoint(told.stems[border:there]):
            yield f"{said.lower[left]} {said.lower[right]}"


def _after_comma(said: Words, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Words before a comma and after its preposition: "loses to qualifier, in Melbourne"."""
    for place in range(1, len(said) - 2):
        phrase = said.lower[place] == "," and said.lower[place + 1] in LINKS
        if phrase and min(places[place - 1], places[place + 2]) >= 0:
            yield place - 1, place + 2


def _bare(told: Words, start: int, end: int) -> set[str]:
    """The words behind a border, "it" for "it's"."""
    return {token.replace("’", "'").removesuffix("'s") for token in told.lower[start + 2 : min(start + 5, end)]}


def _goes_on(told: Words, border: int, head: int) -> bool:
    """Whether the border begins what a name is, and its verb follows: "Lindh, the head of a choir, spoke about"."""
    named = told.lower[border] == "," and told.lower[border + 1] in ARTICLES and not told.raw[border - 1].islower()
    if named and told.lower[border + 1] in ("a", "an", "the") and told.lower[head + 1] in ("in", "at", "near"):
        return True  # "Sinjil, a town in the hills": where the name is
    return named and any(is_verb(told, i) or told.lower[i] in SPEAKING for i in range(border + 1, head))


def _is_border(told: Words, place: int) -> bool:
    """Whether a clause or an insertion begins: "; …", ", and the rest …", ", his earliest exit"."""
    token, after = told.lower[place], told.lower[place + 1] if place + 1 < len(told) else ""
    if token in listed.CONTRAST:
        return after not in listed.PRONOUNS
    opens = token == "," and after in ARTICLES | {"and", "those", "that"}
    return opens and told.lower[place + 2] not in listed.PRONOUNS


def _hung(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """The subject of a clause behind another's "of": "head of the moon mission" for "head …, told that the moon …"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or "of" not in said.lower[left + 1 : right]:
            continue
        gap = range(here + 1, there)
        first = next((i for i in reversed(gap) if told.lower[i] not in ARTICLES), here)
        acts = any(is_verb(told, i) or told.lower[i] in SPEAKING for i in gap)
        if acts and told.lower[first] in listed.OPENERS | STOPS - {'"'}:
            yield f"{said.lower[left]} of {said.lower[right]}"


def _agents(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """The doer of a passive as the object: "Norrland lose Gävle" for "Norrland were beaten by Gävle"."""
    for verb in range(1, len(told) - 2):
        link = told.lower[verb + 1]
        if told.lower[verb + 2][0].isdigit():
            continue  # "rose by 3,000"
        if not is_verb(told, verb) or not (link == "by" or (link == "to" and told.stems[verb] == "lose")):
            continue
        agent = next((i for i in range(verb + 2, len(told)) if told.lower[i] in STOPS | LINKS | BORDERS), len(told))
        first = [i for i, where in enumerate(places) if verb < where < agent]
        if not first or not any(0 <= where < verb and told.lower[where] not in FEW for where in places[: first[0]]):
            continue
        between = said.lower[max(i for i in range(first[0]) if 0 <= places[i] < verb) + 1 : first[0]]
        if not SPEAKING.isdisjoint(between):
            continue  # "Lind says Berg used her"
        if (between and LINKS.isdisjoint(between) and STOPS.isdisjoint(between) and BORDERS.isdisjoint(between)) or (
            not between and is_verb(told, places[first[0] - 1])
        ):
            yield f"{link} {said.lower[first[0]]}"


def _loose_links(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A preposition without its noun: "the island of shelved", "its factory in, where"."""
    for (token, after), where in zip(pairwise(said.lower), places[1:], strict=True):
        if token not in listed.PREPOSITIONS or (token, after) in pairwise(told.lower):
            continue
        verb = token == "of" and where > 0 and is_verb(told, where) and after == told.lower[where]
        verb = verb and told.lower[where - 1] not in ARTICLES | LINKS and not after.endswith("ly")  # "to confrontation"
        if (after in ",.;:" or after in TO_BE or verb) and token not in told.lower[-1:]:
            yield f"{token} {after}"


def _broken_off(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A headline that ends on the subject of a clause, or before the clause that its last word opens."""
    end = len(said) - (said.lower[-1] in STOPS and len(said) > 1)
    last, token = places[end - 1], said.lower[end - 1]
    if token in listed.TIMES and token in told.lower[:-1]:
        following = [each for one, each in pairwise(told.lower) if one == token]
        yield from [token] if (STOPS | BORDERS).isdisjoint(following) else []
    if not 0 < last < len(told) - 1:
        return
    after = told.lower[last + 1]
    yield from [token] if token.endswith(("'s", "’s")) and told.lower[last] != token else []
    subject = not listed.TIMES.isdisjoint(said.lower[max(end - 4, 0) : end - 1]) and (
        is_verb(told, last + 1) or after in HELPING
    )
    subject = subject and (not said.raw[end - 1].islower() or (token.endswith(_DOERS) and token not in listed.NO_DOERS))
    opening = token in ("provided", "providing", "assuming") and after in ARTICLES | {"that"}
    verb = is_verb(told, last) and told.lower[last - 1] not in TO_BE
    verb = verb and ((after == "that" and not listed.TIMES.isdisjoint(said.lower)) or _is_afterthought(told, last))
    if subject or opening or verb:
        yield token


def _is_afterthought(told: Words, place: int) -> bool:
    """Whether a participle stands behind its noun and before its "by": "a hoax invented by students"."""
    before = told.lower[place - 1]
    return told.lower[place + 1] == "by" and before not in FEW | STOPS and not is_verb(told, place - 1)


_DOERS = ("er", "or", "ist", "ers", "ors", "ists", "men", "man", "police")


def _lost_object(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A doer that becomes what is acted on: "review cleared of wrongdoing" for "a review cleared Salter of …"."""
    for place, where in enumerate(places[1:-1], 1):
        link, before = said.lower[place + 1], places[place - 1]
        given = link == "to" and said.lower[place] in (
            "sold",
            "sent",
            "lent",
        )  # "Lund sold to Rome" for "Lund sold a goalkeeper to Rome"
        usual = link in LINKS - {"and", "or", "as", "to"} and said.lower[place].endswith(("ed", "en"))
        if where < 1 or not (given or usual):
            continue
        near = before == where - 1 or told.lower[where - 1] in ("had", "has", "have")
        if not near or not is_verb(told, where) or link not in told.lower[where + 2 : where + 7]:
            continue
        gap = range(where + 1, told.lower.index(link, where + 2))
        own = any(told.lower[i] not in FEW for i in gap) and not any(told.lower[i] in LINKS | STOPS for i in gap)
        if own and set(gap).isdisjoint(places):
            yield f"{said.lower[place - 1]} {said.lower[place]}"


def _lost_verb(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "had a debt" for "had hidden a debt", "captain the ferry" for "captain steered the ferry", "buys by"."""
    if "?" in said.lower:
        return
    for place, token in enumerate(said.lower[1:-1], 1):
        after, where = said.lower[place + 1], places[place]
        if token in ("had", "has", "have") and after in ARTICLES and told.lower.count(token) == 1:
            verb = told.lower.index(token) + 1
            if verb < len(told) - 1 and is_verb(told, verb) and verb not in places and told.lower[verb + 1] in ARTICLES:
                yield f"{token} {told.lower[verb]}"
        left = place - 1 - (said.lower[place - 1] in TO_BE - set(told.lower))
        here, there = places[left], places[place + 1]
        if token in ("the", "a", "an") and 0 <= here < there < here + 5 and not is_verb(told, here):
            skipped = any(is_verb(told, i) for i in range(here + 1, there)) and STOPS.isdisjoint(told.lower[here:there])
            yield from [f"{said.lower[left]} {token}"] if skipped else []
        passive = after == "by" and token.endswith("s") and where > 0 and told.lower[where - 1] in TO_BE
        if passive and is_verb(told, where) and told.lower[where] != token:
            yield f"{token} by"


def _subordinate(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What is wrong with relative clauses and conditions, where there are any."""
    known = listed.CUT | listed.CONDITIONS | listed.SHARES
    asked = not (listed.RELATING.isdisjoint(told.lower) and known.isdisjoint(said.lower))
    counted = listed.WHOLE | listed.COUNTED
    if asked or any(token[0].isdigit() or token.split("-")[0] in counted for token in said.lower[:3]):
        from hedline.text.subordinate import RULES as SUBORDINATE
        from hedline.text.subordinate import cut_share

        for rule in SUBORDINATE if asked else (cut_share,):
            yield from rule(said, told, places)


def _spoken_of(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What is wrong with who says what, where a headline has somebody speak or the lead calls something false."""
    possessive = any(token.endswith(("'s", "’s")) for token in said.raw)
    quoting = '"' in told.lower or "”" in told.lower
    if not (possessive or quoting) and SPEAKING.isdisjoint(said.lower) and listed.UNTRUE.isdisjoint(told.lower):
        return
    from hedline.text.speakers import RULES as SPOKEN_RULES

    for rule in SPOKEN_RULES:
        yield from rule(said, told, places)


def _hanging(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What hangs on another word than in the lead, where the headline or the lead has a word for it."""
    after = told.lower[places[-1] + 1 : places[-1] + 2] if places[-1] >= 0 else ()
    plain = _HUNG.isdisjoint(said.lower) and _HUNG_TOLD.isdisjoint(told.lower) and _HUNG_AFTER.isdisjoint(after)
    if plain and not any(_is_moved(said, told, places, i) for i in range(1, len(said) - 1)):
        return
    from hedline.text.hanging import RULES as HANGING

    for rule in HANGING:
        yield from rule(said, told, places)


def _is_moved(said: Words, told: Words, places: Sequence[int], place: int) -> bool:
    """Whether a preposition stands before another word than in the lead."""
    where = max(places[place + 1 : place + 3])
    return (
        said.lower[place] in _MOVABLE and where > 0 and said.lower[place] not in told.lower[max(where - 3, 0) : where]
    )


_MOVABLE = word_set("by of from against with on in at")
_HUNG = listed.PRONOUNS | word_set(
    """as times that who which how sentenced jailed convicted charged indicted trial before after while neither may
    other than only and or but if will would is are was were has have had unless should although half third quarter
    fifth"""
)
_HUNG_TOLD = word_set(
    """not because according total combined expected predicted feared hoped sought urged demanded asked accused from
    persuade urge force allow convince order invite require encourage press which who"""
)
_HUNG_AFTER = word_set("a an out up away back aside as than it they")


def _spliced(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What stands far apart in the lead; the lead's own beginning up to a stop is joined as the lead is."""
    if said.lower == told.lower[: len(said)] and STOPS.issuperset(told.lower[len(said) : len(said) + 1]):
        return
    from hedline.text.splices import RULES as SPLICES

    for rule in SPLICES:
        yield from rule(said, told, places)


def _borrowed(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What the lead says of another."""
    from hedline.text.amounts import RULES as AMOUNTS
    from hedline.text.borrowed import RULES as BORROWED
    from hedline.text.roles import RULES as ROLES

    for rule in (*BORROWED, *ROLES, *AMOUNTS):
        yield from rule(said, told, places)


FIRM: tuple[Rule, ...] = (_subordinate, _hanging, _spoken_of, _borrowed)
RULES: tuple[Rule, ...] = (
    _torn, _begun, _foreign_subject, _hung, _agents, _loose_links, _broken_off, _lost_object, _lost_verb,
    *FIRM, _torn_phrase, _spliced,
)  # fmt: skip
