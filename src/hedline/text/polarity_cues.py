"""Polarity words of a lead, each with the content words of the clause that it governs.

A reader per kind of word says what it governs: the predicate after "not", condition and main clause of "unless", what
is rejected. It looks at tokens in small letters only; no grammar is needed to see whether a headline uses a clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hedline.text import polarity_words as listed
from hedline.text.polarity_words import (
    ATTRIBUTIONS,
    AUXILIARIES,
    BE,
    BEFORE_TO,
    CARRIERS,
    CLAUSE_OPENERS,
    EMPTY,
    FEW,
    HEDGES,
    NEGATIONS,
    PARTICLES,
    QUANTIFIERS,
    TRIGGERS,
    UNIVERSAL,
    word_set,
)
from hedline.text.stems import stem

TOKEN = re.compile(r"[^\W_]+(?:['’.,\-][^\W_]+)*|[,;:.!?()\"“”–—]|(?<= )-(?= )")
_STOPS = frozenset(',;:.!?()"“”–—-')
_ENDS = _STOPS - frozenset('"“”')  # of a clause; a quotation may be part of one
_RARER = re.compile(
    r"n['’]t\b|\b(?:all|every\w*|each)\b[^,;.]*? but\b|\bbut for\b|\bat most\b|\b(?:apart|aside) from\b"
    r"|\bother than\b|\bexception of\b|\bbesides\b|\b(?:is|are|was|were) said to\b"
    r"|\bas long as\b|\b(?:up to|as m(?:uch|any) as)\b|\b(?:save|bar)\b"
    r"|^(?:had|should|barring)\b|\b(?:event|case|condition) (?:of|that)\b"
)
_MOST_FOCUS = 5  # content words that a cue governs
_RANKS, _THAT, _LIVES = word_set("first last only second third"), word_set("that"), word_set("life lives")
_WHO = word_set("that who which")
_SINCE = word_set("after before since as following despite amid")
_NO_CONDITION = frozenset(["not", "any", "you", "you've", "you're", "you’ve", "you’re"])
_BEFORE_MAY = word_set("in on of since by until last next early late this from mid")
_BOUNDS = frozenset([("fewer", "than"), ("less", "than"), ("at", "most"), ("up", "to"), ("as", "much"), ("as", "many")])
_BEFORE_NOUNS, _ONCE = word_set("a an the found left"), word_set("has have is are had")
_NO_DENIAL = word_set("doubt matter wonder stranger shortage")
_EXCEPTING_PAIRS = {"other": "than", "apart": "from", "aside": "from", "exception": "of", "besides": ""}


@dataclass(frozen=True)
class Cue:
    """A polarity word of a lead.

    kind: negation, exception, condition, hedging, attribution, restriction or carrying; word: in small letters; focus:
    stems of the content words that it governs, the nearest first; head: whether a headline says the clause when it has
    the first of them (the predicate); need: or when it has this many of them (0: two, but none after a head);
    place: of its token in the lead (-1 where it does not matter).
    """

    kind: str
    word: str
    focus: tuple[str, ...]
    head: bool = True
    need: int = 0
    place: int = -1


def polarity_cues(lead: str) -> list[Cue]:
    """The polarity words of a lead with what they govern, in order; those that govern nothing are left out."""
    text = lead.lower()
    tokens = TOKEN.findall(text)
    if TRIGGERS.isdisjoint(tokens) and not _RARER.search(text):
        return []
    found = []
    for place, token in enumerate(tokens):
        reader = _READERS.get(token)
        if reader is None and token.endswith(("n't", "n’t")):
            reader = _read_negation
        cue = reader(tokens, place) if reader is not None else None
        if cue is not None and cue.focus:
            found.append(replace(cue, place=place))
    return found


def _content(tokens: Sequence[str], start: int, most: int = _MOST_FOCUS, through: frozenset[str] = EMPTY) -> list[str]:
    """Stems of the content words from a place on, to the end of the clause; `through`: openers that do not end it."""
    found: list[str] = []
    for token in tokens[start:]:
        if token in _ENDS or (token in CLAUSE_OPENERS and token not in through and found):
            break
        if token not in FEW and token not in _STOPS and not token.endswith(("n't", "n’t")):
            found.append(stem(token))
            if len(found) == most:
                break
    return found


def _content_before(tokens: Sequence[str], end: int, most: int = 8) -> list[str]:
    """Stems of the content words before a place, back to the beginning of the clause, the nearest first."""
    found: list[str] = []
    for token in reversed(tokens[:end]):
        if token in _STOPS or token in CLAUSE_OPENERS or len(found) == most:
            break
        if token not in FEW:
            found.append(stem(token))
    return found


def _next(tokens: Sequence[str], place: int, ahead: int = 1) -> str:
    """The token `ahead` places on, "" past the end."""
    return tokens[place + ahead] if 0 <= place + ahead < len(tokens) else ""


def _read_negation(tokens: Sequence[str], place: int) -> Cue | None:
    """not, n't, never, cannot, hardly: the predicate that follows, and what one does not believe."""
    after, before = _next(tokens, place), _next(tokens, place, -1)
    if after in ("only", "just", "least", "long", "merely", "surprisingly") or before in ("or", "why", "if"):
        return None
    if (after == "the" and _next(tokens, place, 2) == "only") or (tokens[place], after) in listed.URGES:
        return None
    if tokens[place] == "without" and before in ("", "."):
        focus = [*_content(tokens, place + 1), *_dependent(tokens, place)]
        return Cue("condition", "without", tuple(focus), head=False)
    focus = _content(tokens, place + 1, through=_THAT)
    if after == "to" and not _RANKS.isdisjoint(tokens[max(place - 4, 0) : place]):
        focus = [*_RANKS.intersection(tokens[max(place - 4, 0) : place]), *focus]  # the first not to do it
    if after in QUANTIFIERS and tokens[place] in ("hardly", "scarcely", "barely") and not place:
        return _read_subject(tokens, place)
    if after in QUANTIFIERS or (focus and focus[0] in listed.ATTITUDES):
        return Cue("negation", tokens[place], tuple(focus), head=False)
    return Cue("negation", tokens[place], tuple(focus))


def _read_yet(tokens: Sequence[str], place: int) -> Cue | None:
    """yet to: the predicate that follows."""
    return Cue("negation", "yet to", tuple(_content(tokens, place + 2))) if _next(tokens, place) == "to" else None


def _read_no(tokens: Sequence[str], place: int) -> Cue | None:
    """no: the noun that follows, and what "no evidence that" is about."""
    after = _next(tokens, place)
    if after == "." or after[:1].isdigit() or after in _NO_DENIAL:
        return None
    if after in ("longer", "more"):
        return Cue("negation", "no " + after, tuple(_content(tokens, place + 2)))
    focus = _content(tokens, place + 1, 6, through=_THAT)
    carried = bool(focus) and focus[0] in CARRIERS
    return Cue("negation", "no", tuple(focus[carried:]), head=not carried)


def _read_subject(tokens: Sequence[str], place: int) -> Cue | None:
    """neither … nor, none, nobody, nothing: the predicate, or two words of the clause; "blames neither": the verb."""
    focus = _content(tokens, place + 1, 7)
    before = _next(tokens, place, -1)
    if _next(tokens, place) == "other":
        return None  # "none other than"
    if before and before not in _STOPS and before not in FEW and before not in CLAUSE_OPENERS:
        return Cue("negation", tokens[place], (stem(before), *focus), need=2)
    verb = next((i for i in range(place + 1, min(place + 14, len(tokens))) if tokens[i] in AUXILIARIES), None)
    predicate = _content(tokens, verb + 1, 1) if verb is not None else []
    if predicate and predicate[0] in focus:
        return Cue("negation", tokens[place], (predicate[0], *(word for word in focus if word != predicate[0])), need=2)
    return Cue("negation", tokens[place], tuple(focus), head=False, need=2)


def _read_few(tokens: Sequence[str], place: int) -> Cue | None:
    """few, but not "a few": subject and predicate together."""
    return None if _next(tokens, place, -1) not in ("", ".", ",", "very", "that") else _read_subject(tokens, place)


def _read_exception(tokens: Sequence[str], place: int) -> Cue | None:
    """except, excluding, other than: what all others do, before the word or after its clause."""
    word, after = tokens[place], _next(tokens, place)
    if word in _EXCEPTING_PAIRS and (_EXCEPTING_PAIRS[word] not in ("", after) or not _is_universal(tokens, place)):
        return None
    start = place - 2 if word == "exception" else place  # with the exception of
    inserted = start <= 0 or _next(tokens, start, -1) in (",", ".")
    before = _content_before(tokens, max(start - inserted, 0))
    focus = before + _content(tokens, place + 1, 6)
    if 0 < len(before) < 3 and inserted and start > 2:  # "…, while we are away, except": what stands before the "while"
        opener = next((i for i in range(start - 2, 0, -1) if tokens[i] in CLAUSE_OPENERS), 0)
        focus += _content_before(tokens, opener, 6)
    if inserted and "," in tokens[place:]:
        focus += _content(tokens, tokens.index(",", place) + 1, 12)
    return Cue("exception", word, tuple(focus), head=False)


def _is_universal(tokens: Sequence[str], place: int) -> bool:
    """Whether "all", "every" or the like stands before a place in its clause, or after a place near the beginning."""
    if tokens[place] == "exception" or (tokens[place] in ("apart", "other") and tokens[place - 1 : place] == [","]):
        return True  # who makes an exception speaks of all
    if tokens[place - 1 : place] == ["none"]:
        return False  # "none other than"
    late = place > 2 or tokens[place] == "besides"
    return not UNIVERSAL.isdisjoint(tokens[max(place - 12, 0) : place] if late else tokens[:24])


def _read_but(tokens: Sequence[str], place: int) -> Cue | None:
    """all … but, but for: what the rest does, what would be otherwise."""
    before = _next(tokens, place, -1)
    if not place and _next(tokens, place) == "for" and "," in tokens:
        return Cue("exception", "but for", tuple(_content(tokens, tokens.index(",") + 1, 8)), head=False)
    if before in _STOPS or not before:
        return None
    if _next(tokens, place) == "for":
        return Cue("exception", "but for", tuple(_content_before(tokens, place)), head=False)
    back = next((i for i in range(place - 1, max(place - 9, -1), -1) if tokens[i] in UNIVERSAL | _STOPS), -1)
    if back < 0 or tokens[back] in _STOPS:
        return None
    focus = (*_content_before(tokens, place), *_content(tokens, place, 6))
    return Cue("exception", f"{tokens[back]} but", focus, head=False)


def _read_save(tokens: Sequence[str], place: int) -> Cue | None:
    """every … save, every … bar, throughout … save for: what the rest does. Others save for their old age."""
    paired = _next(tokens, place) == "for"
    if paired and not place and "," in tokens:
        return _read_exception(tokens, place)
    whole = UNIVERSAL | listed.THROUGHOUT if paired else UNIVERSAL
    spared = not whole.isdisjoint(tokens[max(place - (12 if paired else 6), 0) : place])
    noun = tokens[place] == "bar" and tokens[place - 1] in FEW | UNIVERSAL  # "every bar", "the bar"
    return _read_exception(tokens, place) if spared and not noun and tokens[place - 1] not in listed.SAVERS else None


def _read_condition(tokens: Sequence[str], place: int) -> Cue | None:
    """unless, if, provided: the condition itself and what depends on it."""
    word, before = tokens[place], stem(_next(tokens, place, -1))
    if word == "if" and (before in listed.ASKING - {"only"} or _next(tokens, place) in _NO_CONDITION):
        return None
    if word == "provided" and _next(tokens, place) != "that" and before != "," and not _is_promised(tokens, place):
        return None
    if not _is_condition(tokens, place):
        return None
    if word in ("event", "case"):
        place -= 1 + (before == "the")
    dependent = _dependent(tokens, place)
    focus = (*_content(tokens, place + 1), *dependent)
    return Cue("condition", word, focus, head=False, need=1 if len(dependent) == 1 else 2)


def _is_condition(tokens: Sequence[str], place: int) -> bool:
    """Whether a word that is seldom a condition is one here: "Had he", "on condition that", "in the event of"."""
    word, before, after = tokens[place], _next(tokens, place, -1), _next(tokens, place)
    if word in ("had", "should", "barring"):
        return before in ("", ".") and "," in tokens
    if word == "once":
        return before not in ("at", "was", "were") and not _ONCE.isdisjoint(tokens[place + 2 : place + 7])
    if word == "condition":
        return before == "on" and after in ("that", "of")
    if word in ("event", "case"):
        return after == "of" and "in" in tokens[max(place - 2, 0) : place] and (word == "event" or before == "in")
    return word != "long" or (before == "as" and after == "as")


def _is_promised(tokens: Sequence[str], place: int) -> bool:
    """Whether what stands before "provided the …" is what somebody will do, so that it is a condition."""
    return _next(tokens, place) in listed.REPORTED and not listed.PROMISING.isdisjoint(
        tokens[max(place - 12, 0) : place]
    )


def _dependent(tokens: Sequence[str], place: int) -> list[str]:
    """The main clause of a condition: before it, or after the comma that ends it."""
    end = place - (_next(tokens, place, -1) in (",", "as", "on"))
    before = _content_before(tokens, end, 6)
    opener = next((i for i in range(end - 1, 0, -1) if tokens[i] in CLAUSE_OPENERS | _STOPS), 0)
    if 0 < len(before) < 4 and tokens[opener] in _SINCE:  # "after six months": no clause of its own
        before += _content_before(tokens, opener, 4)
    after = place + tokens[place:].index(",") + 1 if "," in tokens[place:] else len(tokens)
    return before or _content(tokens, after, 6)


def _read_until(tokens: Sequence[str], place: int) -> Cue | None:
    """until: what is waited for; where the lead begins with it, also what holds till then."""
    if not listed.MONTHS.isdisjoint(tokens[place + 1 : place + 3]):
        return None  # a date says how long, and may be left out
    focus = _content(tokens, place + 1, 4) + (_dependent(tokens, place) if not place else [])
    return Cue("condition", "until", tuple(focus), head=False)


def _read_hedge(tokens: Sequence[str], place: int) -> Cue | None:
    """may, suspected, alleged, expected to: the predicate that follows."""
    word, after, before = tokens[place], _next(tokens, place), _next(tokens, place, -1)
    if (word in BEFORE_TO and after not in ("to", "by")) or after in ("not", "n't", "never"):
        return None
    if word == "said" and before not in BE:
        return None
    if word == "likely" and before in ("more", "less"):
        return None
    if word == "may" and (after[:1].isdigit() or before[:1].isdigit() or before in _BEFORE_MAY):
        return None
    if word == "accused" and after not in ("of", "by"):
        if "of" not in tokens[place : place + 12]:
            return None
        place = tokens.index("of", place)
    focus = _content(tokens, place + 1, 4)
    return Cue("hedging", word, tuple(focus), head=focus[:1] != ["plan"])


def _read_attribution(tokens: Sequence[str], place: int) -> Cue | None:
    """claims, suspects, believes, unconfirmed, prosecutors say: what somebody says and nobody vouches for."""
    word = tokens[place]
    if word in ("prosecutors", "prosecutor"):
        if _next(tokens, place) not in ("say", "says", "said", "allege", "alleged"):
            return None
        return Cue("attribution", word, tuple(_content(tokens, place + 2, 6, through=_THAT)), head=False)
    if word == "unconfirmed":
        stop = next((i for i in range(place, len(tokens)) if tokens[i] in (",", "that")), place)
        return Cue("attribution", word, tuple(_content(tokens, stop + 1, 6)), head=False)
    if _next(tokens, place) not in listed.REPORTED or _next(tokens, place, -1) in ("a", "an", "the", "no", "any"):
        return None
    if not _LIVES.isdisjoint(tokens[place : place + 4]):
        return None  # "claimed the lives of"
    return Cue("attribution", word, tuple(_content(tokens, place + 1, 10, through=_WHO)), head=False)


def _read_suspect(tokens: Sequence[str], place: int) -> Cue | None:
    """suspect, as a verb: what somebody holds for possible."""
    return replace(cue, kind="hedging") if (cue := _read_attribution(tokens, place)) else None


def _read_only(tokens: Sequence[str], place: int) -> Cue | None:
    """only, as an adverb: the words that follow."""
    before = _next(tokens, place, -1)
    if before in listed.OWNERS or before.endswith(("'s", "’s")) or _next(tokens, place) == "to":
        return None
    return Cue("restriction", "only", tuple(_content(tokens, place + 1, 3)), head=False)


def _read_bound(tokens: Sequence[str], place: int) -> Cue | None:
    """fewer than, less than, at most, up to: the number that follows."""
    pair = (tokens[place], _next(tokens, place))
    if pair not in _BOUNDS:
        return None
    focus = _content(tokens, place + (3 if pair[0] == "as" else 2), 1)
    if pair[0] in ("up", "as") and not (focus and focus[0][0].isdigit()):
        return None
    return Cue("restriction", " ".join(pair), tuple(focus))


def _read_carrying(tokens: Sequence[str], place: int) -> Cue | None:
    """reject, drop, fail to, deny: what is rejected, dropped, not done, denied."""
    word, after, before = tokens[place], _next(tokens, place), _next(tokens, place, -1)
    noun = before in _BEFORE_NOUNS and after not in ("on", "of", "to") and (word in listed.NOUNS or word.endswith("ed"))
    if noun or (word == "ban" and after in BE) or (word == "dropped" and "new" in tokens[place + 1 : place + 3]):
        return None  # a noun, or as an adjective: "an abandoned car"
    if any(stem(token) in listed.UNDOING for token in tokens[max(place - 4, 0) : place]):
        return None
    wanted = listed.REFUSING[word]
    if word in ("fail", "fails", "failed", "hold") and after != "to":  # "the appeal fails", "put on hold"
        told = before not in FEW and before not in _STOPS if word != "hold" else before == "on"
        return Cue("carrying", word, tuple(_content_before(tokens, place, 4)), head=False) if told else None
    if before in BE and not (wanted and after in wanted):
        return Cue("carrying", word, tuple(_content_before(tokens, place, 5)), head=False)
    if wanted and after not in wanted and not (after.endswith("ing") and "a" in wanted):
        return None
    focus = tuple(_content(tokens, place + 1, 4, through=_THAT))
    return Cue("carrying", word, focus, head="to" in wanted or not wanted, need=0 if wanted else 2)


def _read_particle(tokens: Sequence[str], place: int) -> Cue | None:
    """rule out, call off, strike down: what is ruled out."""
    after, before = _next(tokens, place), _next(tokens, place, -1)
    if after not in PARTICLES[tokens[place]] or before in ("a", "an", "the"):
        return _read_carrying(tokens, place) if tokens[place] in listed.REFUSING else None
    return Cue("carrying", f"{tokens[place]} {after}", tuple(_content(tokens, place + 2, through=_THAT)), head=False)


def _read_defeat(tokens: Sequence[str], place: int) -> Cue | None:
    """lose an appeal, defeat a motion: what is lost, where it is no match."""
    focus = _content(tokens, place + 1, 5, through=_THAT)
    return Cue("carrying", tokens[place], tuple(focus), head=False) if focus and focus[0] in listed.DECIDED else None


_READERS: dict[str, Callable[[Sequence[str], int], Cue | None]] = {
    **dict.fromkeys(listed.REFUSING, _read_carrying),
    **dict.fromkeys(PARTICLES, _read_particle),
    **dict.fromkeys(["lost", "loses", "lose", "losing", "defeated", "defeats", "defeat"], _read_defeat),
    **dict.fromkeys(HEDGES | BEFORE_TO, _read_hedge),
    **dict.fromkeys(ATTRIBUTIONS, _read_attribution),
    **dict.fromkeys(["suspect", "suspects"], _read_suspect),
    **dict.fromkeys(NEGATIONS, _read_negation),
    **dict.fromkeys(["neither", "none", "nobody", "nothing"], _read_subject),
    **dict.fromkeys(["except", "excluding", "excepting", *_EXCEPTING_PAIRS], _read_exception),
    **dict.fromkeys(
        word_set("unless if provided assuming once had long should barring event case condition"), _read_condition
    ),
    **dict.fromkeys(["fewer", "less", "at", "up", "as"], _read_bound),
    "few": _read_few,
    "no": _read_no,
    "yet": _read_yet,
    "but": _read_but,
    "save": _read_save,
    "bar": _read_save,
    "until": _read_until,
    "only": _read_only,
}
