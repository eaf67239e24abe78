"""Conditions, exceptions, claims and denials: whether a headline says what stands under them as if it stood alone.

They are asked for only where the lead has a word that opens or names one (`TRIGGERS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hedline.text import polarity_words as listed
from hedline.text.meaning import (
    ARTICLES,
    HELPING,
    RELATIVES,
    SAYING,
    SPEAKING,
    SPOKEN,
    STOPS,
    TO_BE,
    Words,
    is_verb,
)
from hedline.text.polarity_words import FEW, word_set
from hedline.text.stems import stem

Rule = Callable[[Words, Words, Sequence[int]], Iterator[str]]


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
    if after == ("of",) and (token, before) in (("event", ("the",)), ("event", ("in",)), ("case", ("in",))):
        return "event"
    if token == "if" and before and stem(before[0]) in listed.ASKING - {"only"}:
        return ""
    if token == "if" and after and after[0].startswith("you"):
        return ""  # what the reader does makes no news
    if token == "provided" and before and (before[0] in HELPING or told.raw[place - 1][0].isupper()):
        return ""  # "has provided an update", "Lind provided an update"
    return "clause" if token in _CONNECTING or (token == "that" and before == ("condition",)) else ""


def _opens_clause(said: Words, token: str) -> bool:
    """Whether a headline has a token first, or after a comma."""
    return any(each == token and (not i or said.lower[i - 1] in STOPS) for i, each in enumerate(said.lower))


_CONNECTING = word_set("unless if provided")


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
        if ":" in said.lower[-4:]:
            continue  # "Warrants not valid: Paris"
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
    if ruler is None or told.lower[ruler] in STOPS or told.lower[ruler][0].isdigit():
        return frozenset()
    if told.stems[ruler] in ("express", "voic"):
        return frozenset([word])  # "hopes" for "expressed hope"
    return frozenset([told.stems[ruler]]) | ({"deny"} if told.stems[ruler] in listed.CARRYING else frozenset())


_DOUBTFUL = word_set("may might could")
_NONE = word_set("no not n't never without lack deny fail little without found find")
_GIVING = word_set("""issu releas mak publish giv put post amid heard follow""")


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


_EXCEPTED = word_set("except excluding neither apart")


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
    if told.lower[clause + 1] == "which":
        return  # that is said of the clause before it only
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
            if token == "blog" and after[:1] == ("post",) and after[1:] != (".",):
                continue  # a firm's own news
            if (
                set(after[:1]) & _TELLING
                and sum(i < place for place in places) < 2
                and told.lower[i + 2 : i + 3] != (".",)
            ):
                continue  # what they say is left out
            if ("according" in before and "to" in before) or set(after[:1]) & _TELLING:
                yield token
                return


_TELLING = SPEAKING | {"reported", "reports"}


def _alone(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A "nor" without its "neither"."""
    if "nor" in said.lower and listed.BEFORE_NOR.isdisjoint(said.lower[: said.lower.index("nor")]):
        yield "nor"


def _believed(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "mask stolen from its cellars" for "the mask that police believe was stolen from its cellars"."""
    if not (_BELIEVED | _DOUBTFUL | {"alleged", "suspected", "?"}).isdisjoint({*said.known, *said.lower}):
        return
    for i in range(1, len(told) - 4):
        if told.lower[i] not in RELATIVES:
            continue
        verb = next((j for j in range(i + 2, min(i + 6, len(told) - 2)) if told.stems[j] in _BELIEVED), 0)
        if not verb or not STOPS.isdisjoint(told.lower[i:verb]) or told.lower[verb + 1] not in HELPING:
            continue
        stated = next((j for j in range(verb + 1, min(verb + 5, len(told))) if told.lower[j] not in FEW), 0)
        if stated in places:
            yield told.lower[verb]


_BELIEVED = word_set("believ think suspect claim alleg")


def _would_have(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "law that would ban coats" for "a law that would have banned coats was defeated"."""
    if not _SUPPOSING.isdisjoint(told.lower):
        return
    for i in range(len(told) - 3):
        if told.lower[i : i + 2] != ("would", "have") or told.lower[i + 2] == "to":
            continue
        verb = next((j for j in range(i + 2, min(i + 5, len(told))) if told.lower[j] not in FEW), 0)
        if not verb or verb not in places:
            continue
        place = places.index(verb)
        denied = (listed.DENIAL | listed.DENYING | {"if"}) - {told.stems[verb], told.lower[verb], said.lower[place]}
        if "have" not in said.lower[max(place - 2, 0) : place] and denied.isdisjoint({*said.lower, *said.known}):
            yield f"would have {told.lower[verb]}"


_SUPPOSING = word_set("if had unless without")


def _planned(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "trial to begin in Lima" for "the trial, due to begin in Lima, has been moved to Cusco"."""
    for i in range(2, len(told) - 4):
        if told.lower[i] not in _PLANNED:
            continue
        aside = told.lower[i - 1] == ","
        end = next((j for j in range(i, len(told)) if told.lower[j] in (_ASIDE_ENDS if aside else HELPING)), 0)
        clause = range(end, min(end + 6, len(told)))
        changed = [j for j in clause if told.stems[j] in _MOVED and is_verb(told, j)]
        if not end or not changed or (TO_BE | {"has", "have"}).isdisjoint(told.lower[end : changed[0]]):
            continue
        kept = _MOVED | listed.DENIAL
        if any(i <= where < end for where in places) and kept.isdisjoint({*said.known, *said.lower}):
            yield told.lower[changed[0]]


_PLANNED = word_set("due planned scheduled expected supposed originally slated")
_ASIDE_ENDS = frozenset([","])
_MOVED = word_set(
    "mov postpon cancel delay shift adjourn reschedul scrap abandon relocat suspend transfer call off put"
)


def _condition_verbs(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "unless management cuts pay" for "withdraws plans to cut pay", "provided farmers pay" for "are paid"."""
    for place, token in enumerate(said.lower[:-1]):
        opener = told.lower.index(token) if token in _CONNECTING and told.lower.count(token) == 1 else 0
        end = next((i for i in range(opener, len(told)) if told.lower[i] in STOPS), len(told))
        rest = [where for where in places[place + 1 :] if opener < where < end]
        verb = next((i for i in range(opener + 1, end) if _is_clause_verb(told, i)), 0)
        if not opener or not rest or not verb:
            continue
        own = any(
            places[i] < 0 and said.lower[i] not in FEW and said.lower[i] not in STOPS
            for i in range(place + 1, len(said))
        )
        if told.stems[verb] not in said.known and not own:
            yield f"{token} {told.lower[verb]}"
        if verb in rest and not TO_BE.isdisjoint(told.lower[max(verb - 2, opener) : verb]):
            at = places.index(verb, place)
            active = said.lower[at] != told.lower[verb] and not said.lower[at].endswith(("ed", "en"))
            if active and TO_BE.isdisjoint(said.lower[max(at - 2, 0) : at]):
                yield f"{token} {said.lower[at]}"


def _is_clause_verb(told: Words, place: int) -> bool:
    """Whether a word may be the verb of a condition: not an infinitive, nor an adjective behind its article."""
    token, before, after = told.lower[place], told.lower[place - 1], told.lower[place + 1 : place + 2]
    if token in FEW or before in ARTICLES | {"to", "that"} or before.endswith(("'s", "’s")):
        return False
    present = token.endswith("s") and not token.endswith("ss") and told.raw[place].islower()
    return is_verb(told, place) or (present and bool(after) and (after[0] in _AFTER_PRESENT or after[0][0].isdigit()))


_AFTER_PRESENT = ARTICLES | listed.NUMBERS | word_set("to that plans over up out down off")


def _twice_denied(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "No shark seen" for "hardly a day went by without a shark being seen"."""
    for i in range(2, len(told) - 1):
        if told.lower[i] != "without":
            continue
        start = next((j for j in range(i - 1, -1, -1) if told.lower[j] in STOPS), -1)
        denied = [each for each in told.lower[start + 1 : i] if each in _NEGATING or each.endswith(("n't", "n’t"))]
        kept = [each for each in said.lower if each in _NEGATING or each.endswith(("n't", "n’t"))]
        if denied and len(kept) == 1 and any(i < where < i + 5 for where in places):
            yield f"{denied[0]} without"


_NEGATING = word_set("no not never nobody none hardly barely without cannot")


def _condition_head(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "unless electric cars pick up" for "unless demand for electric cars picks up"."""
    for i, token in enumerate(told.lower[:-4]):
        if token not in _CONNECTING or token not in said.lower:
            continue
        head = next((j for j in range(i + 1, i + 4) if told.lower[j] not in FEW), i)
        end = next((j for j in range(head, len(told)) if told.lower[j] in STOPS), len(told))
        verb = next((j for j in range(head + 2, end) if _is_clause_verb(told, j)), 0)
        linked = told.lower[head + 1] in ("for", "of", "in", "from", "to") and head not in places
        if linked and verb in places and any(head < where < verb for where in places) and token != "provided":
            yield from (
                [] if told.stems[head] in listed.STANDING_FOR | listed.SHARED else [f"{token} {told.lower[head]}"]
            )


def _cut_condition(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "will not be sold as long as family, grandson says" for "as long as the family holds the shares"."""
    for place in range(1, len(said) - 3):
        if said.lower[place : place + 3] != ("as", "long", "as") or said.lower[place - 1] in ("twice", "times", "half"):
            continue
        end = next((i for i in range(place + 3, len(said)) if said.lower[i] in STOPS), len(said))
        if not any(_states(said, told, places, i) for i in range(place + 3, end)):
            yield f"as long as {said.lower[end - 1]}"


def _states(said: Words, told: Words, places: Sequence[int], place: int) -> bool:
    """Whether a word of a headline may be a verb."""
    where, token = places[place], said.lower[place]
    if where < 0:
        return token in HELPING | {"am"} or token not in FEW
    return is_verb(told, where) or _may_act(told, where) or token in _KEEPS


_KEEPS = word_set("keep keeps stay stays remain remains")


def _may_act(told: Words, place: int) -> bool:
    """Whether a word of the lead may be a verb in the present: "extradites 30", "holds a"."""
    token, before, after = told.lower[place], told.lower[place - 1], "".join(told.lower[place + 1 : place + 2])
    if not told.raw[place].islower() or before in ARTICLES or not after:
        return False
    return after in ARTICLES | {"to", "that"} or after[0].isdigit() or token in ("agree", "agrees", "win", "wins")


def _from_condition(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "cannot overtake leader in Monza" for "even if he wins in Monza, he cannot overtake the leader"."""
    if told.lower[0] not in _SUPPOSED or "," not in told.lower or not _SUPPOSED.isdisjoint(said.lower):
        return
    comma = told.lower.index(",")
    inside = {where for where in places if 0 < where < comma}
    verbs = {i for i in range(1, comma) if is_verb(told, i) or _may_act(told, i) or told.lower[i - 1] in _ACTING}
    for place in range(1, len(said) - 1):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        moved = said.lower[place] in ("in", "at", "on", "for", "by") and places[target] in inside
        if moved and inside.isdisjoint(verbs) and max(places) > comma:
            yield f"{said.lower[place]} {said.lower[place + 1]}"


_SUPPOSED = word_set("if unless even although though should had")
_ACTING = word_set("he she it they we i you voters")


def _cut_exception(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "every day except during summer" for "except Tuesday during summer"."""
    for i, token in enumerate(told.lower[:-2]):
        if token not in ("except", "excluding") or token not in said.lower:
            continue
        start = next((j for j in range(i + 1, len(told)) if told.lower[j] not in ARTICLES | {"for"}), i)
        end = next((j for j in range(start, len(told)) if told.lower[j] in FEW | STOPS or is_verb(told, j)), len(told))
        phrase = set(range(start, end))
        within = told.lower[end : end + 1] in (("of",), ("to",), ("from",)) and not set(range(end, end + 5)).isdisjoint(
            places
        )
        if phrase and not within and (phrase.isdisjoint(places) or end - 1 not in places):
            yield f"{token} {told.lower[end - 1]}"


RULES: tuple[Rule, ...] = (
    _conditions, _clauses, _lists, _refuted, _hearsay, _modals, _alone, _believed, _would_have, _planned,
    _condition_verbs, _cut_condition, _from_condition, _cut_exception, _twice_denied,
    _condition_head,
)  # fmt: skip
