"""Which finished headlines may be printed; and which texts are messages, of which only their own words may be.

The guards say what a headline may not say. While a search writes, only digits can be forbidden (piece_columns.py).
Whether a capital makes a name, a number keeps its scale, a "not" was lost or a quotation changed is known only of a
whole headline. So each candidate is judged, and where none passes the search is repeated for more of them (decode.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hedline.decoding.mending import mended, trimmed, unquoted, with_doubts, without_names
from hedline.decoding.own_words import (
    PART,
    ends_badly,
    ends_in_adjective,
    ends_inside,
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
from hedline.text.polarity_cues import Cue, polarity_cues
from hedline.text.polarity_words import FEW, word_set
from hedline.text.statements import wrong_relations
from hedline.text.stems import is_nearly, stem
from hedline.text.tokenize import remembered

FEW_CONTENT = 5  # content words up to which a headline without a verb is half a sentence
CRUMB = 5  # words under which a headline is printed only where no longer one passes

SUBORDINATE = word_set(
    """unless if although though while until had should were without barring once when whenever after since because
    before as"""
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
_LOOSE = re.compile(r"^(?!['‘]|.*\s['‘]).*?([^\W\d_]*[^\W\d_s]')(?=\s|$)")  # an apostrophe whose word is gone

# What may be half a phrase, told cheaply.
_MENDABLE = re.compile(r"(?:\d|illion| out| off| away| ahead| free)$| (?:that|which|who) | (?:in|for) \w+ [ymwdchg]|, ")
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
    refuse a true headline are not asked; most_doubt: how much the model may doubt a headline that comes first.
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
    most_doubt: float = 1.0
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

        Before them, where no limit asks for few words, come those that say hardly more than a name, and before these
        those that the model doubts too much.
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
                once[kept.text] = found = kept.read()
                first += not found.short and len(found.text.split()) >= crumb and not self.doubted(found)
                if first == wanted:
                    break
        return sorted(once.values(), key=lambda each: (each.short, self.doubted(each), len(each.text.split()) < crumb))

    def doubted(self, candidate: Hypothesis) -> float:
        """How much the model doubts a candidate where that is too much, else 0."""
        doubt = candidate.doubt or 0.0
        return doubt if doubt > self.most_doubt else 0.0

    def _mended(self, candidate: Candidate, lead: str) -> Candidate:
        """A candidate without altered marks and names that can be left out, with the doubts that it lost."""
        altered = self.meaning and altered_quotations(candidate.text, lead)
        kept = self._unquoted(candidate.read()) if altered else candidate
        if self.free and self.meaning:
            kept = trimmed(kept, UNFINISHED) if kept.text.rpartition(" ")[2] in UNFINISHED else kept
            kept = mended(kept, lead) if _MENDABLE.search(kept.text) else kept
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
    return lost or tuple(wrong_relations(text, lead) or torn(text, lead))


def firm_faults(pair: tuple[str, str]) -> tuple[str, ...]:
    """The faults of a headline, none where only rules that often refuse a true one found any."""
    found = meaning_faults(pair)
    return found if found and (lead_cues(pair[1]) or turns_meaning(*pair) or torn(*pair, firm=True)) else ()


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
    return [*found, said.raw[-1]] if cut or _breaks_off(said, told) or ends_badly(said, told) else found


def _stumbles(said: Words, told: Words) -> list[str]:
    """A word twice in a row, or a question mark inside, where the lead has neither."""
    known = set(pairwise(told.lower))
    twice = [one for one, two in pairwise(said.lower) if one == two and one.isalpha() and (one, two) not in known]
    marked = {one for one, two in known if two == "?"}
    asked = [one for one, two in pairwise(said.lower[:-1]) if two == "?" and one not in marked]
    return [*twice, *(asked if "?" in told.lower else ())]


def _breaks_off(said: Words, told: Words) -> bool:
    """Whether the last word wants another: "the coach who denied" (giving pills), "cancelled as storm" (missed it)."""
    setting = said.lower[0] in ("of", "among") and said.lower[:1] == told.lower[:1] and "," in told.lower
    if setting and laid_on(said, told)[-1] < told.lower.index(","):
        return True  # "Of the 31 firms invited in June": what is said of them comes later
    if said.lower[-1] in PARTICLES and len(said) > 1:
        wanting = zip(told.lower, told.lower[1:], told.raw[2:], strict=False)
        noun = next((after for *pair, after in wanting if tuple(pair) == said.lower[-2:]), ",")
        named = noun in ARTICLES or noun == "to" or noun[0].isupper() or noun[0].isdigit()
        return named or (said.lower[-1] in ("over", "about", "under") and noun.isalpha() and noun not in FEW)
    if not 0 < (last := laid_on(said, told)[-1]) < len(told) - 1:
        return False
    after = told.lower[last + 1]
    if said.lower[-2:-1] == (",",) and told.lower[last - 1] == ",":
        return after.isalpha() and after not in FEW | STOPS and not is_verb(told, last + 1)  # "…, dishwasher" (safe)
    if is_verb(told, last) and said.stems[-1] not in SAYING - {"deny"}:
        active = said.lower[-1].endswith("s") or not RELATIVES.isdisjoint(said.lower[-3:-1])
        return active and (after.endswith("ing") or after in ARTICLES)
    joined = not JOINING.isdisjoint(said.lower[-3:-1]) or (said.lower[-3:-2] == ("and",) and said.lower[-2] in ARTICLES)
    denied = after.endswith(("n't", "n’t"))  # "and the window" (won't close)
    return joined and (denied or is_verb(told, last + 1) or not TO_BE.isdisjoint(told.lower[last + 1 : last + 3]))


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


@remembered(most=1 << 21)
def lead_words(lead: str) -> frozenset[str]:
    """The words of a lead in small letters, numbers left out; every candidate of it asks for them."""
    return frozenset(PART.findall(lead.lower()))


REPORTING = word_set("said says told announced reported")
TELLTALE = re.compile(
    r"^(?:add|allow|support|make|do not|don't|revert) (?:an? |the |support |option |log |crash |fail |\")"
    r"|^(?:drop|handle) [\w.]+ [\w.]+ (?:in|support)"
    r"|\b(?:please|(?:kind|best|warm) regards|i am writing|i would like|when i (?:try|click|run|open)"
    r"|we (?:present|propose|study|introduce|show|describe)"
    r"|in this paper|steps to reproduce|easy to clean|we would like|thanks for your|feature request|heads-up"
    r"|kind reminder|\d{3} error|stack trace|click on|dishwasher safe|machine washable|preheat"
    r"|to whom it may concern|i wish to|(?:i'm|i am) afraid i|could you|thank you for (?:your|submitting|contacting)"
    r"|did you get|we are looking for an?|(?:customer|order|ticket) number)\b|\bregards,"
)
# What is said of a program or a machine that fails.
TROUBLE = re.compile(
    r"\b(?:fails? with|does nothing|(?:keeps?|stopped) (?:crashing|freezing|disconnecting|failing|restarting|working)"
    r"|(?:crash|freez|hang|fail|jam)e?s (?:when|whenever|on|after|as soon|every)"
    r"|(?:returns|throws|shows) (?:an? )?(?:http|\d{3}|errors?|exception|empty|blank)"
    r"|(?:does|do|did|is|are)(?: not|n't) (?:work|load|print|respond|sync)(?:ing)?"
    r"|no longer (?:works|loads|prints|opens)|permission denied|error (?:code|message|0x\w+)|server (?:is )?down"
    r"|(?:since|after) (?:(?:the|last) (?:update|upgrade)|upgrading|updating)"
    r"|(?:can(?:not|'t)|unable to) (?:log (?:in|on)|connect|print))\b"
)
_RUNNING = ARTICLES - {"a", "an"} | {"this", "these", "our", "we", "i", "you", "your"}
_NO_CHANGE = word_set("for : our this these")
_NAMED = re.compile(r"[a-z,] (?!I\b)[A-Z]")
_FRAME = re.compile(
    r"(?:^|: )(how|why|what|when|where|who|which|is|are|can|do|does|should|will)\b"
    r"|\b(what) (?:to|you need to) know|^(everything) you",
    re.IGNORECASE,
)
_READER = word_set("you your you're you’re")
_ADVICE = re.compile(r"\b(?:tips|tricks|guide|strategies|ways to|steps|here's|measures you|help you|best)\b")


@remembered(most=1 << 19)
def is_message(lead: str) -> bool:
    """Whether a text is no news: somebody writes to somebody, tells of a change to a program, or offers a thing.

    >>> is_message("Please find attached the minutes."), is_message("The mayor of Lund resigned on Monday, he said.")
    (True, False)
    """
    told = read_words(lead)
    if not told.raw or not REPORTING.isdisjoint(told.lower):
        return False
    after = "".join(told.lower[1:2])
    changes = told.lower[0] in meaning.CHANGES and after not in _NO_CHANGE and not after[:1].isdigit()
    if changes or TELLTALE.search(lead.lower()) or TROUBLE.search(lead.lower()):
        return True
    places = range(1, len(told))
    if len(told) < 8 or not _RUNNING.isdisjoint(told.lower):
        return False
    verbs = TO_BE | {"has", "have", "had"}
    return not any(meaning.may_be_verb(told, i) or told.lower[i] in verbs or told.raw[i][0].isupper() for i in places)


def invented_frame(text: str, lead: str) -> list[str]:
    """A question or a promise to explain ("How to …") that the lead does not have.

    Only where the lead names nobody and does not speak to the reader, as tickets and commit messages do: news may be
    asked about, and advice may be offered as such.
    """
    match, told = _FRAME.search(text), read_words(lead).lower
    spoken = [token for token in read_words(text).lower if token in _READER and token not in told]
    if (spoken or (text.endswith("?") and "?" not in lead)) and is_message(lead):
        return spoken or ["?"]
    if "?" in lead or match is None:
        return []
    if (_NAMED.search(lead) or not _READER.isdisjoint(told)) and not is_message(lead):
        return []
    opener = next(filter(None, match.groups()))
    advice = opener.lower() == "how" and _ADVICE.search(lead.lower()) and not is_message(lead)
    return [] if advice or re.search(rf"\b{opener}\b", lead, re.IGNORECASE) else [opener]
