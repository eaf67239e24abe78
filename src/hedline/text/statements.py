"""What a headline states: whether its words stand under the same conditions, doubts and denials as in its lead.

A word that turns, weakens or bounds what follows may not be passed over; a clause after "that" or "to" keeps the word
that carries it, and a condition its "if". Which words may be left out is listed; all others must stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
    ARTICLES,
    LINKS,
    RELATIVES,
    SAYING,
    SPEAKING,
    SPOKEN,
    STOPS,
    TO_BE,
    Words,
    has_equivalent,
    is_one_place,
    is_verb,
    laid_on,
    neighbours,
    owners,
    read_words,
)
from hedline.text.polarity_cues import Cue, stem
from hedline.text.polarity_words import FEW, word_set

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
    return [fault for rule in (_TURNING if turning else _RULES) for fault in rule(said, told, places)]


def _conditions(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What would happen only under a condition, said of the condition itself: "Engine failed, plane would have …"."""
    for i, token in enumerate(told.lower):
        kind = _condition(told, i)
        if not kind:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        inside = [place for place in places if i < place < end]
        whole = sum(each not in FEW for each in told.lower[i + 1 : end])
        connected = listed.CONNECTED & (said.known | set(said.lower))
        if kind == "inverted" and token in connected and not _opens_clause(said, token):
            connected -= {token}  # "Ethiopia should talks fail"
        if len(inside) >= max(1 if kind == "event" else 2, (whole + 1) // 2) and not connected:
            yield token


def _condition(told: Words, place: int) -> str:
    """What kind of condition a token of the lead opens, "" for none."""
    token, before, after = told.lower[place], told.lower[place - 1 : place], told.lower[place + 1 : place + 2]
    if place == 0 and token in ("had", "should", "were", "without", "barring"):
        return "inverted"
    if token in ("event", "case") and before in (("the",), ("in",)) and after == ("of",):
        return "event"
    if token == "if" and before and stem(before[0]) in listed.ASKING - {"only"}:
        return ""
    return "clause" if token in _CONNECTING or (token == "that" and before == ("condition",)) else ""


def _opens_clause(said: Words, token: str) -> bool:
    """Whether a headline has a token first, or after a comma."""
    return any(each == token and (not i or said.lower[i - 1] in STOPS) for i, each in enumerate(said.lower))


_CONNECTING = word_set("unless if provided")


def _subjects(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "No passenger on the ferry" without what no passenger was or did."""
    for place, token in enumerate(said.lower):
        shares = told.lower[1:2] in (("of",), ("in",))  # "Nine of the fourteen miners"
        if told.lower[:1] != (token,) or not (shares or token in listed.NOBODY):
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
    after = told.lower[place + 1 : place + 2]
    return told.lower[place].endswith("s") and bool(after) and after[0] in ARTICLES


_HELPING = word_set("is are was were has have had will would can could did does do be been may might")


def _passed_over(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """Words that turn, weaken or bound what follows, where the headline takes what follows and leaves the word."""
    taken = {place for place in places if place >= 0}
    new = frozenset(
        form
        for token, each in zip(said.lower, said.stems, strict=True)
        if each not in told.known
        for form in (token, each)
    )
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
            if kind and (kind == "near" or token == "without") and _object(told, i, kind == "near").isdisjoint(taken):
                continue  # it bounds its own noun or number, and that is left out
            if kind and not has_equivalent(Cue(kind, token, (), place=i), said.lower, said.stems, new, belongs):
                yield token


_SKIPPED = 4  # content words that a headline may leave out between such a word and what it takes


def _object(told: Words, place: int, near: bool) -> set[int]:
    """Places of the words after another, to the end of the phrase that they make up; near: to the first that counts."""
    rest = range(place + 1, len(told))
    if near:
        return {next((i for i in rest if told.lower[i] not in FEW), place)}
    return set(range(place + 1, next((i for i in rest if told.lower[i] in LINKS | STOPS), len(told))))


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
    if token == "few":
        return before == "a"
    if token == "may":
        return before in listed.IN or after[:1].isdigit()
    if token.startswith("lift"):
        return listed.LIFTED.isdisjoint(told.stems[max(place - 4, 0) : place + 7])
    if token not in ("not", "no"):
        return False
    return after in listed.NOT_TURNED or after[:1].isdigit() or told.lower[place + 1 : place + 3] == ("the", "only")


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
        if said.lower[place - 1 : place] == ("to",) and told.stems[where - 2] not in listed.HOPED:
            continue
        free = free and listed.STANDING_IN.isdisjoint(said.known)
        if free and is_one_place(told, told.stems[where]):
            yield f"{told.lower[ruler]} {told.lower[where]}"


_BEFORE_GERUND = word_set("of from against without about on at")


def _clauses(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A clause after "that" without the word that carries it: "took back his statement that …", "hinted that …"."""
    for i, token in enumerate(told.lower):
        if token != "that" or i < 2:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        inside = [place for place in places if i < place < end]
        if len(inside) < 2:
            continue
        carrier = _carrier(told, i)
        if (
            carrier
            and not (carrier & said.known)
            and not listed.CARRYING & (said.known - told.known) | _DOUBTFUL & said.known
        ):
            yield " ".join(sorted(carrier))


def _carrier(told: Words, that: int) -> frozenset[str]:
    """Stems of which a headline needs one to say the clause after "that"; none where it needs nothing."""
    word, before = told.stems[that - 1], told.lower[that - 2]
    verb = told.lower[that - 1].endswith("ed") or before == "to" or word not in listed.CARRIED
    if verb and word not in listed.CARRIED - listed.CARRYING:
        held = word in listed.CARRYING and told.lower[that - 1] not in FEW
        return frozenset([word, *(("say",) if word in SPOKEN - {"deny"} else ())]) if held else frozenset()
    if before in ("no", "not", "any"):
        return _NONE
    near = told.stems[max(that - 6, 0) : that - 1]
    if verb or not (SPOKEN | _GIVING).isdisjoint(near) or not TO_BE.isdisjoint(told.lower[max(that - 6, 0) : that - 1]):
        return frozenset()
    ruler = next((j for j in range(that - 2, max(that - 6, -1), -1) if told.lower[j] not in FEW), None)
    if ruler is None or told.lower[ruler] in STOPS:
        return frozenset()
    return frozenset([told.stems[ruler]]) | ({"deny"} if told.stems[ruler] in listed.CARRYING else frozenset())


_DOUBTFUL = word_set("may might could")
_NONE = word_set("no not n't never without lack deny fail little without found find")
_GIVING = word_set("""issu releas mak publish giv put post amid heard""")


def _lists(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "except on holidays" for "except on Mondays and holidays", "but not a tannery": half of what is excepted."""
    for i, token in enumerate(told.lower):
        if token not in _EXCEPTED:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        content = [j for j in range(i + 1, end) if told.lower[j] not in FEW]
        taken = [j for j in content if j in places]
        if taken and content[0] not in taken and "that" in told.lower[i:end]:
            yield token
        elif told.stems[i] in said.known and "and" in told.lower[i:end]:
            joint = i + told.lower[i:end].index("and")
            before, after = [j for j in content if j < joint], [j for j in content if j > joint]
            if before and after and len(after) < 4 and not (set(before) & set(taken) and set(after) & set(taken)):
                yield token


_EXCEPTED = word_set("except excluding neither")


def _refuted(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A clause that the rest of the lead calls untrue, taken without that."""
    found = next((i for i, token in enumerate(told.lower) if token in listed.UNTRUE), None)
    if found is None:
        return
    denied = told.lower[found].startswith(("den", "disput")) and told.stems[found - 1] not in said.known
    doubting = listed.DOUBTING if denied else listed.DOUBTING - {"say", "says", ":"}
    if doubting & (said.known | set(said.lower)):
        return
    clause = next((i for i in range(found, -1, -1) if told.lower[i] in (",", ";", "but")), 0)
    inner = told.lower[clause:found]
    stated = not denied and _STATING.isdisjoint(inner) and not told.lower[found].startswith(("den", "disput"))
    if clause and not stated and sum(0 <= place < clause for place in places) > 2:
        yield told.lower[found]


_STATING = TO_BE | word_set("but called calls say says said")  # "calling it a hoax" is no denial of the lead's own


def _modals(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "must not" for "need not"."""
    if _NEED_NOT.search(" ".join(told.lower)) and _FORBIDDEN.search(" ".join(said.lower)):
        yield "need not"


_NEED_NOT = re.compile(r"\bneed not\b|(?:not|n't) have to\b")
_FORBIDDEN = re.compile(r"\b(must|should|may|can|could) ?not\b|can't|mustn't")


def _hearsay(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What a brother, a lawyer or a tabloid says, as if it were known."""
    if ":" in said.lower or SAYING & (said.known | set(said.lower)) or len([p for p in places if p >= 0]) < 3:
        return
    for i, token in enumerate(told.lower):
        if token in listed.UNVOUCHED and told.stems[i] not in said.known:
            after, before = told.lower[i + 1 : i + 3], told.lower[max(i - 4, 0) : i]
            if ("according" in before and "to" in before) or set(after[:1]) & _TELLING:
                yield token
                return


_TELLING = SPEAKING | {"reported", "reports"}


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
            or said.stems[right] in _BY_ITSELF
        ):
            continue
        if ahead not in ((), ("to",), ("will",)) or not is_one_place(told, said.stems[left]):
            continue
        agent = told.lower[verb + 1 : subject]
        if agent[-1:] in (("in",), ("at",)) and not TO_BE.isdisjoint(told.lower[max(verb - 3, 0) : verb]):
            continue  # "allowed in China": who allows it may be China
        led = agent[:1] != ("by",) and any(is_verb(told, i) for i in range(verb + 1, subject))
        if "by" not in agent or led:
            yield f"{said.lower[left]} {form}"


_BY_ITSELF = word_set("launch open reopen start begin end resum clos die")  # a thing may do it as well as somebody


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


def _promoted(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A subject that the lead has after a preposition: "Spain fell" for "unemployment in Spain fell"."""
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if not 0 <= here < there or not is_verb(told, there) or LINKS.intersection(said.lower[left + 1 : right]):
            continue
        if any(0 <= place < here - 3 for place in places[:left]):
            continue  # the headline has a subject before it
        between = told.lower[here + 1 : there]
        if any(
            (token not in FEW and not token.endswith("ly")) or token in ("most", "more", "very") for token in between
        ):
            continue
        after = told.lower[there + 1 : there + 2]
        if told.lower[there].endswith("ed") and not between and after and after[0] in (FEW | LINKS) - ARTICLES:
            continue  # "food wasted during": no verb of its own
        head = _governor(told, here)
        if head < 0 or is_verb(told, head) or (head and not told.raw[head].islower()):
            continue
        if told.stems[head] not in said.known and told.stems[head] not in listed.STANDING_FOR:
            yield f"{said.lower[left]} {said.lower[right]}"


_PROMOTING = word_set("for by with against of in to near at between")  # a noun after one is no subject


def _governor(told: Words, place: int) -> int:
    """The noun before the preposition that a noun stands after, or before a "who" whose clause it ends; -1 without."""
    for i in range(place - 1, max(place - 5, 0), -1):
        token = told.lower[i]
        if token in _PROMOTING:
            return i - 1 if told.lower[i - 1] not in FEW and told.lower[i - 1] not in STOPS else -1
        if token in RELATIVES and i > 1 and i < place - 1 and told.lower[i + 1] not in FEW:
            return i - 1
        if token in STOPS or (token in FEW and token not in ARTICLES | {"and"}):
            return -1
        if is_verb(told, i):
            return i - 2 if i > 1 and told.lower[i - 1] == "who" else -1
    return -1


_TURNING: tuple[Rule, ...] = (
    _conditions, _subjects, _clauses, _passed_over, _lists, _swapped, _made_active,
    _refuted, _hearsay, _modals,
)  # fmt: skip
_RULES: tuple[Rule, ...] = (*_TURNING, _governed, _antecedents, _promoted)
