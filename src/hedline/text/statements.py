"""What a headline states: whether its words stand under the same conditions, doubts and denials as in its lead.

A word that turns, weakens or bounds what follows may not be passed over; a clause after "that" or "to" keeps the word
that carries it, and a condition its "if". Which words may be left out is listed; all others must stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedline.text.claims import CLAIMS, TURNED_CLAIMS
from hedline.text.lead_words import (
    ARTICLES,
    LINKS,
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
from hedline.text.meaning import has_equivalent, owners
from hedline.text.polarity_cues import Cue
from hedline.text.polarity_words import FEW, PASSED_OVER, word_set
from hedline.text.relations import RELATIONS, TURNED_RELATIONS


def wrong_relations(headline: str, lead: str, turning: bool = False) -> list[str]:
    """Words of a headline that it joins otherwise than its lead, or that have nothing behind them.

    turning: only what turns the meaning round.

    >>> wrong_relations("North Korea stole emails", "Hackers believed to work for North Korea stole emails.")
    ['korea stole']
    >>> wrong_relations("Mayor charged", "Prosecutors dismissed a complaint about the mayor.")
    []
    """
    said, told = read_words(headline), read_words(lead)
    places = laid_on(said, told)
    return [fault for rule in (_TURNING if turning else _RULES) for fault in rule(said, told, places)]


def is_delicate(lead: str) -> bool:
    """Whether a lead has a word that turns, weakens or bounds what it says."""
    told = read_words(lead)
    return "according" in told.lower or any(_turns(told, i) for i in range(len(told)))


def _conditions(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """What would happen only under a condition, said of the condition itself: "Engine failed, plane would have …"."""
    for i, token in enumerate(told.lower):
        kind = _condition(told, i)
        if not kind:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        inside = [place for place in places if i < place < end]
        whole = sum(each not in FEW for each in told.lower[i + 1 : end])
        connected = _CONNECTED & (said.known | set(said.lower))
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
    return "clause" if token in _CONNECTING or (token == "that" and before == ("condition",)) else ""


def _opens_clause(said: Words, token: str) -> bool:
    """Whether a headline has a token first, or after a comma."""
    return any(each == token and (not i or said.lower[i - 1] in STOPS) for i, each in enumerate(said.lower))


_CONNECTING = word_set("unless if provided")


_CONNECTED = word_set(
    """if unless had should provided providing when once until depend condit conditional only whether ? ask hing
    till before except demand ultimatum deadlin case event without barring fear risk"""
)


def _subjects(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "No passenger on the ferry" without what no passenger was or did."""
    for place, token in enumerate(said.lower):
        if token not in _NOBODY or told.lower[:1] != (token,):
            continue
        end = next((i for i, each in enumerate(told.lower) if each in ",;" and i > 2), len(told))
        helping = max((i for i in range(1, end) if told.lower[i] in _HELPING), default=None)
        verbs = [i for i in range(1, end) if is_verb(told, i) or _is_present(told, i)]
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


_NOBODY = word_set("no none neither nobody not few nothing hardly everyone everybody all every only")


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
            if i in taken or i in judged or token in STOPS or token in _BORDERS or skipped > _SKIPPED:
                break
            judged.add(i)
            skipped += token not in FEW
            kind = _turns(told, i)
            if kind and not has_equivalent(Cue(kind, token, (), place=i), said.lower, said.stems, new, belongs):
                yield token


_BORDERS = word_set(
    """and or but then after before when while as because who which where amid despite following if since"""
)


_SKIPPED = 4  # content words that a headline may leave out between such a word and what it takes


def _turns(told: Words, place: int) -> str:
    """The kind of a word that turns what follows, "" for others."""
    token, after = told.lower[place], told.lower[place + 1 : place + 2]
    if token.endswith(("n't", "n’t")) or (token == "outside" and told.lower[place - 1] == "from"):
        return "negation"
    kind, wanted = PASSED_OVER.get(token, ("", frozenset()))
    if not kind or (wanted and wanted.isdisjoint(after)):
        return ""
    return "" if _is_harmless(told, place) else kind


def _is_harmless(told: Words, place: int) -> bool:
    """Whether a word turns nothing here: "a few", "we propose", "in May", "No. 1", "not only"."""
    token, after = told.lower[place], told.lower[place + 1] if place + 1 < len(told) else ""
    before = told.lower[place - 1] if place else ""
    if token in ("few", "propose", "consider"):
        return before in ("a", "we")
    if token == "may":
        return before in _IN or after[:1].isdigit()
    if token not in ("not", "no"):
        return False
    return after in _NOT_TURNED or after[:1].isdigit() or told.lower[place + 1 : place + 3] == ("the", "only")


_IN = word_set("in on of since by until last next early late this from mid")


_NOT_TURNED = word_set("only just least long merely surprisingly doubt matter wonder stranger . more")


def _degrees(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "did not cause damage" for "did not cause as much damage as feared"."""
    for i, token in enumerate(told.lower[:-2]):
        if token not in ("as", "so", "too") or told.lower[i + 1] not in _AMOUNTS:
            continue
        denied = any(each in _DENIERS or each.endswith("n't") for each in told.lower[max(i - 6, 0) : i])
        if denied and i + 2 in places and _COMPARED.isdisjoint(said.lower):
            yield f"{token} {told.lower[i + 1]}"


_AMOUNTS = word_set("much many bad badly often severe large long fast high")


_DENIERS = word_set("not never hardly cannot")


_COMPARED = word_set("as so too less fewer enough than")


def _governed(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A verb that the lead has only under another word ("efforts to rescue", "stopped short of calling"), set free.

    Which words may be left out is listed (`_NEUTRAL`); all others must stay, or a new word stand for them.
    """
    for place, where in enumerate(places):
        if where < 2:
            continue
        link, form = told.lower[where - 1], told.raw[where]
        free = not said.lower[place].endswith("ing") and said.lower[place - 1 : place] != ("to",)
        if not form.islower():
            continue
        if link == "to":
            ruler, allowed = where - 2, _NEUTRAL
            if not free and told.stems[ruler] not in _HOPED:
                continue
        elif form.endswith("ing") and link in _BEFORE_GERUND and free:
            ruler, allowed = where - 2, _NEUTRAL
        elif form.endswith("ing") and free and told.stems[where - 1] in _HOLDING_OFF:
            ruler, allowed = where - 1, frozenset()
        else:
            continue
        word = told.lower[ruler]
        if word in FEW or word in STOPS or told.stems[ruler] in allowed or told.raw[ruler][0].isupper():
            continue
        if said.lower[place - 1 : place] and said.lower[place - 1] in LINKS | ARTICLES - {"to"}:
            continue  # a noun
        if (
            told.stems[ruler] not in said.known
            and not said.known & _STANDING_IN
            and is_one_place(told, told.stems[where])
        ):
            yield f"{word} {form}"


_BEFORE_GERUND = word_set("of from against without about on at")


_HOLDING_OFF = word_stems(
    """considering consider considers avoid avoided avoids stop stopped deny denied denies risk risks resist
    proposed proposes propose recommended suggests suggested quit delay delayed postponed halted mulling
    weighing without contemplating fears feared discuss discussed opposes opposed"""
)


_NEUTRAL = word_stems(
    """manage managed able began begin begins started starts start helped help helps continue continued continues
    went rushed used use uses set due enough had have has back order going likely more people years time came
    get gets turned move moves moved returned return decided voted way man woman number ready agreed forced
    first last"""
)


_HOPED = word_stems(
    """efforts effort attempts attempted attempt failed fails failure refused refuses refusal declined wants
    wanted hopes hoped seeks sought threatens threatened chance potential ability reluctant unable neglected
    tried tries trying unwilling reluctance inability hesitated afraid likely unlikely right permission
    proposal offer offered request asked urged call pressure temptation reason need"""
)


_STANDING_IN = word_stems(
    """may might could would plan plans bid try seek fail refuse deny reject effort attempt not no aim eye mull
    consider urge call demand threaten threat vow want hope ask propose accuse suspect allege charge ban stop
    block prevent avoid halt rule force let help offer push pressure order tell warn face near close unable
    cannot never n't without ? won't can't didn't doesn't isn't"""
)


def _clauses(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """A clause after "that" without the word that carries it: "took back his statement that …", "hinted that …"."""
    for i, token in enumerate(told.lower):
        if token != "that" or i < 2:
            continue
        end = next((j for j in range(i, len(told)) if told.lower[j] in STOPS), len(told))
        inside = [place for place in places if i < place < end]
        verbs = [j for j in range(i + 2, end) if is_verb(told, j)]
        if len(inside) < 2:
            continue
        carrier = _carrier(told, i)
        if carrier and not (carrier & said.known) and not _CARRYING & (said.known - told.known):
            yield " ".join(sorted(carrier))
        elif carrier and verbs and not set(verbs) & set(inside) and not said.known - told.known:
            yield "that"


def _after_fears(said: Words, told: Words, places: Sequence[int]) -> Iterator[str]:
    """ "Fears grow after trawler sinks" for "fears grow that the trawler sank": a fear told as a fact."""
    for i, token in enumerate(told.lower):
        if token != "that" or not _FEARS.intersection(told.stems[max(i - 4, 0) : i]):
            continue
        for link in ("after", "as", "because", "when", "following"):
            if link in said.lower and link not in told.lower:
                tail = places[said.lower.index(link) + 1 :]
                if any(place > i and is_verb(told, place) for place in tail):
                    yield link


_FEARS = word_stems(
    """fears fear hopes claims reports rumours rumors warnings allegations suspicions concerns worries"""
)


def _carrier(told: Words, that: int) -> frozenset[str]:
    """Stems of which a headline needs one to say the clause after "that"; none where it needs nothing."""
    word = told.stems[that - 1]
    if word not in _CARRIED:
        return frozenset([word]) if word in _CARRYING and told.lower[that - 1] not in FEW else frozenset()
    if told.lower[that - 2] in ("no", "not", "any"):
        return _NONE
    ruler = next((j for j in range(that - 2, max(that - 6, -1), -1) if told.lower[j] not in FEW), None)
    if ruler is None or told.lower[ruler] in STOPS or told.stems[ruler] in SPOKEN | _GIVING:
        return frozenset()
    return frozenset([told.stems[ruler]]) | ({"deny"} if told.stems[ruler] in _CARRYING else frozenset())


_NONE = word_set("no not n't never without lack deny fail little without found find")


_GIVING = word_stems("issued released made publish published gave put posted amid heard")


_CARRIED = word_stems(
    """statement claim claims report reports evidence complaint allegation allegations accusation accusations
    suggestion suggestions rumour rumours rumor rumors theory idea fear fears hope hopes proof sign signs doubt
    doubts argument ruling proposal speculation belief promise threat assertion notion charge charges"""
)


_CARRYING = word_stems(
    """hinted hints suspects suspect denied denies doubts doubted fears feared hopes hoped predicted predicts
    proposed proposes demanded demands insisted insists agreed claimed claims alleged alleges believes thinks
    suggests suggested warned argue argued assume assumed guess imagined dreamed pretended pretend worried
    worry dispute disputed reject rejected dismiss dismissed retract retracted refute refuted rebut deny took
    withdraw withdrew casts doubt question questioned ask urge recommend recommended may might could would not
    no never"""
)


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


_TURNING: tuple[Rule, ...] = (
    _conditions, _subjects, _clauses, _passed_over, _lists, _degrees, _after_fears, *TURNED_RELATIONS, *TURNED_CLAIMS,
)  # fmt: skip
_RULES: tuple[Rule, ...] = (
    _conditions, _subjects, _clauses, _passed_over, _lists, _degrees, _after_fears, _governed, *RELATIONS, *CLAIMS,
)  # fmt: skip
