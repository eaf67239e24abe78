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
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from hedline.text.polarity_cues import TOKEN, Cue, polarity_cues, stem
from hedline.text.polarity_words import ADDED, ARRANGEMENTS, DENIAL, DENYING, EQUIVALENTS, FEW, NEGATIVE_PAIRS

POLARITY_NAMES = ("<pol:kept>", "<pol:lost>", "<pol:any>")
quotation_marks = frozenset(["``", "''", '"', "“", "”", "„", "«", "»", "`", "‘", "’", "'"])
_LOCAL = DENIAL | {
    "only",
    "except",
    "but",
    "without",
    "less",
    "fewer",
    "just",
    "under",
    "below",
}  # what belongs to one clause
_MODALS = frozenset(["may", "might", "could", "would", "?"])
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
    tokens = TOKEN.findall(headline.lower())
    lost, kept = [], []
    if cues:
        stems = [stem(token) for token in tokens]
        known = frozenset([*stems, *(stem(part) for token in tokens if "-" in token for part in token.split("-"))])
        told = [stem(token) for token in TOKEN.findall(lead.lower())]
        old = frozenset(told)
        belongs = owners(stems, told)
        new = frozenset(form for pair in zip(tokens, stems, strict=True) if pair[1] not in old for form in pair)
        for cue in cues:
            said = _said(cue, known)
            if said and has_equivalent(cue, tokens, stems, new, belongs):
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


def owners(stems: Sequence[str], told: Sequence[str]) -> dict[str, int]:
    """Where each negation of a headline comes from: the stem to its place among the lead's stems.

    Of several places, the one nearest to where the headline's next word stands is taken.
    """
    found: dict[str, int] = {}
    for place, word in enumerate(stems):
        if word in _LOCAL and word in told:
            after = next((told.index(each) for each in stems[place + 1 :] if each in told and each not in FEW), None)
            places = [i for i, each in enumerate(told) if each == word]
            found[word] = places[0] if after is None else min(places, key=lambda i: (i > after, abs(after - i)))
    return found


def has_equivalent(
    cue: Cue, tokens: Sequence[str], stems: Sequence[str], new: frozenset[str], belongs: Mapping[str, int] | None = None
) -> bool:
    """Whether a headline has the cue or what may stand for it.

    new: its words and stems that are not the lead's; belongs: where its negations come from, so that the "not" of
    another clause is not taken for this one.
    """
    certain, possible = EQUIVALENTS[cue.kind]
    spoken = {*tokens, *stems} - set(cue.focus)
    if belongs and cue.place >= 0 and cue.kind in ("negation", "carrying", "exception", "restriction"):
        spoken -= {word for word, place in belongs.items() if abs(place - cue.place) > _NEAR}
    if cue.word == "save" and "to" in tokens and " to save" in " ".join(tokens):
        spoken -= {"save", "sav"}  # another word altogether
    if cue.kind in ("intention", "report", "share"):  # a word of the lead may belong to something else
        certain = (certain & new) | (certain & _MODALS)
    if cue.word == "unless":  # "said he would not … unless": that "would" is no condition
        certain, possible = certain - {"would", "should"}, possible - {"without"}
    if not certain.isdisjoint(spoken) or not possible.isdisjoint(new) or stem(cue.word) in spoken:
        return True
    if " " in cue.word and cue.word in " ".join(tokens):
        return True
    if cue.kind in ("negation", "carrying"):
        return _is_negative(tokens, stems) or _is_prefixed(cue, stems)
    if (
        cue.word in ARRANGEMENTS
        and cue.focus
        and any("to" in near or "will" in near for near in _before(cue.focus[0], stems))
    ):
        return True
    return cue.kind in ("hedging", "condition", "attribution") and not _DOUBT_MARKS.isdisjoint(tokens)


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
