"""Titles for what is no news, of its own words.

One of the sentences is taken (a finding, a decision, what went wrong, else the first), without its opening ("We
present"), with the main clause before the circumstance ("It freezes when I click"), as far as a good title reaches.
Nothing is invented, and a cut that would lose a "not" or an "unless" is not made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hedline.decoding.choice import TROUBLE, lead_cues
from hedline.decoding.messages import PERSON, STUDIES, any_of, gives_steps, is_no_news
from hedline.decoding.options import DecodeOptions
from hedline.decoding.own_words import fits_limits, own_hypothesis
from hedline.decoding.summary import Hypothesis
from hedline.text.casing import with_capital
from hedline.text.clean import split_sentences
from hedline.text.meaning import has_verb, judge_polarity

NO_NEWS = "this does not read like news, so these are the text's own words"
GOOD = 18  # words of a title that nobody would shorten
FULL = 20  # words that are left of a sentence that is cut, at most
LONGEST = 24  # words of a title that can still be read
LEAST = 4  # words of a sentence that may say something
SOME = 6  # words of a sentence's beginning that may

# Sentences that say nothing of what a message is about.
_COURTESY = any_of(
    r"""
    ^(?:thanks|thank you|hi|hello|hey|dear|(?:kind|best|warm) regards|regards|cheers|best|sincerely|sorry|welcome to)\b
    ^(?:i hope|hope|please|kindly|let me know|any help|looking forward|(?:we|i) look forward|feel free|as discussed)\b
    ^(?:i(?: have|'ve) (?:already )?tried|have a (?:nice|great|good)|as you (?:may )?know|if you have any)\b
    ^steps to reproduce\b
    """
)
_REQUEST = any_of(r"^(?:could|can|would|will) you\b")
_LABEL = any_of(
    r"^(?:everyone,? )?(?:background|methods?|results?|conclusions?|findings?|subject|summary|title|objectives?|aims?"
    r"|purpose|abstract|introduction|agenda|(?:friendly |gentle )?reminder|minutes|(?:meeting )?notes?|decision|outcome"
    r"|description|expected|actual|attendees|fyi|heads-up): (?=\S+ \S+)"
)
_FINDING = any_of(r"^(?:results?|conclusions?|findings?|subject|summary|title|decision|outcome): ")
_PAPER = r"(?:we|this (?:paper|study|thesis|article|work))"
_AIM = any_of(rf"\b{_PAPER} (?:\w+ly )?(?:{STUDIES}|show|find|demonstrate|argue)s?\b")
_DECIDED = any_of(
    r"""
    \b(?:agreed|decided|resolved) (?:to|that|on)\b
    \b(?:was|were|has been|have been|will be) (?:decided|agreed|approved|rejected|postponed|moved|cancell?ed)\b
    \b(?:has been|have been|will be) (?:rescheduled|held|closed|shut|down|unavailable|replaced|introduced|offline)\b
    \bapproved\b
    """
)
_WRONG = any_of(
    r"""
    n['’]t\b
    \b(?:not|cannot|never|no longer|broken|broke|damaged|missing|wrong|twice|stuck|stopped|unable|nothing|faulty)\b
    \b(?:late|blank|empty|lost|cracked|double|charged|crash\w*|fail\w*|freez\w*|hangs?|errors?|refund\w*)\b
    \b(?:complain\w*|leak\w*|slow\w*|cancel\w*)\b
    """
)
_BUYS = any_of(r"\b(?:order\w*|refund|app|version|error|invoice|delivery|account|password)\b")
_JUDGED = any_of(
    r"\b(?:but|recommend\w*|disappoint\w*|excellent|great|amazing|terrible|awful|overpriced|delicious|love[ds]?|worst"
    r"|best|perfect\w*|poor\w*|rude|friendly|comfortable|uncomfortable|noisy|worth|avoid|cold|bland|lost)\b"
)
_STAYED = any_of(r"^(?:we|i) (?:\w+ )?(?:stayed|bought|visited|ate|booked|went|had|tried|got)\b| price\b")

_TELL = r"(?:wanted|want|would like|am writing|are writing|regret|are (?:pleased|happy|sorry|excited))"
# Words that only announce what a sentence says.
_OPENINGS = any_of(
    rf"""
    ^(?:unfortunately|however|also|furthermore|moreover|additionally|currently|as a reminder|fyi|note|so|well),?\ \b
    ^(?:at|in|during) (?:today's|yesterday's|this week's|the|our) (?:\w+ )?(?:meeting|call|stand-?up),? \b
    ^(?:in|with) this (?:paper|work|article|thesis|study),? \b
    ^it (?:was|has been) (?:decided|agreed|noted|reported) that \b
    ^(?:notice is (?:hereby )?given|take notice|please note|(?:please )?be advised|i noticed|we noticed) that \b
    ^(?:just |this is )?(?:a )?(?:quick |gentle |friendly )?reminder that \b
    ^this is to (?:inform|notify) you that \b
    ^(?:i|we) (?:just )?{_TELL} to (?:inform|let|tell|announce)(?: you)?(?: know)? that \b
    ^i(?: am|'m) afraid(?: that)? \b
    ^i am writing (?:to (?:complain|ask|enquire|inquire)|in regard to|regarding|with regard to)(?: about)? \b
    ^(?:i would|i'd|we would|we'd) like to (?:report|request|ask for|complain about|return|suggest|apply for) \b
    ^we(?: are|'re) (?:currently )?(?:looking for|hiring|seeking|recruiting) (?:an? )?\b
    ^(?:here,? )?{_PAPER} (?:\w+ly )?{STUDIES} (?!and\b|or\b|from\b|with\b)
    ^(?:here,? )?{_PAPER} (?:\w+ly )?(?:shows?|finds?|found|demonstrates?|argues?) that \b
    ^(?:could|can|would) you (?:please )?\b
    """
)
_ARTICLE = re.compile(r"^The (?!more\b|less\b|same\b|\d|first\b)(?=\S+ \S+ \S+)")
_CIRCUMSTANCE = any_of(
    r"^(when|whenever|after|since|if|while|because|as|once|before|every time|due to) ([^,]+), (?!then\b)(.+)$"
)
_SECOND = re.compile(r",? and (?:I|we|it|they|you|he|she) (?!still\b).*$")
# Where a sentence may be cut: before what only says when or why, before a second clause, at last before any phrase.
_CUTS = (
    re.compile(
        r"; | - |—|, (?:and (?:I|we|it|they|you|he|she)|so|which|who|where|although|though|while|because|since)\b"
        r"| (?:because|so that|since|while|when|whenever|although|though|even though|in order to)\b"
        r"| and (?:I|we|it|they|you|please)\b"
    ),
    re.compile(
        r", |: | (?:after|before|until|by \w+ing) | and (?:the|a|an|this|our|my|your|has|have|is|are|was|were|will) "
    ),
    re.compile(r" (?:to|for|in|on|at|with|from|without|and|as|using|that|who|which|via|by|between|during|over) "),
)
_CHANGE = re.compile(r"[a-z]+(?:\([\w./-]+\))?!?: ")
_SHORTENED = re.compile(r"\b[a-z]\.[a-z]\.$", re.IGNORECASE)


def message_title(lead: str, words: Sequence[str], options: DecodeOptions, letter: bool = False) -> list[Hypothesis]:
    """The title of a text that is no news, if a sentence of it gives one that fits.

    words: the alignment's columns; letter: it had a greeting, so it is no news for sure.
    """
    if options.exact_words is not None or not (letter or is_no_news(lead)):
        return []
    for sentence in map(_without_opening, _by_worth(split_sentences(lead))):
        cues = lead_cues(sentence)
        for text in dict.fromkeys(map(_without_end, _titles(sentence, options.mode != "compressive"))):
            if len(text.split()) > 2 and fits_limits(text, options) and not judge_polarity(cues, sentence, text)[0]:
                return [own_hypothesis(text, words, options)]
    return []


def _by_worth(sentences: Sequence[str]) -> list[str]:
    """The sentences that a title may be made of, best first."""
    said = [each for each in sentences if not _COURTESY.search(each) and len(each.split()) >= LEAST]
    said = [each for place, each in enumerate(said) if not (place and _REQUEST.search(each))] or list(sentences)
    cue = _wanted(said)
    first = [each for each in said if cue and cue.search(each)][:1]
    return [*first, *(each for each in said if each not in first)]


def _wanted(said: Sequence[str]) -> re.Pattern[str] | None:
    """What the best sentence has, by what kind of text it is; None where the first is the best."""
    whole = " ".join(said)
    if any(_FINDING.search(each) for each in said):
        return _FINDING
    if _AIM.search(whole):
        return _AIM
    if TROUBLE.search(whole.lower()) or (PERSON.search(whole) and _BUYS.search(whole)):
        return None if _REQUEST.search(whole) else _WRONG
    if _STAYED.search(whole):
        return _JUDGED
    return None if gives_steps(whole) else _DECIDED


def _without_opening(sentence: str) -> str:
    """A sentence without its label and the words that only announce it."""
    text = _LABEL.sub("", _without_end(sentence), count=1)
    for _ in range(0 if _CHANGE.match(text) else 3):
        text = with_capital(_OPENINGS.sub("", text.rstrip("?") if _REQUEST.search(text) else text, count=1))
    return text


def _titles(sentence: str, free: bool) -> Iterator[str]:
    """What a title may be of one sentence, best first: the whole where it is short, else as far as a clause reaches.

    free: its clauses may change places.
    """
    turned, text = _CIRCUMSTANCE.match(sentence) if free else None, sentence
    if turned:
        opener, aside, main = turned.groups()
        text = with_capital(_SECOND.sub("", main))
        yield _without_article(f"{text} {opener.lower()} {aside}")
    text = _without_article(text)
    size = len(text.split())
    if size <= GOOD:
        yield text
    yield from _cut(text, _CUTS[0])
    if size <= LONGEST:
        yield text
    states = has_verb(text)
    yield from (cut for end in _CUTS[1:] for cut in _cut(text, end) if has_verb(cut) or not states)


def _cut(text: str, end: re.Pattern[str]) -> list[str]:
    """The text cut where something ends, longest first, none longer than a good title or as short as half a thought."""
    cuts = [text[: match.start()] for match in end.finditer(text)]
    return [cut for cut in reversed(cuts) if SOME <= len(cut.split()) <= FULL and _is_level(cut)]


def _without_article(text: str) -> str:
    """A title without the article at its beginning; one like "fix(parser): …" stays as it is."""
    return text if _CHANGE.match(text) else with_capital(_ARTICLE.sub("", text))


def _without_end(text: str) -> str:
    """A text without the marks at its end, but for those of "a.m." and of a question."""
    return text.strip() if _SHORTENED.search(text) else re.sub(r"[\s,;:.\-–—!]+$", "", text)


def _is_level(text: str) -> bool:
    """Whether brackets and quotation marks are closed."""
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0 and text.count("“") == text.count("”")
