"""Who says what: a headline that gives a statement to another speaker, or keeps one that the lead calls false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hedline.text import polarity_words as listed
from hedline.text.meaning import ARTICLES, SAYING, SPEAKING, SPOKEN, STOPS, TO_BE, Words, is_verb
from hedline.text.polarity_words import FEW, word_set

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


def _speakers(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What another one says, or nobody: "groups say firm promised" for "firm promised …, but groups say …"."""
    for place, token in enumerate(said.lower):
        if token not in listed.SAYS or place == 0 or places[place - 1] < 0:
            continue
        speaker = places[place - 1]
        verb = _verb_of(told, speaker)
        rest = [where for i, where in enumerate(places) if where >= 0 and i > place]
        if not rest:
            continue
        if verb < 0:
            between = [
                i
                for i in range(speaker + 1, min(rest))
                if told.stems[i] in SPOKEN and told.lower[i - 1] not in ARTICLES
            ]
            if between and not any(told.stems[i] in said.known for i in between):
                yield f"{said.lower[place - 1]} {token}"
        elif all(where < speaker for where in rest) and not STOPS.isdisjoint(told.lower[:speaker]):
            clause = max(
                (i for i in range(speaker) if told.lower[i] in ("but", "although", "while", "though", ";")), default=-1
            )
            if clause > max(rest):
                yield f"{said.lower[place - 1]} {token}"


def _late_speakers(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "man detained, lawyer says" for "a man was detained, but his lawyer says he cannot write"."""
    last = len(said) - (2 if said.lower[-1] in listed.SAYS else 1)  # "Seoul says", "says Seoul", ", Seoul"
    if len(said) < 4 or places[last] < 1 or (last == len(said) - 1 and said.lower[-2] not in listed.SAYS | {",", ":"}):
        return
    speaker, verb = places[last], _verb_of(told, places[last])
    rest = [where for where in places[:last] if where >= 0 and abs(where - speaker) > 2]
    border = max(
        (i for i in range(speaker) if told.lower[i] in ("but", "although", "while", "though", ";")), default=-1
    )
    spoken = verb > 0 and any(told.lower[i] not in FEW | STOPS for i in range(verb + 1, len(told)))
    if rest and spoken and max(rest) < border:
        yield f"{said.lower[-2]} {said.lower[-1]}"


def _possessives(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "after speaker's vote" for "after the vote, and the speaker …", "former PM's aide"."""
    for place, token in enumerate(said.lower[:-1]):
        owner, owned = places[place], places[place + 1]
        if not token.endswith(("'s", "’s")) or owner < 1 or owned < 0 or told.lower[owner].endswith(("'s", "’s")):
            continue
        between = range(owned + 1, owner)
        if (
            told.raw[owner].islower()
            and owned < owner
            and any(
                told.lower[i] in STOPS | {"that"} or (is_verb(told, i) and told.lower[i - 1] not in ARTICLES)
                for i in between
            )
        ):
            yield f"{token} {said.lower[place + 1]}"
        if told.lower[owner + 1 : owner + 2] == ("that",) and told.lower[owner - 1] not in ARTICLES | {"of"}:
            yield token  # "detectives suspect's painting"
        before = said.lower[place - 1] if place else ""
        if before in ("former", "acting", "deputy") and owned and told.lower[owned - 1] == before:
            yield f"{before} {token}"


def _verb_of(told: Words, speaker: int) -> int:
    """Where a speaker's word of saying stands, before another clause begins; -1 without one."""
    for i in range(speaker + 1, min(speaker + 9, len(told))):
        if told.lower[i] in listed.OPENERS - {"that", "who", "which"} or told.lower[i] == "but":
            return -1
        if told.stems[i] in SPOKEN or told.lower[i] in SPEAKING:
            return i
    return -1


def _quoted_apart(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """The end of a quotation run into what follows it: "I do not intend to join an hour earlier"."""
    ends = [i for i in range(2, len(told)) if told.lower[i] in _CLOSING and told.lower[i - 1] in ",.!?"]
    last = -1
    for place, where in enumerate(places):
        if where < 0:
            continue
        between = said.lower[last + 1 : place]
        crossed = next((end for end in ends if last >= 0 and places[last] < end < where), 0)
        if crossed and not _CLOSING.union("“").isdisjoint(told.lower[places[last] : crossed]):
            crossed = 0  # "Jansen, who told us "never again," has moved": the subject stands before the quotation
        if crossed and _is_title(told, crossed):
            crossed = 0
        whole = crossed and all(told.lower[i] in FEW | STOPS for i in range(places[last] + 1, crossed))
        speaking = (*between, *(said.stems[max(last, 0) : place + 3] if whole else ()))
        if crossed and STOPS.isdisjoint(between) and SAYING.isdisjoint(speaking):
            yield f"{said.lower[last]} {said.lower[place]}"
        last = place


def _is_title(told: Words, end: int) -> bool:
    """Whether the quotation that ends at a place is the name of a book or a film: all its words have capitals."""
    start = next((i for i in range(end - 1, -1, -1) if told.lower[i] in _CLOSING or told.lower[i] == "“"), 0)
    words = [told.raw[i] for i in range(start + 1, end) if told.lower[i] not in FEW | STOPS]
    return bool(words) and all(word[0].isupper() for word in words)


_CLOSING = frozenset(['"', "”"])


def _told(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """Who speaks in the lead is spoken to: "residents told to stop" for "…, residents said"."""
    for place, token in enumerate(said.lower[1:-1], 1):
        speaker = places[place - 1]
        spoken = 0 <= speaker < len(told) - 1 and told.lower[speaker + 1] in SPEAKING
        if token == "told" and said.lower[place + 1] in ("to", "that", "not") and spoken:
            yield f"{said.lower[place - 1]} told"


def _called_false(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What the lead's own verb calls false, without that: "video claims to" for "a video that claims to … is false"."""
    taken = set(places)
    if listed.UNTRUE.isdisjoint(told.lower):
        return
    instead = (listed.DOUBTING - {"say", "says", ":"} - told.known - set(told.lower)) | listed.CALLED
    for i in range(2, len(told)):
        verb = next((j for j in range(i - 1, max(i - 4, 0), -1) if told.lower[j] in TO_BE), 0)
        if told.lower[i] not in listed.UNTRUE - listed.DENIALS or not verb or not STOPS.isdisjoint(told.lower[verb:i]):
            continue
        if sum(0 <= j < verb for j in taken) > 2 and instead.isdisjoint({*said.known, *said.lower}):
            yield told.lower[i]


def _place_speaks(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Chile says" for "astronomers in Chile said"; who governs or studies there may be left out."""
    for place, token in enumerate(said.lower[1:], 1):
        where = places[place - 1]
        if token not in listed.SAYS or not 3 < where < len(told) - 1 or told.raw[where].islower():
            continue
        head = told.stems[where - 2]
        speaks = told.lower[where + 1] in SPEAKING and told.lower[where - 1] in ("in", "of", "from", "at", "near")
        if speaks and told.lower[where - 2] not in FEW and head not in listed.STANDING_FOR | _SPOKESMEN | said.known:
            yield f"{said.lower[place - 1]} {token}"


_SPOKESMEN = word_set(
    """spokesman spokeswoman spokesperson university company firm director chief executiv chairman center centr
    institut bank agency"""
)


def _rulers(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Kenya's president" for "the president of the Kenyan athletics federation"."""
    for place, where in enumerate(places[1:], 1):
        if (
            where < 0
            or said.stems[place] not in _RULING
            or told.lower[where + 1 : where + 2] not in (("of",), ("for",))
        ):
            continue
        end = next((i for i in range(where + 2, len(told)) if _ends_phrase(told, i)), len(told))
        phrase = [i for i in range(where + 2, end) if told.lower[i] not in ARTICLES]
        if len(phrase) < 2 or told.raw[phrase[0]].islower():
            continue
        owner = said.lower[place - 1].removesuffix("'s").removesuffix("’s")
        named = len(owner) > 3 and told.lower[phrase[0]].startswith(owner[:-1])
        body = [i for i in phrase[1:] if told.raw[i].islower()]
        if named and body and not any(told.stems[i] in said.known for i in body):
            yield f"{owner} {said.lower[place]}"


def _ends_phrase(told: Words, place: int) -> bool:
    token = told.lower[place]
    return (token in FEW and token not in ARTICLES) or token in STOPS or is_verb(told, place)


_RULING = word_set("president king queen premier chancellor emperor minister")


def _dismissed_as(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Novelist dismissed as 'nonsense'" for "the novelist dismissed as "nonsense" a report that …"."""
    for i in range(2, len(told) - 4):
        if told.lower[i] != "as" or not is_verb(told, i - 1) or told.lower[i + 1] not in ('"', "“"):
            continue
        end = next((j for j in range(i + 2, len(told) - 1) if told.lower[j] in _CLOSING), 0)
        passive = not TO_BE.isdisjoint(told.lower[max(i - 3, 0) : i - 1])
        if end and not passive and told.lower[end + 1] in ARTICLES and i - 1 in places and max(places) < end:
            yield told.lower[i - 1]


def _hung_speaker(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "to a gang in Philippine army says" for "to a gang in Manila, the Philippine army said"."""
    for place, token in enumerate(said.lower[1:-2], 1):
        says = next((i for i in range(place + 2, min(place + 6, len(said))) if said.lower[i] in listed.SAYS), 0)
        if token not in listed.PLACING or not says or not STOPS.isdisjoint(said.lower[place:says]):
            continue
        first, last = places[place + 1 + (said.lower[place + 1] in ARTICLES)], places[says - 1]
        if not 1 < first <= last < len(told) - 1:
            continue
        before = first - 1 - (told.lower[first - 1] in ARTICLES)
        if told.lower[before] == "," and not SPEAKING.isdisjoint(told.lower[last + 1 : last + 3]):
            yield f"{token} {said.lower[place + 1]}"


def _agent_speaks(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Sugar industry claims" for "a study funded by the sugar industry claims"."""
    for place, where in enumerate(places[:-1]):
        if where < 4 or where + 1 >= len(told) or said.lower[place + 1] != told.lower[where + 1]:
            continue
        link = next((i for i in range(where - 1, max(where - 4, 1), -1) if told.lower[i] == "by"), 0)
        speaks = told.lower[where + 1] in _CLAIMS
        if speaks and link and is_verb(told, link - 1) and told.stems[link - 2] not in said.known:
            yield f"{said.lower[place]} {said.lower[place + 1]}"


_CLAIMS = word_set("claims claim finds suggests warns argues insists shows")


def _owners(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Rembrandt's farmhouse" for "a drawing by Rembrandt has turned up in a farmhouse"."""
    for place, token in enumerate(said.lower[:-1]):
        owner, owned = places[place], places[place + 1]
        if not token.endswith(("'s", "’s")) or not 1 < owner < owned or told.lower[owner].endswith(("'s", "’s")):
            continue
        parted = any(is_verb(told, i) or told.lower[i] in STOPS for i in range(owner + 1, owned))
        if told.lower[owner - 1] in ("by", "against") and parted and not told.raw[owner].islower():
            yield f"{token} {said.lower[place + 1]}"


def _second_speaker(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Minister says dam is safe" for "the minister said an expert had told him that the dam was safe"."""
    for place, token in enumerate(said.lower):
        beside = [where for where in places[max(place - 1, 0) : place + 2] if where >= 0]
        if token not in listed.SAYS or not beside:
            continue
        speaker = min(beside)
        verb = next((i for i in range(speaker + 1, min(speaker + 4, len(told))) if told.lower[i] in SPEAKING), -1)
        rest = [where for where in places if where > verb]
        if verb < 0 or not rest:
            continue
        inner = (i for i in range(verb + 2, min(rest)) if told.lower[i] in SPEAKING or told.stems[i] in _CLAIMING)
        other = next(inner, 0)
        whose = _said_between(told, range(verb + 1, other))
        if whose and STOPS.isdisjoint(told.lower[verb:other]) and told.stems[other] not in said.known:
            yield f"{told.lower[speaker]} {token}"


_CLAIMING = word_set("tell claim alleg insist accus suggest testify")


def _told_whom(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Minister told him that" for "the minister said an expert had told him that"."""
    for place, pair in enumerate(pairwise(said.lower)):
        if pair[0] != "told" or pair[1] not in _WHOM or not place:
            continue
        where = next((i for i, each in enumerate(pairwise(told.lower)) if each[0] == "told" and each[1] in _WHOM), 0)
        whose = _said_between(told, range(max(where - 5, 0), where))
        subject = next((i for i in range(place - 1, -1, -1) if places[i] >= 0), -1)
        if whose and subject >= 0 and places[subject] < whose[-1] and whose[-1] not in places:
            yield f"{said.lower[subject]} {pair[0]}"


_WHOM = word_set("him her them us me")


def _said_between(told: Words, places: range) -> list[int]:
    """Places of the words that say something."""
    return [i for i in places if told.lower[i] not in FEW and told.lower[i] not in STOPS]


RULES: tuple[Rule, ...] = (
    _speakers, _late_speakers, _possessives, _quoted_apart, _told, _called_false, _place_speaks, _rulers, _dismissed_as,
    _hung_speaker, _agent_speaks, _owners, _second_speaker, _told_whom,
)  # fmt: skip
