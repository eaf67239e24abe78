"""Mending a candidate that is wrong in a word or two: a name without support goes, a lost doubt comes back.

A headline that says "fires 40 workers" where the lead has "reportedly fired" needs no other headline, only its word.
What was mended is judged like every candidate.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from hedline.decoding.own_words import TITLES, bare
from hedline.decoding.summary import Candidate, Hypothesis
from hedline.text.casing import with_capital
from hedline.text.meaning import ARTICLES, SPEAKING, TO_BE, Words, laid_on, quotation_marks, read_words, without_marks
from hedline.text.polarity_cues import TOKEN
from hedline.text.polarity_words import DENIAL, UNVOUCHED, word_set
from hedline.text.tokenize import FUNCTION_WORDS

_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")
_WHERE = frozenset(["in", "at", "near", "across"])
_ENOUGH = 5  # words that are more than a crumb
_CAPITAL = re.compile(r"[\"“'‘(]*[^\W\d_a-z]")
# Words that stand right before what they doubt or bound, as the faults of a headline name them, with all their tokens.
_PUT_BACK = {word: (word,) for word in word_set(
    """reportedly allegedly apparently supposedly purportedly possibly potentially seemingly presumably probably
    suspected alleged presumed almost nearly"""
)} | {
    "up to": ("up", "to"), "as much": ("as", "much", "as"), "as many": ("as", "many", "as"),
    "fewer than": ("fewer", "than"), "less than": ("less", "than"), "at most": ("at", "most"),
}  # fmt: skip


_WANTING = {"out": "of", "away": "from", "off": "of", "free": "of", "ahead": "of"}  # particle and what it often wants
_SCALES = frozenset(["million", "billion", "trillion"])
_CURRENCIES = word_set("dollars euros pounds yen yuan rupees francs pesos rubles roubles crowns kronor won lira")
_SIGNS = re.compile(r"[$€£¥]")
_MORE_THAN = re.compile(
    r"\b(?:in|for) more than ((?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
    r" (?:years?|months?|weeks?|decades?|century|centuries|generations?|days?|hours?))\b"
)
_LONGEST_PHRASE = 5  # words
_CLOSING = frozenset(".,;:!?") | word_set(
    "on after before when while as and but because since with in at for by to amid"
)
_OPENING = word_set("if unless except excluding but because without than")  # what follows them may turn the rest
_BETWEEN = ARTICLES | TO_BE | {"has", "have", "had"}  # what may stand between such a word and its own


def with_doubts(candidate: Candidate, lead: str, faults: Collection[str]) -> Candidate:
    """A candidate with the words of doubt that it lost, where the lead has them right before a word it takes.

    faults: what stands against it; a witness among them is named at the end ("…, lawyer says").
    """
    told = read_words(lead)
    if candidate.text.lower().startswith("how to"):
        return candidate  # advice is not in doubt
    for fault in faults:
        if fault in _PUT_BACK:
            candidate = _with_word(candidate, told, _PUT_BACK[fault])
        elif fault in UNVOUCHED and candidate.text.count(",") in (0, 2) and fault in told.lower:  # two are an aside's
            after = told.lower[told.lower.index(fault) + 1 :][:1]
            says = "say" if fault.endswith("s") and fault != "witness" else "says"
            told_by = bool(after) and after[0] in SPEAKING | {"reported"}
            if told_by or "according" in told.lower:
                whole = candidate.read()
                candidate = whole.adding(len(whole.tokens), (",", fault, says), f", {fault} {says}")
    return candidate


def trimmed(candidate: Candidate, unfinished: frozenset[str]) -> Candidate:
    """A candidate without the preposition or article that it breaks off with; as it is where little would be left."""
    parts = candidate.text.split()
    last = len(parts)
    while last and parts[last - 1] in unfinished - DENIAL - _OPENING:
        last -= 1
    if last == len(parts) or last < _ENOUGH or parts[last - 1] in unfinished:
        return candidate
    whole = candidate.read()
    rows = [row for row, place in enumerate(_places(whole)) if place < last]
    return whole.taking(rows, " ".join(parts[:last]))


def mended(candidate: Candidate, lead: str) -> Candidate:
    """A candidate with the rest of a phrase that it breaks off, or with a word of the lead that it lost inside."""
    for mend in (completed, with_forms, with_participle, with_bound):
        candidate = mend(candidate, lead)
    return candidate


def completed(candidate: Candidate, lead: str) -> Candidate:
    """A candidate that ends in the middle of a phrase, with the rest of it as the lead has it.

    "Leeds move out" of the relegation zone, "sold for 9 million" dollars, "forced 7,000" from their homes.
    """
    last = candidate.text.rpartition(" ")[2]
    if last not in _WANTING and last not in _SCALES and not last[-1:].isdecimal():
        return candidate
    said, told = read_words(candidate.text), read_words(lead)
    place = _end_of(said, told)
    if place is None:
        return candidate
    following = told.lower[place + 1]
    if following in _CURRENCIES and not _SIGNS.search(candidate.text):
        rest = told.raw[place + 1 : place + 2]
    elif following == _WANTING.get(last) or (
        following == "from" and last[-1].isdecimal() and "force" in candidate.text
    ):
        rest = told.raw[place + 1 : place + 1 + _phrase(told, place + 2)]
    else:
        return candidate
    whole = candidate.read()
    return whole.adding(len(whole.tokens), tuple(rest), " " + " ".join(rest)) if rest else candidate


def _end_of(said: Words, told: Words) -> int | None:
    """Where in the lead a headline breaks off: the only place of its last number or last two words, not at the end."""
    last = said.lower[-1]
    if last[0].isdecimal():
        found = [i for i in range(len(told) - 1) if told.lower[i] == last]
    else:
        found = [i + 1 for i in range(len(told) - 2) if told.stems[i : i + 2] == said.stems[-2:]]
    return found[0] if len(found) == 1 else None


def _phrase(told: Words, start: int) -> int:
    """How many words from the one before `start` on are a preposition and its noun phrase; 0 where it is long."""
    end = start
    while end < len(told) and told.lower[end] not in FUNCTION_WORDS - ARTICLES and told.raw[end][0].isalnum():
        end += 1
    closed = end == len(told) or told.lower[end] in _CLOSING
    return end - start + 1 if closed and start < end <= start + _LONGEST_PHRASE else 0


def with_forms(candidate: Candidate, lead: str) -> Candidate:
    """A candidate whose clause after "that" has its verb as the lead has it: "an octopus that broods", not "brood"."""
    words = candidate.text.split()
    told = lead.split()
    for place, (one, two) in enumerate(pairwise(words)):
        if one in ("that", "which", "who") and place:
            known = {
                (left, right) for left, middle, right in zip(told, told[1:], told[2:], strict=False) if middle == one
            }
            wanted = [right for left, right in known if left == words[place - 1] and right == two + "s"]
            if wanted:
                whole = candidate.read()
                row = next(row for row, part in enumerate(_places(whole)) if part == place + 1)
                tokens = (*whole.tokens[:row], wanted[0], *whole.tokens[row + 1 :])
                text = " ".join([*words[: place + 1], wanted[0], *words[place + 2 :]])
                return replace(whole, text=text, tokens=tokens) if whole.tokens[row] == two else candidate
    return candidate


def with_participle(candidate: Candidate, lead: str) -> Candidate:
    """A candidate whose last words hang after a comma, with the participle that the lead has before them there.

    "Quake strikes Chile, tsunami warning": ", triggering a tsunami warning".
    """
    start = candidate.text.rfind(", ") + 2
    tail = candidate.text[start:]
    found = start > 2 and re.search(rf", (\w+ing) (?:an? |the |its |their )?{re.escape(tail)}\b", lead)
    if not found:
        return candidate
    whole, number = candidate.read(), candidate.text.count(" ", 0, start)
    row = next((row for row, part in enumerate(_places(whole)) if part >= number), len(whole.tokens))
    return whole.adding(row, (found[1],), found[1] + " ", start)


def with_bound(candidate: Candidate, lead: str) -> Candidate:
    """A candidate with the "more than" that it lost before "a year": "the first time in a year" says another thing."""
    bound = _MORE_THAN.search(lead)
    start = (candidate.text + " ").find(f" {bound[1]} ") + 1 if bound and "than" not in candidate.text else 0
    if not start or candidate.text[: start - 1].rpartition(" ")[2] not in ("in", "for"):
        return candidate
    whole, number = candidate.read(), candidate.text.count(" ", 0, start)
    row = next((row for row, part in enumerate(_places(whole)) if part >= number), len(whole.tokens))
    return whole.adding(row, ("more", "than"), "more than ", start)


def unquoted(hypothesis: Hypothesis) -> Hypothesis:
    """A candidate without quotation marks: tokens that are nothing else go, with their rows of the alignment."""
    text = without_marks(hypothesis.text)
    if len(hypothesis.tokens) == len(text.split()):
        return replace(hypothesis, text=text, tokens=tuple(text.split()))
    kept = [place for place, token in enumerate(hypothesis.tokens) if token not in quotation_marks]
    return hypothesis.taking(kept, text)


def _with_word(candidate: Candidate, told: Words, words: tuple[str, ...]) -> Candidate:
    """A candidate with some words of the lead before the word that follows them there; as it is without that word."""
    said = read_words(candidate.text)
    places = laid_on(said, told)
    for start in range(len(told) - len(words)):
        if told.lower[start : start + len(words)] != words:
            continue
        rest = range(start + len(words), min(start + len(words) + 3, len(told)))
        target = next((i for i in rest if told.lower[i] not in _BETWEEN), -1)
        if target in places and target >= 0:
            return _inserted(candidate.read(), places.index(target), " ".join(words), told.raw[target])
    return candidate


def _inserted(whole: Hypothesis, place: int, words: str, following: str) -> Hypothesis:
    """A candidate with words before its token at a place; following: what the lead has there."""
    start = [match.start() for match in TOKEN.finditer(whole.text)][place]
    while start and not whole.text[start - 1].isspace():
        start -= 1  # a mark or a currency belongs to the word
    number = whole.text.count(" ", 0, start)
    row = next((row for row, part in enumerate(_places(whole)) if part >= number), len(whole.tokens))
    if start:
        return whole.adding(row, tuple(words.split()), words + " ", start)
    kept = whole.text[0].lower() if following.islower() else whole.text[0]
    lower = whole.with_text(kept + whole.text[1:]).adding(0, tuple(words.split()), words + " ", 0)
    return lower.with_text(with_capital(lower.text))


def without_names(candidate: Candidate, lead: str, casing: Mapping[str, str] | None) -> Candidate:
    """A candidate without the names that its lead does not support, where what is left reads well; else as it is.

    A name can go before the name it belongs to ("Frank Lampard"), before a noun ("UK court" for "the court"), with its
    possessive ("Apple's phone"), as a label ("Africa: …") and at the end with its preposition ("in Mexico").
    casing: as in `unsupported_names`.
    """
    from hedline.metrics.support import is_known_name, is_title_case, unsupported_names

    names = unsupported_names(candidate.text, lead, casing)
    parts = candidate.text.split()
    if not names or is_title_case(parts) or not all(is_known_name(name, casing) for name in names):
        return candidate  # what looks like a name may be a verb
    dropped = _droppable(parts, {name.rstrip(".") for name in names}, lead)
    if not dropped or len(parts) - len(dropped) < _ENOUGH:
        return candidate
    whole = candidate.read()
    rows = [row for row, place in enumerate(_places(whole)) if place not in dropped]
    shorter = whole.taking(rows, " ".join(part for place, part in enumerate(parts) if place not in dropped))
    return shorter.with_text(with_capital(shorter.text))


def _droppable(parts: Sequence[str], names: set[str], lead: str) -> set[int]:
    """Places of names that can be left out, with the preposition before those at the end; none where one must stay."""
    bare = [_POSSESSIVE.sub("", part.rstrip(".")) for part in parts]
    label = parts[0].endswith(":")
    bare[0] = bare[0].removesuffix(":")
    dropped = {place for place, part in enumerate(bare) if part in names}
    if {bare[place] for place in dropped} != names:
        return set()  # one of them has a comma or a quotation mark, or is half of a compound
    end = len(parts)
    while end - 1 in dropped:
        end -= 1
    if end < len(parts):
        start = end - 2 if parts[end - 1 : end] == ["the"] else end - 1
        if start < 0 or parts[start] not in _WHERE:
            return set()
        dropped.update(range(start, end))
    around = zip(["", *parts], parts[:end], parts[1:], strict=False)
    inner = [three for three, part in zip(around, bare, strict=False) if part in names][label and 0 in dropped :]
    return dropped if all(_is_modifier(before, name, after, lead) for before, name, after in inner) else set()


def _is_modifier(before: str, name: str, after: str, lead: str) -> bool:
    """Whether a name between two words only says more of the one after it."""
    word, told = _possessor(after), [("", ""), *((part, _possessor(part)) for part in lead.split())]
    if word in FUNCTION_WORDS or before.lower() in ("a", "an") or all(each != word for _, each in told):
        return False
    if _POSSESSIVE.search(name):
        return not word.endswith("ing")
    if _begins_name(before) and before.lower() not in FUNCTION_WORDS:
        return False
    found = [(left, right) for left, right in pairwise(told) if right[1] == word]
    if after[0].isupper() and any(
        _CAPITAL.match(right) and (title in TITLES or not _begins_name(left)) for (left, title), (right, _) in found
    ):
        return True
    return not word.endswith(("s", "ed")) and any(article in ARTICLES for (_, article), _ in found)


def _begins_name(word: str) -> bool:
    """Whether the next word may belong to the same name."""
    return word[:1].isupper() and word[-1] not in ",:;)\"”’'" and not _POSSESSIVE.search(word)


def _possessor(word: str) -> str:
    return _POSSESSIVE.sub("", bare(word))


def _places(candidate: Hypothesis) -> Iterator[int]:
    """For each token, the place among the text's words at which it stands."""
    end = 0
    for token in candidate.tokens:
        start = max(candidate.text.find(token, end), end)
        yield candidate.text.count(" ", 0, start)
        end = start + len(token)
