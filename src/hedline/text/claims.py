"""What a headline claims: grave words with nothing behind them, hearsay as fact, a broken or empty sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hedline.text.lead_words import (
    DIRECTIONS,
    SAYING,
    SPEAKING,
    SPOKEN,
    STOPS,
    Rule,
    Words,
    is_one_place,
    is_verb,
    laid_on,
    read_words,
    word_stems,
)
from hedline.text.polarity_cues import stem
from hedline.text.polarity_words import FEW, word_set

# A grave word of a headline, and what in a lead may stand behind it.
_GRAVE = tuple(
    (frozenset(map(stem, words.split())), frozenset(map(stem, (words + " " + more).split())))
    for words, more in (
        (
            "arrested arrest arrests detained",
            "custody held caught nabbed seized captured apprehended jailed suspect raid",
        ),
        ("charged indicted prosecuted", "charges accused court trial plead pleaded pleads faces arraigned counts"),
        (
            "convicted guilty sentenced jailed imprisoned",
            "conviction prison term sentence jail bars pleaded court murderer",
        ),
        (
            "killed kills dead dies died murder murdered slain fatal deadly",
            """death deaths toll shot massacre body bodies assassinated stabbed drowned crash suicide funeral victims
            lives victim fatally killing killer perished late dying shooting homicide remains""",
        ),
        ("injured wounded hurt injures wounds", "injuries injury hospital wounded harm"),
        (
            "sacked fired ousted resigns quits resigned",
            "dismissed step steps stepping leave leaves left depart out remove removed replace replaced axed sack",
        ),
        ("sues sued lawsuit", "legal suit complaint court action class-action claim settlement"),
        ("banned bans outlawed", "prohibit prohibited forbid forbidden barred blocked suspended prohibition bar ban"),
        ("forced forces", "compelled order ordered must required make made army military troops security police"),
        ("invades bombs bombed", "bombing strike attack invasion raid shelling missile explosion blast air"),
        ("bankrupt bankruptcy", "insolvent insolvency chapter collapse administration debt debts"),
        ("hijacked kidnapped abducted", "hostage hostages taken seized captive kidnapping abduction hijack hijacking"),
        ("divorce divorces", "split separate separated divorced marriage"),
    )
)


def _speakers(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Delegation says" where the lead lets the delegation say nothing."""
    for i in range(1, len(said)):
        where = places[i - 1]
        if said.stems[i] != "say" or where < 6 or said.lower[i] in told.lower:
            continue
        near = told.known.intersection(told.stems[max(where - 7, 0) : where + 8]) | set(
            told.lower[where - 6 : where + 7]
        )
        if SPOKEN.isdisjoint(near):
            yield f"{said.lower[i - 1]} {said.lower[i]}"


def _refuted(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A clause that the rest of the lead calls untrue, taken without that."""
    found = next((i for i, token in enumerate(told.lower) if token in _UNTRUE), None)
    if found is None:
        return
    doubting = _DOUBTING if told.lower[found].startswith(("den", "disput")) else _DOUBTING - {"say", "says", ":"}
    if doubting & (said.known | set(said.lower)):
        return
    clause = next((i for i in range(found, -1, -1) if told.lower[i] in (",", ";", "but")), 0)
    if clause and sum(0 <= place < clause for place in places) > 2:
        yield told.lower[found]


_UNTRUE = word_set(
    """untrue false baseless nonsense absurd fabricated unfounded fiction hoax fake invented incorrect denies
    denied deny disputes"""
)


_DOUBTING = word_set(
    """untru fals baseless nonsens absurd fabricat unfound fiction hoax fak incorrect deny denial claim claims alleg
    allegation rumour rumor dismiss reject refut disput not no never ? accus say says : "”"""
)


def _grave(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """Grave words with nothing of their kind in the lead."""
    for words, support in _GRAVE:
        for word in words & said.known:
            if not support & told.known:
                yield word
    for here, other in (DIRECTIONS, DIRECTIONS[::-1]):
        for word in here & said.known:
            if (
                other & told.known
                and not (here | {"up", "down", "low", "rais", "cut", "lower", "more", "less"}) & told.known
            ):
                yield word


def _modals(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "must not" for "need not", "must" where nobody has to."""
    text = " ".join(told.lower)
    if ("need not" in text or "not have to" in text or "n't have to" in text) and _FORBIDDEN.search(
        " ".join(said.lower)
    ):
        yield "need not"
    if "must" in said.lower and not _MUST & (told.known | set(told.lower)):
        yield "must"


_FORBIDDEN = re.compile(r"\b(must|should|may|can|could) ?not\b|can't|mustn't")


_MUST = frozenset(
    map(
        stem,
        word_set(
            """must have need needs required requires ordered orders rule ruled forced told mandatory should compelled
    deadline"""
        ),
    )
) | {"must", "should", "have"}


def _status(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A "former" or "deputy" that the headline leaves out before the noun it takes."""
    taken = set(places)
    for i, token in enumerate(told.lower):
        like = _STATUS.get(token)
        if like is None or like & (said.known | set(said.lower)) or any(each.startswith("ex-") for each in said.lower):
            continue
        for place in range(i + 1, min(i + 4, len(told))):
            if not told.raw[place].islower() or told.lower[place] in FEW:
                break
            if place in taken:
                yield token
                break


_STATUS = {
    word: word_set(words)
    for words in (
        "former ex once one-time onetime retired old past formerly",
        "acting interim caretaker provisional",
        "deputy vice assistant",
        "late",
        "would-be aspiring hopeful",
        "disgraced ousted deposed",
    )
    for word in words.split()
    if word not in ("once", "old", "past", "formerly", "hopeful", "provisional", "retired", "disgraced")
}


def _broken(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A stop after a word that cannot end a sentence ("will. At most"), or a speaker cut short (": Finance")."""
    for i, token in enumerate(said.lower[:-1]):
        inside = i + 2 < len(said) and said.raw[i].islower() and not _ends(told, token)
        if said.lower[i + 1] == "." and (inside or token in _UNFINISHED):
            yield f"{token}."
    if (
        said.lower
        and said.lower[0] in ("who", "which", "whose")
        and "?" not in said.lower
        and said.lower[0] in told.lower[1:]
    ):
        yield said.lower[0]
    if said.lower and (_last(said) in _UNFINISHED | {":", ","} or said.lower[-1].endswith(("n't", "n’t"))):
        yield said.lower[-1]
    if said.lower[:1] and said.lower[0] in ".,;:!?)":
        yield said.lower[0]
    if "off" in said.lower[-2:] and said.lower[-1] in ("off", ".") and "off the" in " ".join(told.lower):
        yield "off"
    if len(said) > 2 and said.stems[-1] == "say" and said.lower[-2] in STOPS:
        yield said.lower[-1]
    if ":" in said.lower[2:]:
        speaker = len(said) - said.lower[::-1].index(":")
        found = [place for place in places[speaker:] if place > 0]
        spoken = said.lower[speaker - 2] in '"”' or told.lower[:1] in (('"',), ("“",))
        if spoken and len(found) < 4 and any(told.lower[place - 1] in ("in", "at", "on", "to") for place in found):
            yield said.lower[-1]  # a place is no speaker
    if len(said) > 2 and said.lower[-2] == ":" and places[-1] >= 0:
        after = told.raw[places[-1] + 1 : places[-1] + 2]
        if after and after[0].islower() and after[0] not in FEW and not is_verb(told, places[-1] + 1):
            yield said.raw[-1]


_UNFINISHED = word_set(
    """a an the of to in on at by for from with and or as is are was were be been will would may might could can
    its his their than but if unless because not no never nor except excluding without into onto between among
    against during through"""
)


def _last(said: Words) -> str:
    """The last token in small letters, but for the month of May."""
    return said.raw[-1] if said.raw[-1] == "May" else said.lower[-1]


def _ends(told: Words, token: str) -> bool:
    """Whether a word of the lead stands before a point."""
    return any(each == token and told.lower[i + 1] == "." for i, each in enumerate(told.lower[:-1]))


def _hearsay(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What a brother, a lawyer or a tabloid says, as if it were known."""
    if ":" in said.lower or SAYING & (said.known | set(said.lower)) or len([p for p in places if p >= 0]) < 3:
        return
    for i, token in enumerate(told.lower):
        if token in _UNVOUCHED and told.stems[i] not in said.known:
            after, before = told.lower[i + 1 : i + 3], told.lower[max(i - 4, 0) : i]
            if ("according" in before and "to" in before) or set(after[:1]) & SPEAKING:
                yield token
                return


def _misheard(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Prince says" for ", a friend said"."""
    for i in range(1, len(said)):
        if said.stems[i] != "say" or places[i - 1] < 0 or said.lower[i] in told.lower[:-3]:
            continue
        speakers = [
            j for j, token in enumerate(told.lower[:-1]) if told.lower[j + 1] in SPEAKING and token in _UNVOUCHED
        ]
        if speakers and places[i - 1] not in speakers and said.lower[i - 1] not in told.lower[speakers[0] - 2 :]:
            yield f"{said.lower[i - 1]} {said.lower[i]}"


_UNVOUCHED = word_set(
    """brother sister mother father wife husband widow son daughter friend friends neighbour neighbours neighbor
    neighbors lawyer lawyers attorney attorneys defence defense tabloid blogger blog rebels activists activist
    opposition kidnappers militants witness witnesses relatives family rival rivals supporters tweet critics
    insurgents"""
)


def _reported(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "said reports that … were fantasy": what was reported, without what is said of the reports."""
    for i, token in enumerate(told.lower[:-2]):
        if (
            token not in _REPORTS
            or told.lower[i + 1] not in ("that", "of", "about")
            or (i > 1 and told.lower[i - 1] not in _SAID)
        ):
            continue
        stop = next((j for j in range(i, len(told)) if told.lower[j] in ",;."), len(told))
        end = max((j for j in range(i + 2, stop) if told.lower[j] in _VERDICT), default=None)
        verdict = set(told.stems[end + 1 : end + 5]) - FEW if end else set()
        clause = [place for place in places if i < place < (end or len(told))]
        if len(clause) > 1 and verdict and not (verdict | _DENIED) & said.known:
            yield token


_VERDICT = word_set("were was are is as has have been")


_REPORTS = word_set(
    """theory idea notion belief suggestion reports report claims claim rumours rumors rumour rumor allegations
    suggestions speculation stories"""
)


_SAID = word_set("said says say called calls described dismissed the")


_DENIED = word_set("deny denial fals reject dismiss untru refut rebut no not never")


def _pronouns(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "I would be the first" where the lead has "she"."""
    for forms in _PERSONS:
        for word in forms & set(said.lower):
            if forms.isdisjoint(told.lower) and not _SPEAKING_FOR.isdisjoint(told.lower):
                yield word
    for place, token in enumerate(said.lower[:-1]):
        verb = places[place + 1]  # "I stopped" for "the machine I bought, which stopped"
        before = told.lower[max(verb - 4, 0) : verb] if verb > 0 else ()
        if token in ("i", "we", "he", "she") and before and is_verb(told, verb) and token not in before:
            yield token
        if token in _POSSESSIVES and before and before[-1] in _POSSESSIVES - {token}:
            yield token


_PERSONS = tuple(map(word_set, ("i me my i'm i've", "he him his he's", "she her hers she's", "we us our we're we've")))
_POSSESSIVES = word_set("my your our his her their its")
_SPEAKING_FOR = word_set("he she they his her their him them i we")


def _times(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "90 million a year" for "… a year earlier"."""
    for place in places:
        later = told.lower[place + 1 : place + 2] if place >= 0 else ()
        if later and told.stems[place] in _SPANS and later[0] in _BACK and later[0] not in said.lower:
            yield later[0]


_SPANS = word_stems("year years month months week weeks day days hour hours")
_BACK = word_set("earlier ago later")


def _first_times(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "drops for first time" for "drops below 5 euros for the first time"."""
    if "first time" in " ".join(said.lower) and "first" in told.lower:
        first = told.lower.index("first")
        bound = next((j for j in range(first, max(first - 9, 0), -1) if told.lower[j] in _LEVELS), None)
        if bound is not None and bound + 1 < len(told) and told.lower[bound + 1] not in said.lower:
            yield "first time"


_ASKING = word_set("how what why when where who is are can do does should will")


_LEVELS = word_set("below above past under beyond")


def ends_inside(headline: str, lead: str) -> bool:
    """Whether a headline ends in the middle of the lead's phrase: "its truck" for "its truck division"."""
    said, told = read_words(headline), read_words(lead)
    letters = [token for token in said.raw[-2:] if token.isalpha()]
    if letters and len(letters[-1]) == 1 and letters[-1] not in told.raw:
        return True  # "off S."
    last = laid_on(said, told)[-1] if len(said) else -1
    if last < 0 or last + 1 >= len(told):
        return False
    after = told.raw[last + 1]
    noun = after.islower() and after not in FEW | STOPS and not is_verb(told, last + 1) and not after.endswith("ly")
    counts = told.lower[last] in _NUMBERS
    return (
        noun
        and told.raw[last].islower()
        and is_one_place(told, told.stems[last])
        and (counts or not is_verb(told, last))
    )


_NUMBERS = word_set("two three four five six seven eight nine ten")


def says_little(headline: str, lead: str) -> bool:
    """Whether so few words are taken that they say nothing, or half of something: "Arbitration to be over".

    Questions and quotations may be short.
    """
    said, told = read_words(headline), read_words(lead)
    if not 4 < len(told.places) < 25 or "?" in told.lower or "?" in said.lower or '"' in said.lower:
        return False
    content = sum(token not in FEW and token not in STOPS for token in said.lower)
    taken = sum(place >= 0 for place in laid_on(said, told))
    return taken < 3 and content < 3 and _ASKING.isdisjoint(said.lower[:1])


def _numbers_moved(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "fell 12.4 percent" for "fell from 12.4 percent", "fell 11.8 percent" for "fell to 11.8 percent"."""
    for place, where in enumerate(places):
        if where < 1 or not said.lower[place][0].isdigit() or not is_one_place(told, said.stems[place]):
            continue
        link, before = told.lower[where - 1], said.lower[place - 1] if place else ""
        ranged = link == "from" and any(a == "to" and b[0].isdigit() for a, b in pairwise(told.lower))
        if (ranged and before not in ("from", "than", "of")) or (link == "to" and stem(before) in _UP_OR_DOWN):
            yield f"{before} {said.lower[place]}"


def _bounds_moved(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "fewer than 30" for "more than 30", "rose by 800,000" for "shrank by 800,000"."""
    for place, where in enumerate(places):
        if where < 1 or not said.lower[place][0].isdigit() or not is_one_place(told, said.stems[place]):
            continue
        mine, theirs = (_LESS & set(each[max(i - 3, 0) : i]) for each, i in ((said.lower, place), (told.lower, where)))
        more = _MORE & set(told.lower[max(where - 2, 0) : where])
        if mine and not theirs and more:
            yield said.lower[place]
        verb = next(
            (i for i in range(place - 1, max(place - 4, -1), -1) if places[i] >= 0 and is_verb(told, places[i])), -1
        )
        own = next((i for i in range(where - 1, -1, -1) if is_verb(told, i) or told.lower[i] in ",;"), -1)
        if min(verb, own) < 0 or told.lower[own] in STOPS or told.lower[where - 1] != "by":
            continue
        if told.stems[own] != said.stems[verb]:
            yield said.lower[place]


_LESS = word_set("fewer less under below most")
_MORE = word_set("more over above least")
_UP_OR_DOWN = DIRECTIONS[0] | DIRECTIONS[1] | {"cut", "rais", "up", "down", "low", "lower"}


TURNED_CLAIMS: tuple[Rule, ...] = (_refuted, _hearsay, _misheard, _reported, _modals, _bounds_moved)
CLAIMS: tuple[Rule, ...] = (
    *TURNED_CLAIMS,
    _speakers,
    _grave,
    _status,
    _broken,
    _first_times,
    _numbers_moved,
    _pronouns,
    _times,
)
