"""Conditions, exceptions, claims and denials: whether a headline says what stands under them as if it stood alone.

They are asked for only where the lead has a word that opens or names one (`TRIGGERS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hedline.text import polarity_words as listed
from hedline.text.meaning import HELPING, SAYING, SPEAKING, SPOKEN, STOPS, TO_BE, Words
from hedline.text.polarity_cues import stem
from hedline.text.polarity_words import FEW, word_set

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


RULES: tuple[Rule, ...] = (_conditions, _clauses, _lists, _refuted, _hearsay, _modals)
