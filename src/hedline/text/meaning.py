"""Whether a headline keeps what its lead means: polarity words and quotations.

A cue is a word of a lead that turns a statement round, weakens it or bounds it, with the content words of the clause
that it governs: "not", "unless", "suspected", "only", "failed to" (polarity_cues.py finds them). A headline loses a cue
when it says the clause without the cue and without an equivalent of the cue's kind: "denies" for "did not", "cleared
of" for "not guilty", "may" for "if". A negation that only the headline has is an error too.

A quotation is what stands between a pair of double marks, or between single marks that open after a space and close
before one. A headline must quote word for word what one quotation of the lead says. Words and numbers are compared;
case, spaces and the punctuation at the ends do not count.

All of it is lists of words and counting, fast enough to label millions of training pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from weakref import ref

from hedline.text.polarity_cues import TOKEN, Cue, polarity_cues
from hedline.text.polarity_words import (
    ADDED,
    ARRANGEMENTS,
    BE,
    BORDERS,
    DENIAL,
    DENYING,
    EQUIVALENTS,
    FEW,
    IRREGULAR,
    NEGATIVE_PAIRS,
    UNIVERSAL,
    word_set,
)
from hedline.text.stems import stem
from hedline.text.tokenize import remembered

POLARITY_NAMES = ("<pol:kept>", "<pol:lost>", "<pol:any>")
quotation_marks = frozenset(["``", "''", '"', "“", "”", "„", "«", "»", "`", "‘", "’", "'"])
_LOCAL = DENIAL | word_set("only except but without less fewer just under below")  # what belongs to one clause
_MODALS = frozenset(["may", "might", "could", "would", "?"])
_MOSTLY = word_set("most almost nearly both any anyone anything only always")
_NEAR = 2  # tokens between a negation and the cue it may stand for
_DOUBT_MARKS = frozenset('?"“‘')
_NEGATIVE_PREFIXES = frozenset(["un", "in", "im", "ir", "dis", "non", "non-", "mis"])
_QUOTED = re.compile(
    r"[\"“”„«]([^\"“”„«»]+)[\"“”»]"
    r"|``(.+?)''"
    r"|(?:(?<=\s)|^|(?<=[(\[—–:-]))['‘‚`](?=\S)(.+?)(?<=\S)['’](?=[\s.,;:!?)\]—–-]|$)"
)
_MARKS = re.compile(r"[\"“”„«»]|``|''")
_WORD = re.compile(r"[^\W_]+(?:['’.,:-][^\W_]+)*|[$€£%]")

STOPS = frozenset(',;:.!?()"“”–—-')
TOKEN_BYTES = 600  # that Words take for each token when everything was asked of them
LINKS = word_set("of by for in to from against at with near on over and or than as")
RELATIVES = word_set("that who which")
_AUXILIARIES = BE | word_set(
    "has have had will would to may might could can cannot should did does do must not never also"
)
CHANGES = word_set("fix fixes fixed refactor remove update use make allow support improve bump rename")
ARTICLES = word_set("the a an its his her their")
HELPING = word_set("is are was were has have had will would can could did does do may might must should")
TO_BE = word_set("is are was were be been being")
SAYING = word_set("say says said claim claims alleged accus warn tell insist report accord believ think deny")
SPEAKING = word_set("say says said claim claims claimed told wrote writes write added adds insist insists insisted")
SPOKEN = word_set(
    """say tell claim report show suggest accord warn announc add deny insist argu believ find call think estimat
    ask reveal writ admit accus describ stat rul study survey poll confirm blam testify urg prais criticis
    criticiz promis vow explain hear statement read"""
) | {"according"}


@dataclass(frozen=True)
class Words:
    """A text's tokens: as written, in small letters and as stems."""

    raw: tuple[str, ...]

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """In small letters."""
        return tuple(token.lower() for token in self.raw)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """What the forms of each share (`stems.stem`)."""
        return tuple(map(stem, self.lower))

    @cached_property
    def known(self) -> frozenset[str]:
        """All stems."""
        return frozenset(self.stems)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where the stem of each content word stands."""
        found: dict[str, list[int]] = {}
        for place, (token, each) in enumerate(zip(self.lower, self.stems, strict=True)):
            if token not in FEW and token not in STOPS:
                found.setdefault(each, []).append(place)
        return found

    @cached_property
    def verbs(self) -> tuple[bool, ...]:
        """Which tokens look like verbs; every rule asks for it, of every candidate."""
        return tuple(_looks_like_verb(self, place) for place in range(len(self.raw)))

    def __len__(self) -> int:
        return len(self.raw)


@remembered(most=1 << 23, weigh=lambda words: TOKEN_BYTES * len(words))
def read_words(text: str) -> Words:
    """A text as tokens; leads are asked for again with every candidate."""
    return Words(tuple(TOKEN.findall(text)))


def laid_on(headline: Words, lead: Words) -> Sequence[int]:
    """For each token of a headline its place in the lead, -1 for words that say little and for new ones.

    Of several places, the next one after the word before is taken, or else the nearest. Every rule asks for it, so a
    headline keeps the answer for the last lead; not the lead itself, which may be long.
    """
    kept: tuple[ref[Words], list[int]] | None = headline.__dict__.get("laid")
    if kept and kept[0]() is lead:
        return kept[1]
    found, last = [-1] * len(headline), -1
    for i, (token, each) in enumerate(zip(headline.lower, headline.stems, strict=True)):
        if token not in FEW and (places := lead.places.get(each)):
            found[i] = last = min(places, key=lambda place: (place <= last, abs(place - last)))
    headline.__dict__["laid"] = ref(lead), found
    return found


def is_one_place(told: Words, word: str) -> bool:
    """Whether a stem stands in the lead once, so that there is no doubt where a headline has it from."""
    return len(told.places.get(word, ())) == 1


def neighbours(said: Words, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Places of two content words of a headline with nothing but words that say little between them."""
    last = -1
    for place, token in enumerate(said.lower):
        if token in STOPS:
            last = -1
        elif token not in FEW:
            if last >= 0:
                yield last, place
            last = place


def joined(said: Words, told: Words, places: Sequence[int]) -> Sequence[tuple[int, int]]:
    """Neighbours of a headline that the lead has too, and that no border parts which the lead has there as well.

    "year before collapse" is joined where the lead has "the year before because prices collapsed".
    """
    kept: tuple[ref[Words], list[tuple[int, int]]] | None = said.__dict__.get("joined")
    if not kept or kept[0]() is not told:
        kept = ref(told), list(_find_joined(said, told, places))
        said.__dict__["joined"] = kept
    return kept[1]


def _find_joined(said: Words, told: Words, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    for left, right in neighbours(said, places):
        here, there = places[left], places[right]
        if min(here, there) < 0:
            continue
        parting = BORDERS.intersection(said.lower[left + 1 : right])
        gap = told.lower[here + 1 : there]
        last = next((token for token in reversed(gap) if token in BORDERS), "")
        if not parting or (last not in parting and parting.intersection(gap)):
            yield left, right


def has_verb(text: str) -> bool:
    """Whether any word of a text looks like a verb, so that it states something."""
    told = read_words(text)
    return any(may_be_verb(told, i) or told.lower[i] in _AUXILIARIES - {"to", "not", "also"} for i in range(len(told)))


def is_verb(told: Words, place: int) -> bool:
    """Whether a token of the lead looks like a verb: its form, or what stands before it."""
    return told.verbs[place]


def _looks_like_verb(told: Words, place: int) -> bool:
    token = told.lower[place]
    if token in FEW or token in ("dead", "death", "deaths") or not told.raw[place].islower():
        return False
    before = told.lower[place - 1] if place else ""
    present = token.endswith("s") and before in RELATIVES
    past = token.endswith("ed") and len(token) > 4 and "-" not in token  # "value-added" is none
    return past or token in IRREGULAR or before in _AUXILIARIES or present


def is_finite(told: Words, place: int) -> bool:
    """Whether a token of the lead is a verb that a clause may stand on."""
    token, after = told.lower[place], told.lower[place + 1 : place + 2]
    if token in HELPING or is_verb(told, place) or token in SPEAKING:
        return True
    return token.endswith("s") and bool(after) and after[0] in ARTICLES | {"to", "that"} and told.raw[place].islower()


def may_be_verb(told: Words, place: int) -> bool:
    """Whether a token looks like a verb, or like a noun in the plural before an object."""
    after = told.lower[place + 1 : place + 2]
    present = told.lower[place].endswith("s") and bool(after) and after[0] in ARTICLES | {"to", "that"}
    return present or is_verb(told, place) or told.stems[place] in SAYING


def lost_polarity(lead: str, headline: str) -> tuple[str, ...]:
    """The polarity words that a headline loses although it says their clause, and negations that it adds.

    >>> lost_polarity("Unless Congress acts by Friday, the government will shut down.", "Government to shut down")
    ('unless',)
    >>> lost_polarity("The mayor did not attend the meeting.", "Mayor skips meeting")
    ()
    """
    return judge_polarity(polarity_cues(lead), lead, headline)[0]


def polarity_control(lead: str, headline: str) -> str:
    """The control name of a training pair: whether its headline keeps the polarity of what it takes from the lead."""
    lost, kept = judge_polarity(polarity_cues(lead), lead, headline)
    return POLARITY_NAMES[1] if lost else POLARITY_NAMES[0] if kept else POLARITY_NAMES[2]


def judge_polarity(cues: Sequence[Cue], lead: str, headline: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(words lost or negations added, words kept) by a headline, for the cues of its lead."""
    tokens = [token if token == "May" else token.lower() for token in TOKEN.findall(headline)]  # a month is no doubt
    tokens[:1] = [token.lower() for token in tokens[:1]]
    lost, kept = [], []
    if cues:
        stems = [stem(token) for token in tokens]
        known = frozenset([*stems, *(stem(part) for token in tokens if "-" in token for part in token.split("-"))])
        told = [stem(token) for token in TOKEN.findall(lead.lower())]
        old = frozenset(told)
        clear = known - {word for word, count in Counter(told).items() if count > 1}  # one of them may be elsewhere
        names = {stem(token.lower()) for token in TOKEN.findall(lead)[1:] if token[0].isupper()}  # say no clause
        belongs = owners(stems, told)
        new = frozenset(form for pair in zip(tokens, stems, strict=True) if pair[1] not in old for form in pair)
        for cue in cues:
            said = _said(cue, clear - names if cue.kind == "condition" else clear)
            bare = "but" if cue.word.endswith(" but") else "except"
            if cue.kind == "exception" and bare in tokens and UNIVERSAL & old and not (UNIVERSAL | _MOSTLY) & known:
                lost.append(cue.word)  # "state except Malta" for "every state except Malta"
            elif said and has_equivalent(cue, tokens, stems, new, belongs):
                kept.append(cue.word)
            elif said > 1:
                lost.append(cue.word)
    return (*lost, *_added(tokens, lead)), tuple(kept)


def _said(cue: Cue, known: frozenset[str]) -> int:
    """How far a headline says the clause of a cue: 0 not at all, 1 some word of it, 2 the clause."""
    shared = sum(word in known for word in set(cue.focus))
    if not shared:
        return 0
    if cue.head and cue.focus[0] in known:
        return 2
    need = cue.need or (len(cue.focus) + 1 if cue.head else 2)
    return 2 if shared >= min(need, len(cue.focus) + cue.head) else 1


def owners(stems: Sequence[str], told: Sequence[str]) -> dict[str, list[int]]:
    """Where the negations of a headline come from: the stem to its places among the lead's stems.

    Of several places, the one nearest to where the headline's next word stands is taken.
    """
    found: dict[str, list[int]] = {}
    for place, word in enumerate(stems):
        if word in _LOCAL and word in told:
            after = next((told.index(each) for each in stems[place + 1 :] if each in told and each not in FEW), None)
            places = [i for i, each in enumerate(told) if each == word]
            nearest = places[0] if after is None else min(places, key=lambda i: (i > after, abs(after - i)))
            found.setdefault(word, []).append(nearest)
    return found


def has_equivalent(
    cue: Cue,
    tokens: Sequence[str],
    stems: Sequence[str],
    new: frozenset[str],
    belongs: Mapping[str, Sequence[int]] | None = None,
) -> bool:
    """Whether a headline has the cue or what may stand for it.

    new: its words and stems that are not the lead's; belongs: where its negations come from, so that the "not" of
    another clause is not taken for this one.
    """
    certain, possible = EQUIVALENTS[cue.kind]
    spoken = {*tokens, *stems} - set(cue.focus)
    if belongs and cue.place >= 0 and cue.kind in ("negation", "carrying", "exception", "restriction"):
        spoken -= {word for word, places in belongs.items() if all(abs(i - cue.place) > _NEAR for i in places)}
    if cue.word == "save" and (" to save" in " ".join(tokens) or tokens[-1] == "save"):
        spoken -= {"save", "sav"}  # another word altogether, or without what is excepted
    if cue.kind == "report":  # a word of the lead may belong to something else
        certain = (certain & new) | (certain & _MODALS)
    if cue.word == "unless":  # "said he would not … unless": that "would" is no condition
        negative = not DENIAL.isdisjoint(spoken) or _is_negative(tokens, stems)
        certain, possible = certain - {"would", "should", "" if negative else "if"}, possible - {"without"}
    if "should" not in new:  # the lead's own "should" is an advice
        certain -= {"should"}
    if cue.word in ("provided", "long", "condition"):  # "may" is the permission itself
        certain -= {"may"}
    if not certain.isdisjoint(spoken) or not possible.isdisjoint(new) or stem(cue.word) in spoken:
        return True
    if " " in cue.word and cue.word in " ".join(tokens):
        return True
    if cue.kind in ("negation", "carrying"):
        return _is_negative(tokens, stems) or _is_prefixed(cue, stems)
    near = [word for words in _before(cue.focus[0], stems) for word in words] if cue.focus else []
    if cue.word in ARRANGEMENTS and ("to" in near or "will" in near):
        return True
    quoted = ":" in tokens[-4:] or not _DOUBT_MARKS.isdisjoint(tokens)
    return cue.kind in ("hedging", "attribution") and quoted


def _before(word: str, stems: Sequence[str]) -> list[Sequence[str]]:
    """The two words before each place of a word."""
    return [stems[max(place - 2, 0) : place] for place, each in enumerate(stems) if each == word]


def _is_negative(tokens: Sequence[str], stems: Sequence[str]) -> bool:
    """Whether any word or pair of words denies something."""
    if any(token.endswith(("n't", "n’t", "less")) and token != "unless" for token in tokens):
        return True
    return any(pair in NEGATIVE_PAIRS for pair in zip(stems, tokens[1:], strict=False))


def _is_prefixed(cue: Cue, stems: Sequence[str]) -> bool:
    """Whether a headline negates the clause in its word: "unhappy" for "not happy"."""
    head = cue.focus[0] if cue.focus else " "
    return any(word.endswith(head) and word[: -len(head)] in _NEGATIVE_PREFIXES for word in stems if word)


def _added(tokens: Sequence[str], lead: str) -> tuple[str, ...]:
    """Negations of a headline whose lead denies nothing at all."""
    added = [
        token
        for token, after in zip_longest(tokens, tokens[1:], fillvalue="")
        if (token in ADDED and not (token == "no" and (after == "." or after[:1].isdigit())))
        or token.endswith(("n't", "n’t"))
    ]
    if not added:
        return ()
    words = TOKEN.findall(lead.lower())
    stems = [stem(word) for word in words]
    denies = not DENYING.isdisjoint(words) or not DENYING.isdisjoint(stems) or _is_negative(words, stems)
    plain = any(word in ADDED or word.endswith(("n't", "n’t", "less")) for word in words)
    twice = (DENYING - ADDED) & set(stems) & {stem(token) for token in tokens}
    if denies and not plain and twice:
        return tuple(added)  # "avoid contact" is no "avoid it, not contact"
    return () if denies or any(word.startswith(("un", "non")) for word in words) else tuple(added)


def quotations(text: str) -> list[str]:
    """What a text quotes, without the marks.

    >>> quotations('Holm: "This is no rescue", says the bank\\'s rival')
    ['This is no rescue']
    """
    return [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]


def altered_quotations(headline: str, lead: str) -> list[str]:
    """Quotations of a headline that do not stand word for word inside one quotation of the lead.

    >>> lead = 'The plan is "not a tax cut for the rich", she said.'
    >>> altered_quotations("Plan 'not a tax cut', she says", lead), altered_quotations('It "is a tax cut"', lead)
    ([], ['is a tax cut'])
    """
    quoted = quotations(headline)
    if not quoted and not _unpaired(headline):
        return []
    spoken = [f" {_words(each)} " for each in [*quotations(lead), *_unclosed(lead)]]
    wrong = [each for each in quoted if not any(f" {_words(each)} " in whole for whole in spoken)]
    return wrong or ([_unpaired(headline)] if not quoted and _unpaired(headline) else [])


def without_marks(headline: str) -> str:
    """A headline without any quotation mark: its words stay, as the writer's own.

    >>> without_marks("Holm: 'It is no rescue' of the banks' owners")
    "Holm: It is no rescue of the banks' owners"
    """
    unpaired = _MARKS.sub("", _QUOTED.sub(lambda match: next(filter(None, match.groups())), headline))
    return " ".join(unpaired.split())


def tidy_marks(headline: str) -> str:
    """A headline whose opening quotation marks stand at their words: no `says " nobody`."""
    return _LOOSE.sub(r"\1", headline) if '" ' in headline and headline.count('"') == 2 else headline


_LOOSE = re.compile(r'((?:^|\s)") (?=[^"]+")')


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower().replace("’", "'")))


def _unpaired(headline: str) -> str:
    """A double mark that opens and never closes, with what follows it."""
    match = re.search(r"[\"“„«]([^\"“”„«»]*)$", headline)
    return match.group(1) if match and len(re.findall(r"[\"“”„«»]", headline)) % 2 else ""


def _unclosed(lead: str) -> list[str]:
    """What follows an opening mark that the lead never closes: a lead may be cut inside a quotation."""
    match = re.search(r"[\"“„«]([^\"“”„«»]*)$", lead)
    return [match.group(1)] if match and match.group(1) else []
