"""A headline of the lead's own words: where it may end, and which end is best; and words that are not the lead's.

The last resort of a guarded search: the beginning of the lead, up to a place where a clause or a phrase ends. It can
invent nothing; whether it keeps the meaning is judged as for every candidate, so a longer one may be better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import Hypothesis
from hedline.text.meaning import (
    ARTICLES,
    CHANGES,
    LINKS,
    SAYING,
    SPEAKING,
    STOPS,
    Words,
    has_verb,
    is_one_place,
    is_verb,
    laid_on,
    may_be_verb,
    neighbours,
    read_words,
)
from hedline.text.polarity_words import FEW, word_set
from hedline.text.stems import stem
from hedline.text.surface import capitalized
from hedline.text.tokenize import FUNCTION_WORDS, remembered

PART = re.compile(r"[^\W\d_]+")  # letters without a break
_FILLERS = re.compile(r"(?<=[^\W\d_]{3})\.$|[?!]+$|\.{2,}$")
_OPEN_MARK = re.compile(r"(?:^|\s)['‘][^\W\d_][^'’]*$")
LONG = 8  # content words up to which no headline counts as padded
NEW_SHARE = 0.25  # of the content words of a long headline
USUAL = 12  # words of a headline that is neither long nor short
CLAUSE = 4.0  # how good a place to end the end of a clause is
_OPENERS = word_set("but because although while when who which after as amid following")
_SPOKEN = frozenset(["said", "says", "say", "told", "added", "wrote", "warned", "estimated"])
_LINKS = word_set("to of in on for with by from at and or over into that but whether than as")
_SUBORDINATE = word_set(
    "unless if although though while when after before because as until without following despite amid with since once"
)
_SETTING = word_set("of among leaving besides apart like")  # "Of the 31 firms": what is said of them comes later
_GOING_ON = word_set("and but or nor which who whose where")
_PARTICLES = frozenset(["down", "up", "off", "out", "away", "back", "percent", "million", "billion"])
_OPENING = re.compile(r"^(?:In this (?:paper|work),? we|We) (?:study|present|propose|introduce) (?=\w+ \w+)")
_COUNTS = frozenset(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
TITLES = word_set(
    "the a an mr mrs ms dr sir lord king queen prince president minister secretary senator sen rep gov governor mayor"
) | {"judge", "justice", "coach"}
_MARKS = "\"“”'‘’,.;:!?()"
_PRONOUNS = word_set("he she it they we i you this that these those")
_DAYS = frozenset(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"])
_TAIL = re.compile(r"[\s,;:.\-–—]+$")


def own_words(lead: str, words: Sequence[str], options: DecodeOptions, whole: bool = False) -> Iterator[Hypothesis]:
    """Beginnings of a lead that fit the limits, best first.

    words: the input's words as the model sees them, the columns of alignments; whole: only those where a clause ends.
    """
    parts = lead.split()
    ends = sorted(_ends(parts, options), key=lambda end: -_worth(parts, end, options))
    for end in ends:
        text = _finished(parts[:end])
        if text and fits_limits(text, options) and not (whole and end < len(parts) and _quality(parts, end) < CLAUSE):
            yield own_hypothesis(text, words, options)


def longest_word(lead: str, words: Sequence[str], options: DecodeOptions) -> list[Hypothesis]:
    """Where not even the first words fit: the longest name or content word that does; of an exact number, a run."""
    parts = lead.split()
    for size in dict.fromkeys((options.exact_words or 1, 1)):
        runs = [parts[place : place + size] for place in range(len(parts) - size + 1)]
        plain = [[run[0].lstrip(_MARKS), *run[1:]] for run in runs]
        plain = [[*run[:-1], run[-1].rstrip(_MARKS)] for run in plain]
        said = [run for run in plain if all(p.isalpha() and bare(p) not in FUNCTION_WORDS for p in run)]
        fitting = [run for run in said if fits_limits(" ".join(run), options)]
        best = sorted(fitting, key=lambda run: (run[0] in _DAYS or run[0].islower(), -len(" ".join(run))))[:1]
        if best:
            return [own_hypothesis(_finished(best[0]), words, options)]
    return []


def is_whole(text: str, lead: str) -> bool:
    """Whether a headline of few letters has only whole words of the lead, in any form, and one says something."""
    if text[-1:] in "'’\"“”-–,:;":
        return False  # "Lund'": half of "Lund's"
    known = {bare(part) for part in lead.split()}
    known |= {stem(part) for part in known}
    said = [bare(part).removesuffix("'s") for part in text.split()]
    return all(each in known or stem(each) in known for each in said) and any(
        each not in FUNCTION_WORDS and each.isalpha() for each in said
    )


def ends_inside(headline: str, lead: str) -> bool:
    """Whether a headline ends in the middle of the lead's phrase: "its truck" for "its truck division"."""
    said, told = read_words(headline), read_words(lead)
    if any(len(token) == 1 and token.isalpha() and token not in told.raw for token in said.raw[-2:]):
        return True  # "off S."
    last = laid_on(said, told)[-1] if len(said) else -1
    if last < 0 or last + 1 >= len(told):
        return False
    after = told.raw[last + 1]
    noun = after.islower() and after not in FEW | STOPS and not is_verb(told, last + 1) and not after.endswith("ly")
    known = told.raw[last].islower() and is_one_place(told, told.stems[last])
    return noun and known and (told.lower[last] in _COUNTS or not is_verb(told, last))


def ends_in_adjective(said: Words, told: Words) -> bool:
    """Whether a headline ends before the noun of a phrase: "in front of horrified" for "… of horrified onlookers"."""
    last = laid_on(said, told)[-1]
    if last < 1 or last + 1 >= len(told) or len(said) < 2 or said.lower[-1] != told.lower[last]:
        return False
    token, noun = said.lower[-1], told.lower[last + 1]
    if said.lower[-2] not in LINKS | ARTICLES or said.lower[-2] != told.lower[last - 1]:
        return False
    adjective = token.endswith(_ADJECTIVES) or token in _PLAIN_ADJECTIVES | _COUNTS
    if token.isdecimal() and len(token) != 4 and said.lower[-2] != "at":
        return noun == "of" or (noun.isalpha() and noun not in FEW | STOPS | LINKS)
    plain = noun.isalpha() and noun not in FEW | STOPS | LINKS and not noun.endswith("ly")
    return adjective and plain and token.islower() and not is_verb(told, last + 1)


def ends_badly(said: Words, told: Words) -> bool:
    """Whether the last word of a headline is invented, its last phrase a lost verb's, or a place another."""
    return ends_in_new_word(said, told) or ends_elsewhere(said, told) or takes_place(said, told)


def takes_place(said: Words, told: Words) -> bool:
    """Whether something is said to be in or go to a place that it is only near: "in Athens" for "above Athens"."""
    for place, token in enumerate(said.lower[:-1]):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        found = told.places.get(said.stems[target], ())
        if token in _INSIDE and len(found) == 1:
            back = range(found[0] - 1, max(found[0] - 4, 0), -1)
            link = next((i for i in back if told.lower[i] in LINKS | _OUTSIDE), 0)
            away = told.lower[link] in _OUTSIDE or (told.lower[link] == "from" and token in ("in", "at", "inside"))
            if away and told.lower[link - 1] not in ("and", "or"):
                return True
    return False


_INSIDE = frozenset(["in", "to", "at", "inside", "into"])
_OUTSIDE = frozenset(["near", "above", "below", "outside", "behind", "beyond", "beside"])


def ends_elsewhere(said: Words, told: Words) -> bool:
    """Whether the last phrase stands in the lead after a verb that is left out, far from the noun it follows now.

    "A sensor fault in crash" for "a sensor fault could stop the airbags from deploying in a crash".
    """
    start = max((i for i, token in enumerate(said.lower[:-1]) if token in _TAILS), default=0)
    places = laid_on(said, told)
    before = next((places[i] for i in range(start - 1, -1, -1) if places[i] >= 0), -1)
    noun = next((place for place in places[start + 1 :] if place >= 0), -1)
    if not 0 < before < noun or len(said) - start > LONGEST_TAIL or not _PLAIN_TAIL.isdisjoint(said.lower[start:]):
        return False
    link = next((i for i in range(noun - 1, max(noun - 4, before), -1) if told.lower[i] == said.lower[start]), 0)
    between = [i for i in range(before + 1, link - 1) if told.lower[i] not in FEW | STOPS]
    if link - 1 <= before or not between or is_verb(told, before) or told.stems[link - 1] in {*said.stems, *SAYING}:
        return False
    return is_verb(told, link - 1) or (told.lower[link - 1].endswith("ing") and told.lower[link - 1] not in _NO_VERBS)


LONGEST_TAIL = 5  # words of a phrase at the end, with its preposition
_TAILS = word_set("in at on as with from by during under over into for")
_PLAIN_TAIL = STOPS | {"and", "or"}
_NO_VERBS = word_set("morning evening during including king thing nothing something anything building meeting spring")


def ends_in_new_word(said: Words, told: Words) -> bool:
    """Whether a headline of a short lead ends in a word of its own ("close bridge collapse"), or any in "is on".

    A model that has said all that a short lead says goes on with what usually follows.
    """
    last, each = said.lower[-1], said.stems[-1]
    if last in ("on", "now") and said.lower[-2:-1] in (("is",), ("are",)):
        return (said.lower[-2], last) not in set(pairwise(told.lower))
    if len(told) > SHORT_LEAD or not last.isalpha() or last in FEW or each in SAYING or each in told.known:
        return False
    if said.lower[0] in _ASKING or any(known[:4] == each[:4] for known in told.known):
        return False
    return not last.endswith("s") or any(is_verb(told, i) for i in laid_on(said, told)[:-1] if i >= 0)  # "Mayor quits"


SHORT_LEAD = 14  # words and marks of a lead that a headline has hardly to shorten
_ASKING = word_set("how what why when where who")
_ADJECTIVES = ("ied", "ated", "ous", "ful", "less", "able", "ible", "onal", "ical", "istic")
_PLAIN_ADJECTIVES = word_set("new major early big young old high former global recent huge several senior deadly rare")


def _ends(parts: Sequence[str], options: DecodeOptions) -> list[int]:
    """The numbers of words after which a headline may end."""
    if options.exact_words is not None:
        return [min(options.exact_words, len(parts))]
    return [end for end in range(1, min(len(parts), options.word_limit) + 1) if bare(parts[end - 1]) not in _LINKS]


def _worth(parts: Sequence[str], end: int, options: DecodeOptions) -> float:
    """How good a place to end is, near the usual or the asked length."""
    asked = options.words or min(USUAL, options.word_limit)
    if options.fill:
        asked = options.word_limit
    return _quality(parts, end) - (0.35 * (asked - end) if end < asked else 0.25 * (end - asked))


def _quality(parts: Sequence[str], end: int) -> float:
    """How good a place to end is, whatever the length: after a sentence, a clause, a phrase."""
    last, following = parts[end - 1], bare(parts[end]) if end < len(parts) else "."
    if following in _SPOKEN or (following == "to" and "from" in map(bare, parts[max(end - 4, 0) : end])):
        quality = -3.0  # a speaker without what he does, a range without its end
    elif following in ("of", "that", "whether") or last == "I":
        quality = 0.0
    elif last[-1] == "." and (bare(last) in TITLES or (bare(last).isdigit() and end < len(parts))):
        quality = -3.0
    elif following == "as" and not _begins_clause(parts[end + 1 : end + 6]):
        quality = 0.0  # "open as blank pages"
    elif last[-1] in ".!?" or following == "." or last[-1] in ",;:—–-" or following in _OPENERS:
        quality = CLAUSE
    elif last[0].isdigit() or following in _PARTICLES:
        quality = 0.0
    elif bare(last) in FUNCTION_WORDS:
        quality = -3.0
    else:
        quality = 2.5 if following in ("and", "or", "but") else 1.5 if following in _LINKS else -1.0
    if not has_verb(_unsaid(parts[:end])):
        quality -= 8.0
    aside = next((i for i in range(1, end) if parts[i - 1][-1] == "," and _begins_aside(parts, i)), end)
    if aside < end and not any(part[-1] == "," for part in parts[aside : end - 1]):
        quality -= 8.0  # the aside is all that is said
    if bare(parts[0]) in _SUBORDINATE | _SETTING and not _reaches_main_clause(parts[:end]):
        quality -= 20.0
    return quality


def _begins_aside(parts: Sequence[str], place: int) -> bool:
    """Whether words after a comma only say more of the noun before it: "who", "best known for", "a baker"."""
    if parts[place] in ("who", "which", "whose"):
        return True
    named = parts[0] in TITLES or bare(parts[0]) not in _SUBORDINATE | _LINKS
    return named and parts[place] in _ASIDES and not has_verb(" ".join(parts[:place]))


_ASIDES = word_set("best known a an the one now then aged formerly once")


def _begins_clause(following: Sequence[str]) -> bool:
    """Whether what follows "as" may be a clause: a name, an article, a pronoun or a plural first, or a verb."""
    subject = any(p[0].isupper() or p.endswith("s") or bare(p) in ARTICLES | _PRONOUNS for p in following[:1])
    return subject or has_verb(" ".join(following))


def _unsaid(parts: Sequence[str]) -> str:
    """What follows the last word of saying, where something does: "the pilot" of "A spokesman said the pilot"."""
    spoken = [place for place, part in enumerate(parts[:-1]) if bare(part) in _SPOKEN]
    return " ".join(parts[spoken[-1] + 1 :] if spoken else parts)


def _reaches_main_clause(parts: Sequence[str]) -> bool:
    """Whether at least three words follow the comma that ends a subordinate clause, or there is no such comma.

    A comma before "and", "who" or the like ends no clause: "Unless a buyer is found, and two have walked away".
    """
    commas = [place for place, part in enumerate(parts) if part[-1] == ","]
    if not commas:
        return parts[-1][-1] in ".!?"
    closing = [place for place in commas if bare("".join(parts[place + 1 : place + 2])) not in _GOING_ON]
    return bool(closing) and len(parts) - closing[0] > 3


def _finished(parts: Sequence[str]) -> str:
    """Words as a headline: a capital first, no comma or point last, no quotation mark without its partner."""
    text = _TAIL.sub("", _OPENING.sub("", " ".join(parts)))
    text = re.sub(r",([\"”’'])(?=\s|$)", r"\1", text)
    if len(re.findall(r"[\"“”„]", text)) % 2:
        text = re.sub(r"[\"“”„]", "", text)
    return " ".join(capitalized(text.split()[:1]) + text.split()[1:])


def fits_limits(text: str, options: DecodeOptions) -> bool:
    """Whether a text is within the limits on words, bytes and characters."""
    sizes = (len(text.split()), len(text.encode("utf-8", "replace")), len(text))
    return all(
        size <= limit
        for size, limit in zip(sizes, (options.word_limit, options.byte_limit, options.char_limit), strict=True)
    )


def own_hypothesis(text: str, words: Sequence[str], options: DecodeOptions) -> Hypothesis:
    """A text of the lead as a candidate: every word is aligned to itself."""
    tokens = tuple(text.split())
    alignment = np.zeros((len(tokens), len(words)), np.float32)
    place = 0
    for row, token in enumerate(tokens):
        places = (*range(place, len(words)), *range(place))  # what stood first may come last
        found = next((i for i in places if words[i].lower() in token.lower()), None)
        if found is not None:
            alignment[row, found] = 1.0
            place = found + 1
    short = abs(options.exact_words - len(tokens)) if options.exact_words else 0
    return Hypothesis(text, 0.0, tokens, {}, alignment, (True,) * len(tokens), 0.0, short)


def bare(word: str) -> str:
    """A word in small letters without the marks around it."""
    return word.lower().strip(_MARKS)


@remembered(most=1 << 21)
def lead_stems(lead: str) -> Counter[str]:
    """How often each stem stands in a lead."""
    return Counter(map(stem, PART.findall(lead.lower())))


def padding(text: str, lead: str) -> list[str]:
    """What a model says when it has nothing left to say: content words twice, many new ones, marks ("benefits?!")."""
    words = [word for word in PART.findall(text.lower()) if word not in FUNCTION_WORDS]
    marks = [mark for mark in _FILLERS.findall(text) if mark not in lead or mark == "."]
    marks += [")"] if text.count(")") != text.count("(") else []
    marks += ["'"] if _OPEN_MARK.search(text) else []
    if len(words) < LONG or marks:
        return marks
    counts = Counter(map(stem, words))
    told = lead_stems(lead)
    repeated = [word for word, count in counts.items() if count > max(told[word], 1)]
    new = [word for word in counts if word not in told]
    return [*repeated, *(new if len(new) > NEW_SHARE * len(counts) else [])]


def is_steady(headline: str, lead: str, ordered: bool = False) -> bool:
    """Whether a second choice is safe: only words of the lead, at least three that count, a verb among them.

    ordered: in the lead's order too, but for who says it.

    Where the best headline turned the lead's meaning, the next ones often step round the fault with half a sentence.
    """
    said, told = read_words(headline), read_words(lead)
    places = laid_on(said, told)
    taken = {place for place in places if place >= 0}
    beginnings = {each[:4] for each in (*told.stems, *SAYING)}
    strange = [i for i, where in enumerate(places) if where < 0 and said.lower[i] not in FEW | STOPS]
    new = [i for i in strange if said.stems[i][:4] not in beginnings and not said.lower[i].endswith(("n't", "n’t"))]
    changes = bool(told.lower) and (told.lower[0] in CHANGES or told.lower[0] == "add")
    if changes and told.stems[0] not in said.stems:
        return False  # what a change does is all that it is about
    if new or len(taken) < 3 or not (changes or any(may_be_verb(told, place) for place in taken)):
        return False
    loose = ordered and (_jumps(said, told, places) or _skips_verb(said, told, places))
    return not loose and not _rehung(said, told, places)


def strays(headline: str, lead: str, turned: bool, ordered: bool, free: bool) -> bool:
    """Whether a headline is too far from its lead: where the best one turned its meaning, or for a weak model.

    ordered: as in `is_steady`; free: its length is the model's own, so there are others to choose from.
    """
    return (turned and not is_steady(headline, lead, ordered)) or (ordered and free and zigzags(headline, lead))


def zigzags(headline: str, lead: str) -> bool:
    """Whether a headline goes on in the lead, and back to what it passed: "Carol renovated not guilty"."""
    said, told = read_words(headline), read_words(lead)
    taken = [place for place in laid_on(said, told) if place >= 0]
    return any(one < three < two for one, two, three in zip(taken, taken[1:], taken[2:], strict=False))


def _jumps(said: Words, told: Words, places: Sequence[int]) -> bool:
    """Whether a headline goes back in the lead, but for who says it."""
    speakers = {place for i, token in enumerate(told.lower) if token in SPEAKING for place in range(i - 3, i + 4)}
    last = -1
    for place, where in enumerate(places):
        if where < 0:
            last = -1 if said.lower[place] in STOPS else last
            continue
        if last >= 0 and where < places[last]:
            near = said.stems[max(last - 1, 0) : place + 3]
            if SAYING.isdisjoint(near) or speakers.isdisjoint((places[last], where)):
                return True
        last = place
    return False


def _skips_verb(said: Words, told: Words, places: Sequence[int]) -> bool:
    """Whether two words that a headline joins have a verb or the end of a sentence between them in the lead."""
    for left, right in neighbours(said, places):
        between = range(places[left] + 1, places[right]) if min(places[left], places[right]) >= 0 else range(0)
        if any(is_verb(told, i) or told.lower[i].endswith("ing") or told.lower[i] in ".;" for i in between):
            return True
    return False


def _rehung(said: Words, told: Words, places: Sequence[int]) -> bool:
    """Whether a noun stands after another preposition than in the lead: "reopen next month of new pipes"."""
    for place, token in enumerate(said.lower[:-1]):
        target = place + 1 + (said.lower[place + 1] in ARTICLES and place + 2 < len(said))
        where = places[target]
        if token not in LINKS - {"and", "or", "as"} or where < 0 or (token == "to" and is_verb(told, where)):
            continue
        last = next((places[i] for i in range(place - 1, -1, -1) if places[i] >= 0), -1)
        gap = told.lower[last + 1 : where] if last >= 0 else ()
        near = next((i for i in range(where - 1, max(where - 5, -1), -1) if told.lower[i] in LINKS | {"and"}), -1)
        if near < 0 or told.lower[near] != token or not STOPS.isdisjoint(gap):
            return True
        if any(is_verb(told, i) for i in range(near + 1, where)):
            return True
    return False
