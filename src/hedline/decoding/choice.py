"""Choosing among finished headlines: which of them may be printed, and which of those comes first.

The guards say what a headline may not say. While a search writes, only digits can be forbidden (piece_columns.py).
Whether a capital makes a name, a number keeps its scale, a "not" was lost or a quotation changed is known only of a
whole headline. So each candidate is judged, and where none passes the search is repeated for more of them (decode.py).

The order is the search's own, or by what the other candidates agree with, or by words of the input. A beam's best
headline is the likeliest, not the one expected to score best. If the candidates are what a reader might have written,
each as likely as its key says, the headline with the highest expected overlap (mean of the unigram and the bigram F1)
is the one to print (minimum Bayes risk; Kumar and Byrne, 2004). `spread` takes candidates that differ.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from hedline.arrays import Doubles
from hedline.decoding.mending import trimmed, unquoted, with_doubts, without_names
from hedline.decoding.own_words import (
    PART,
    ends_in_adjective,
    ends_inside,
    invented_frame,
    is_message,
    is_nearly,
    lead_words,
    padding,
    strays,
)
from hedline.decoding.summary import Candidate, Hypothesis
from hedline.text import meaning
from hedline.text.clauses import is_sentence, torn
from hedline.text.meaning import (
    ARTICLES,
    RELATIVES,
    SAYING,
    STOPS,
    TO_BE,
    Words,
    altered_quotations,
    is_verb,
    judge_polarity,
    laid_on,
    read_words,
)
from hedline.text.polarity_cues import Cue, polarity_cues, stem
from hedline.text.polarity_words import FEW, word_set
from hedline.text.statements import wrong_relations
from hedline.text.tokenize import remembered

CANDIDATES = 8  # how many of the search's best endings vote
# Of the votes: their weights are softmax(key / temperature). Mean of ROUGE-1, -2 and -L (default) at 1, 2 and 3:
# on 1,500 pairs of valid 28.13, 28.23, 28.16, on 800 of wire1987 37.03, 37.09, 37.21.
TEMPERATURE = 2.0
DIGITS = 9  # expected overlaps that agree so far are equal, whatever order a processor added them in
FEW_CONTENT = 5  # content words up to which a headline without a verb is half a sentence
CRUMB = 5  # words under which a headline is printed only where no longer one passes

SUBORDINATE = word_set(
    "unless if although though while until had should without barring once when whenever after since because before as"
)
BEFORE_NO_COMMA = TO_BE | ARTICLES | {"of", "will", "would"}
PRONOUNS = word_set("i we he she they it")
JOINING = word_set("as if when while because unless although but that")
OPENING_STOPS = frozenset(".,;:!?)")
QUESTION_WORDS = word_set("how what why when where who is are can do does should will")
UNFINISHED = word_set(
    """a an the of to in at by for from with and or as is are was were be been will would may might could can its his
    their than but if unless because not no never nor except excluding without into onto between among against during
    through i so this that these your my our which whose behind near despite amid via upon toward towards : ,"""
)
PARTICLES = word_set("on up over about under")  # may end a sentence, or want a noun
_WORD = re.compile(r"[^\W_]+")
_LOOSE = re.compile(r"^(?!['‘]|.*\s['‘]).*?([^\W\d_]*[^\W\d_s]')(?=\s|$)")  # an apostrophe whose word is gone

Casing = Mapping[str, str] | None


@dataclass(frozen=True)
class Guards:
    """Which guards are on.

    numbers: no number that the lead does not have in this sense; names: no name without support; meaning: no polarity
    word lost or added, no quotation altered; casing: lower-case word to its usual form, to tell names where every word
    has a capital, and words from pieces of words; limited: the text may be cut, so its last word is looked at; forced:
    the length is the user's, so padding is looked for; least: words that a headline needs to say no half of what its
    lead turns round; exact: words that it must have, 0 where that is open; careful: where the best headline turns the
    meaning round, the next one keeps the lead's order too; free: a lost word may be put back; lenient: rules that often
    refuse a true headline are not asked.
    """

    numbers: bool = True
    names: bool = True
    meaning: bool = True
    casing: Casing = None
    limited: bool = False
    forced: bool = False
    least: int = 1
    exact: int = 0
    careful: bool = False
    free: bool = False
    lenient: bool = False
    _known: dict[str, dict[str, list[str]]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def active(self) -> bool:
        """Whether there is anything to judge."""
        return self.numbers or self.names or self.meaning or self.limited or self.forced

    def faults(self, text: str, lead: str) -> Iterator[str]:
        """What stands against printing a headline, one by one: numbers and names without support, polarity words, …"""
        yield from self._unsupported(text, lead)
        if self.meaning:
            yield from invented_frame(text, lead)
            yield from form_faults(text, lead)
            yield from altered_quotations(text, lead)
            yield from (firm_faults if self.lenient else meaning_faults)((text, lead))
            yield from torn(text, lead) if self.careful else ()
        if self.limited or self.forced or self.meaning:
            yield from self._cut_words(text, lead)
        if self.forced:
            yield from padding(text, lead)

    def is_clean(self, text: str, lead: str) -> bool:
        """Whether nothing stands against a headline; the first fault decides."""
        return not any(True for _ in self.faults(text, lead))

    def _unsupported(self, text: str, lead: str) -> list[str]:
        """Numbers and names that the lead does not have; a candidate's are asked for more than once."""
        known = self._known.setdefault(lead, {})
        if text not in known:
            from hedline.metrics.numbers import unsupported_numbers
            from hedline.metrics.support import unsupported_names

            numbers = unsupported_numbers(text, lead) if self.numbers else []
            known[text] = [*numbers, *(unsupported_names(text, lead, self.casing) if self.names else ())]
        return known[text]

    def refused(self, lead: str) -> set[str]:
        """The numbers and names that stood against headlines of a lead so far."""
        return {name for names in self._known.get(lead, {}).values() for name in names}

    def _cut_words(self, text: str, lead: str) -> list[str]:
        """Words that nobody knows: the last, which the search or a limit may have cut; every one of a forced length.

        Elsewhere a word that is nearly one of the lead's, made of wrong pieces: "READMEME".
        """
        last = text.split()[-1:] if self.limited and ends_inside(text, lead) else []
        known, usual = lead_words(lead), self.casing
        new = [part for part in PART.findall(text) if len(part) > 1 and part.lower() not in known]
        if usual is None or not new:
            return last
        looked = PART.findall(text if self.forced else text.rsplit(maxsplit=1)[-1])
        # A name's letters in small ones are half a word too: "your manus" for "your manuscript".
        odd = [p.lower() for p in new if p.lower() not in usual or (p.islower() and p in looked and usual[p] != p)]
        odd = [part for part in odd if stem(part) not in read_words(lead).known]
        return [*last, *(p for p in odd if p in map(str.lower, looked) or is_nearly(p, known))]

    def passing(self, candidates: Iterable[Candidate], lead: str, wanted: int | None = None) -> list[Hypothesis]:
        """The candidates that may be printed, each text once, in their order; those that miss a length come last.

        Before them, where no limit asks for few words, come those that say hardly more than a name.
        A candidate whose only fault is an altered quotation loses the marks; one may lose a name without support.
        candidates: may be gone through twice; wanted: no more are judged once so many come before all others.
        """
        once: dict[str, Hypothesis] = {}
        crumb = CRUMB if self.meaning and not self.limited and not self.forced else 0
        first, message = 0, self.meaning and is_message(lead)
        turned = message or (self.careful and self._turns_round(candidates, lead))
        for each in candidates:
            kept = self._mended(each, lead)
            if not kept.text or kept.text in once or (self.least > 1 and not self._says_enough(kept.text, lead)):
                continue
            if (turned or self.careful) and strays(kept.text, lead, turned, self.careful or message, not self.forced):
                continue
            if self.is_clean(kept.text, lead):
                once[kept.text] = kept.read()
                first += not kept.short and len(kept.text.split()) >= crumb
                if first == wanted:
                    break
        return sorted(once.values(), key=lambda each: (each.short, len(each.text.split()) < crumb))

    def _mended(self, candidate: Candidate, lead: str) -> Candidate:
        """A candidate without altered marks and names that can be left out, with the doubts that it lost."""
        altered = self.meaning and altered_quotations(candidate.text, lead)
        kept = self._unquoted(candidate.read()) if altered else candidate
        if self.free and self.meaning:
            kept = trimmed(kept, UNFINISHED) if kept.text.rpartition(" ")[2] in UNFINISHED else kept
            lost = meaning_faults((kept.text, lead))
            kept = with_doubts(kept, lead, lost) if lost else kept
        if not self.names or self.forced or self.exact or not self._unsupported(kept.text, lead):
            return kept
        return without_names(kept, lead, self.casing)

    def _says_enough(self, text: str, lead: str) -> bool:
        enough = len(text.split()) >= self.least or not lead_cues(lead)
        return enough and not says_little(text, lead) and (not lead_cues(lead) or says_what(text, lead))

    def _turns_round(self, candidates: Iterable[Candidate], lead: str) -> bool:
        """Whether only words of the lead are safe: the headline that would be printed turns its meaning round."""
        first = next((each.text for each in candidates if not self._unsupported(each.text, lead)), None)
        return first is not None and turns_meaning(first, lead)

    def _unquoted(self, candidate: Hypothesis) -> Hypothesis:
        """A candidate without its quotation marks; one that stood alone was a word of the length asked for."""
        bare = unquoted(candidate)
        return replace(bare, short=abs(self.exact - len(bare.text.split()))) if self.exact else bare


@remembered(most=1 << 21)
def meaning_faults(pair: tuple[str, str]) -> tuple[str, ...]:
    """Polarity words that a headline loses or adds, or words that it joins otherwise than the lead; pair: both."""
    text, lead = pair
    if is_sentence(text, lead):
        return ()
    lost = judge_polarity(lead_cues(lead), lead, text)[0]
    return lost or tuple(wrong_relations(text, lead) or torn(text, lead, careful=False))


def firm_faults(pair: tuple[str, str]) -> tuple[str, ...]:
    """The faults of a headline, none where only rules that often refuse a true one found any."""
    found = meaning_faults(pair)
    return found if found and (turns_meaning(*pair) or torn(*pair, firm=True)) else ()


def turns_meaning(text: str, lead: str) -> bool:
    """Whether a headline says otherwise than its lead, and not only less."""
    if not meaning_faults((text, lead)):  # which are more, and will be asked for again
        return False
    return bool(judge_polarity(lead_cues(lead), lead, text)[0]) or bool(wrong_relations(text, lead, turning=True))


def form_faults(text: str, lead: str) -> list[str]:
    """A headline that is no whole sentence: it begins or ends in the middle of one, or a point stands inside it."""
    said, told = read_words(text), read_words(lead)
    if not said.lower:
        return []
    asks = "?" in said.lower or said.lower[0] not in told.lower[1:]
    outside = said.lower[0] in OPENING_STOPS or _stays_outside(said, told) or _is_another(said, told)
    found = [said.raw[0]] if outside or (said.lower[0] in ("who", "which", "whose", "to") and not asks) else []
    hangs = said.lower[-1].endswith(("n't", "n’t"))
    final = any(said.lower[-2:] == told.lower[i - 2 : i] for i, token in enumerate(told.lower) if token in STOPS)
    dashed = text.endswith(("-", "–", "—"))
    if dashed or (said.raw[-1] != "May" and (said.lower[-1] in UNFINISHED or hangs) and not final):
        found.append(said.raw[-1])
    found += [*_stumbles(said, told), *(word for word in _LOOSE.findall(text) if word not in lead)]
    ends = {token for token, after in pairwise(told.lower) if after == "."}
    for place, (token, after) in enumerate(pairwise(said.raw)):
        inside = place + 2 < len(said) or token in UNFINISHED
        inside = inside and token.isalpha() and token.lower() not in ends
        inside = inside and (len(token) > (2 if token.islower() else 4) or token in UNFINISHED)
        if (after == "." and inside) or (after == "," and token in BEFORE_NO_COMMA):
            found.append(token + after)
    cut = not (UNFINISHED | PARTICLES).isdisjoint(said.lower[-2:-1]) and ends_in_adjective(said, told)
    return [*found, said.raw[-1]] if cut or _breaks_off(said, told) else found


def _stumbles(said: Words, told: Words) -> list[str]:
    """A word twice in a row, or a question mark inside, where the lead has neither."""
    known = set(pairwise(told.lower))
    twice = [one for one, two in pairwise(said.lower) if one == two and one.isalpha() and (one, two) not in known]
    marked = {one for one, two in known if two == "?"}
    asked = [one for one, two in pairwise(said.lower[:-1]) if two == "?" and one not in marked]
    return [*twice, *(asked if "?" in told.lower else ())]


def _breaks_off(said: Words, told: Words) -> bool:
    """Whether the last word wants another: "the coach who denied" (giving pills), "cancelled as storm" (missed it)."""
    if said.lower[-1] in PARTICLES and len(said) > 1:
        wanting = zip(told.lower, told.lower[1:], told.raw[2:], strict=False)
        noun = next((after for *pair, after in wanting if tuple(pair) == said.lower[-2:]), ",")
        return noun in ARTICLES or noun == "to" or noun[0].isupper() or noun[0].isdigit()
    last = laid_on(said, told)[-1]
    if not 0 < last < len(told) - 1:
        return False
    after = told.lower[last + 1]
    if said.lower[-2:-1] == (",",) and told.lower[last - 1] == ",":
        return after.isalpha() and after not in FEW | STOPS and not is_verb(told, last + 1)  # "…, dishwasher" (safe)
    if is_verb(told, last) and said.stems[-1] not in SAYING - {"deny"}:
        active = said.lower[-1].endswith("s") or not RELATIVES.isdisjoint(said.lower[-3:-1])
        return active and (after.endswith("ing") or after in ARTICLES)
    joined = not JOINING.isdisjoint(said.lower[-3:-1]) or (said.lower[-3:-2] == ("and",) and said.lower[-2] in ARTICLES)
    return joined and (is_verb(told, last + 1) or not TO_BE.isdisjoint(told.lower[last + 1 : last + 3]))


def says_what(text: str, lead: str) -> bool:
    """Whether a headline has something like a verb, its own or the lead's."""
    said, told = read_words(text), read_words(lead)
    content = sum(token not in FEW for token in said.lower)
    if content > FEW_CONTENT or meaning.has_verb(text) or "to" in said.lower or not STOPS.isdisjoint(said.lower):
        return True
    new = (token for token, each in zip(said.lower, said.stems, strict=True) if each not in told.known)
    return any(token.endswith("s") for token in new) or any(
        meaning.may_be_verb(told, place) for place in laid_on(said, told) if place >= 0
    )


def _is_another(said: Words, told: Words) -> bool:
    """Whether a pronoun begins a headline whose verb is another's in the lead: "I stopped" for "which stopped"."""
    verb = next((place for place in laid_on(said, told) if place >= 0), 0)
    clause = next((i for i in range(verb - 1, max(verb - 8, -1), -1) if told.lower[i] in STOPS | RELATIVES), verb - 8)
    return said.lower[0] in PRONOUNS and said.lower[0] not in told.lower[max(clause + 1, 0) : verb]


def _stays_outside(said: Words, told: Words) -> bool:
    """Whether a headline that begins like its lead with "unless" or "if" never gets to the verb of the main clause.

    Of a ticket, what follows "when" is nothing by itself, with the word or without it: "I click on the button".
    """
    opened = said.lower[0] in SUBORDINATE and said.lower[:1] == told.lower[:1]
    opened = opened or (told.lower[:1] in (("when",), ("whenever",)) and is_message(" ".join(told.raw)))
    if not opened or "," not in told.lower:
        return False
    comma = told.lower.index(",")
    main = [place for place in laid_on(said, told) if place > comma and told.stems[place] not in SAYING]
    return not any(is_verb(told, place) or told.lower[place - 1] in TO_BE for place in main)


def says_little(headline: str, lead: str) -> bool:
    """Whether so few words are taken that they say nothing, or half of something: "Arbitration to be over".

    Questions and quotations may be short.
    """
    said, told = read_words(headline), read_words(lead)
    if not 3 < len(told.places) < 25 or "?" in told.lower or "?" in said.lower or '"' in said.lower:
        return False
    content = sum(token not in FEW and token not in STOPS for token in said.lower)
    taken = sum(place >= 0 for place in laid_on(said, told))
    return taken < 3 and content < 3 and QUESTION_WORDS.isdisjoint(said.lower[:1])


@remembered(most=1 << 21)
def lead_cues(lead: str) -> tuple[Cue, ...]:
    """The polarity words of a lead; every candidate of it asks for them."""
    return tuple(polarity_cues(lead))


def by_consensus(candidates: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Candidates (best key first) by expected overlap, highest first; equal ones keep their order."""
    order = consensus_order([each.text for each in candidates], [each.key for each in candidates])
    return [candidates[place] for place in order]


def consensus_order(texts: Sequence[str], keys: Sequence[float]) -> list[int]:
    """Places of the texts by expected overlap, highest first; equal ones keep their order."""
    if len(texts) < 2:
        return list(range(len(texts)))
    expected = expected_overlap(texts, keys)
    return [int(place) for place in np.argsort(-expected.round(DIGITS), kind="stable")]


def by_shared_words(candidates: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Candidates (best key first) by how many of their words stand in the input, most first (Takase and Okazaki, 2019).

    A word counts once; equal candidates keep their order.
    """
    return sorted(candidates, key=lambda each: -_shared(each))


def _shared(candidate: Hypothesis) -> int:
    marked = zip(candidate.tokens, candidate.known, strict=True)
    return len({token.lower() for token, known in marked if known and _WORD.search(token)})


def expected_overlap(texts: Sequence[str], keys: Sequence[float], temperature: float = TEMPERATURE) -> Doubles:
    """(n,) each text's mean overlap with all of them, itself included, weighted by softmax(keys / temperature)."""
    votes = np.exp((np.asarray(keys, np.float64) - max(keys)) / temperature)
    return np.asarray((overlaps(texts) * votes).sum(axis=1) / votes.sum())


def overlaps(texts: Sequence[str]) -> Doubles:
    """(n, n) how much every two texts share: the mean of the unigram and the bigram F1, 0 where both have none.

    Sets of a few short texts are quicker than arrays.
    """
    words = [_WORD.findall(text.lower()) for text in texts]
    sets = [(_numbered(each), _numbered(list(pairwise(each)))) for each in words]
    shared = [[0.0] * len(sets) for _ in sets]
    for row, (one, two) in enumerate(sets):
        for column, (other, another) in enumerate(sets[: row + 1]):
            f1 = 2.0 * len(one & other) / (len(one) + len(other) or 1)
            f2 = 2.0 * len(two & another) / (len(two) + len(another) or 1)
            shared[row][column] = shared[column][row] = (f1 + f2) / 2
    return np.array(shared)


def _numbered(grams: Sequence[Hashable]) -> frozenset[Hashable]:
    """N-grams as a set: the second time one comes, and every further time, it is marked as another."""
    once = frozenset(grams)
    if len(once) == len(grams):
        return once
    return once | {(gram, grams[:place].count(gram)) for place, gram in enumerate(grams) if gram in grams[:place]}


def spread(candidates: Sequence[Hypothesis], count: int, diversity: float) -> list[Hypothesis]:
    """At most `count` candidates, best first, no two with an overlap above 1 - diversity.

    Where that leaves too few, those follow that are least like the ones before them.
    """
    if not candidates:
        return []
    alike = overlaps([each.text for each in candidates])
    chosen = [0]
    for place in range(1, len(candidates)):
        if len(chosen) < count and alike[place, chosen].max() <= 1.0 - diversity:
            chosen.append(place)
    rest = [place for place in range(len(candidates)) if place not in chosen]
    while rest and len(chosen) < count:
        nearest = min(rest, key=lambda place: (round(float(alike[place, chosen].max()), 9), place))
        chosen.append(nearest)
        rest.remove(nearest)
    return [candidates[place] for place in chosen]
