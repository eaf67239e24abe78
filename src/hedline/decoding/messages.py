"""Titles for what is no news: letters, tickets, notes, abstracts, changes to a program, offers, recipes, notices.

A model that has read news alone makes news of them, so their titles are made of their own words. One of the sentences
is taken (a finding, a decision, what went wrong, else the first), without its opening ("We present"), with the main
clause before the circumstance ("It freezes when I click"), as far as a good title reaches. Nothing is invented, and a
cut that would lose a "not" or an "unless" is not made. `choice.is_message` is what the guards ask, for any model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hedline.decoding.choice import TROUBLE, is_message, lead_cues
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


def _any_of(lines: str) -> re.Pattern[str]:
    """A pattern that finds any of the patterns given line by line, whatever their case."""
    return re.compile("|".join(line.strip(" ") for line in lines.strip().split("\n")), re.IGNORECASE)


_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_PERSON = re.compile(r"(?<!\w)(?:I|I['’]m|I['’]ve|[Mm]y|[Ww]e|[Oo]ur|[Yy]ou|[Yy]our)\b(?!\.)")
_WRITER = re.compile(r"(?<!\w)(?:I|I['’]m|I['’]ve|[Mm]y)\b(?!\.)")
_REPORTING = _any_of(r"\b(?:said|says|told|announced|reported|according to)\b")
_NEWS = re.compile(
    r" The post .* appeared first|\bContinue reading\b|…|\b(?:say|alleges?|urged)\b"
    r"|\bon (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b[^.]*$"
)
_CAPITAL = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z]")  # news names somebody, or a place
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][a-z]+ [A-Z][a-z]+")
_STUDIES = (
    r"(?:presents?|proposes?|introduces?|describes?|study|studies|investigates?|examines?|analy[sz]es?|explores?"
    r"|develops?|evaluates?|compares?|reviews?|reports?|considers?|discuss(?:es)?)"
)
_READERS = r"(?:residents|customers|passengers|members|employees|staff|tenants|parents|guests|visitors|users|students)"
# What only somebody says who writes to somebody, notes, offers, asks for something or gives notice.
_SURE = _any_of(
    rf"""
    ^(?:hi|hello|hey|dear)\b[^.]{{0,40}},
    \b(?:let me know|(?:i|we) look forward to|looking forward to (?:hearing|seeing|your)|sincerely|cheers,)
    ^(?:subject|agenda|attendees|minutes|(?:meeting )?notes|(?:[\w-]+ )?(?:sync|stand-?up|retro)|reminder): \b
    ^(?:steps|description|expected|actual|feature request|bug(?: report)?): \b
    ^(?:feat|fix|chore|docs|refactor|perf|test|build|ci|style)(?:\([\w./-]+\))?!?: \b
    ^(?:background|objectives?|aims?|purpose|abstract|summary|ingredients|introduction): \b
    \bin this (?:paper|work|article|thesis|study),? we\b(?!['’])
    \bthis (?:paper|thesis|article) (?:\w+ly )?(?:{_STUDIES}|argues|shows)\b
    ^(?:here,? )?we (?:\w+ly )?(?:{_STUDIES}|prove|derive|measure|demonstrate|are (?:hiring|looking for|seeking))\b
    \b(?:at|in|during) (?:today's|yesterday's|this week's) (?:\w+ )?(?:meeting|call|stand-?up)\b
    \bit was (?:decided|agreed) (?:that|to)\b
    \baction items?\b
    \bhereby\b
    ^this (?:policy|agreement|document|guide|page|manual|notice) (?:explains|describes|sets out|applies|governs)\b
    ^take notice\b
    ^(?:all )?{_READERS} are (?:hereby |kindly )?(?:informed|advised|reminded|asked|requested) (?:that|to)\b
    \b(?:impossible to put down|page-turner|must-read|will love (?:it|this)|beautifully written)\b
    \b(?:a|my new) favou?rite of mine\b
    \b(?:our|these|the following) terms\b
    \bby using this\b
    \bthe (?:tenant|landlord|licensee|supplier|client|lessee|lessor) (?:shall|must|agrees)\b
    \b(?:full|part)-time\b.{{0,60}}\b(?:wanted|needed|position)
    \b(?:experience (?:preferred|required)|ideal candidate|join our (?:\w+ )?team|apply (?:now|by|with)\b)
    \b(?:highly recommend|would(?: not|n't)? recommend|for the price|at this price|waste of money|worth the money)\b
    \b(?:five|\d)(?: out of \d)? stars\b
    \b(?:machine[- ]washable|free shipping|money-back|batteries (?:not )?included)\b
    \b(?:dishwasher|microwave)(?: and \w+)? safe\b
    \bsuitable for (?:all|most|any|indoor|outdoor)\b
    ^handmade\b
    ^[a-z]+ (?:\w+ )?(?:with|in) our\b
    \b(?:al dente|until golden|salt and pepper|(?:medium|low|high) heat|tablespoons?|teaspoons?|preheat(?:ed)?)\b
    """
)
_THING = (
    r"(?:users?|customers?|app|page|button|login|printer|server|screen|password|dashboard|browser|website|script|api"
    r"|export|import|upload|download|build|test|cli|database|plugin|form|dialog|menu|checkout|endpoint|scanner|laptop"
    r"|router|keyboard|mouse|monitor|settings|vpn|wi-?fi|update|installer|search|filter|report|invoice|toolbar|editor)"
)
_BROKEN = (
    r"(?:unreadable|missing|wrong|broken|empty|blank|slow|misaligned|truncated|ignored|lost|disabled|unavailable|down"
    r"|duplicated|stuck|cut off|offline|corrupt\w*|too \w+)"
)
_TICKET = _any_of(
    rf"^(?:[A-Z][\w ]{{2,20}}: )?(?:the |our |my |all |some |new |text in the )?(?:[\w-]+ ){{0,3}}{_THING}s?"
    r"(?: (?!(?:has|have|had|was|were|will)\b)\w+){0,4}"
    r" (?:cannot|can't|can not|do(?:es)? not|do(?:es)?n't|is not|isn't|are not|aren't|fails?|crash(?:es)?|freezes?"
    r"|hangs?|throws?|returns?|shows?|displays?|prints?|jams?|loses?|ignores?|times out|logs? out|keeps|takes"
    rf"|(?:is|are) {_BROKEN})\b"
)
_OFFER = _any_of(
    r"^(?:this|these) (?:[\w'-]+ ){1,6}?(?:keeps?|is|are|has|have|features?|comes?|needs?|offers?|makes?|fits?|lets?"
    r"|provides?|includes?|helps?|packs?|holds?|delivers?|combines?)\b.*\b(?:your?|made|design(?:ed)?|comes with|easy"
    r"|pockets?|handles?|litres?|cm|mm|ml|kg|colou?rs?|sizes?|lightweight|durable|waterproof|ingredients|hours)\b"
)
_STEP = _any_of(
    r"^(?:bring|heat|mix|combine|whisk|chop|place|boil|fry|slice|stir|melt|peel|rinse|drain|cook|beat|cut|pour|click"
    r"|open|press|insert|remove|unplug|attach|turn|set|wash|soak|toast|roast|bake|marinate|grill|replace|check|add"
    r"|rename|move|drop|bump|handle|implement|introduce|document|avoid|prevent|extract|simplify|cache|validate|return"
    r"|log|skip|switch|upgrade|revert|clean|expose|ensure|disable|enable|make|use|allow|fix|correct|support|convert"
    r"|split|merge|speed up|clean up|do not|don't|stop|reduce|improve|refactor|rewrite|update)"
    r" (?:an?|the|all|two|three|four|your|support|missing|unused|deprecated|duplicate|default|error|unit|tests?|from|to"
    r"|crash|fail)\b"
)


def is_no_news(lead: str) -> bool:
    """Whether a text is a letter, a ticket, an offer or the like; more of them than `is_message` is sure of.

    >>> is_no_news("We stayed for a week. The rooms were clean."), is_no_news("Lund opened a bridge. It cost a lot.")
    (True, False)
    """
    plain = _QUOTED.sub("", lead)
    if _NEWS.search(plain):
        return False
    several = len(split_sentences(plain)) > 1
    if _SURE.search(plain) or is_message(lead) or (several and _WRITER.search(plain)):
        return True
    if _REPORTING.search(plain):
        return False
    if several and (_PERSON.search(plain) or TROUBLE.search(plain.lower()) or not _CAPITAL.search(plain)):
        return True
    return bool(_TICKET.search(plain) or _OFFER.search(plain) or _gives_steps(plain))


def _gives_steps(text: str) -> bool:
    """Whether a text begins by telling somebody to do something, as recipes and changes to a program do."""
    return bool(_STEP.search(text)) and not _NAME.search(text)


# Sentences that say nothing of what a message is about.
_COURTESY = _any_of(
    r"""
    ^(?:thanks|thank you|hi|hello|hey|dear|(?:kind|best|warm) regards|regards|cheers|best|sincerely|sorry|welcome to)\b
    ^(?:i hope|hope|please|kindly|let me know|any help|looking forward|(?:we|i) look forward|feel free|as discussed)\b
    ^(?:i(?: have|'ve) (?:already )?tried|have a (?:nice|great|good)|as you (?:may )?know|if you have any)\b
    ^steps to reproduce\b
    """
)
_REQUEST = _any_of(r"^(?:could|can|would|will) you\b")
_LABEL = _any_of(
    r"^(?:everyone,? )?(?:background|methods?|results?|conclusions?|findings?|subject|summary|title|objectives?|aims?"
    r"|purpose|abstract|introduction|agenda|(?:friendly |gentle )?reminder|minutes|(?:meeting )?notes?|decision|outcome"
    r"|description|expected|actual|attendees|fyi|heads-up): (?=\S+ \S+)"
)
_FINDING = _any_of(r"^(?:results?|conclusions?|findings?|subject|summary|title|decision|outcome): ")
_PAPER = r"(?:we|this (?:paper|study|thesis|article|work))"
_AIM = _any_of(rf"\b{_PAPER} (?:\w+ly )?(?:{_STUDIES}|show|find|found|showed|demonstrate|argue)s?\b")
_DECIDED = _any_of(
    r"""
    \b(?:agreed|decided|resolved) (?:to|that|on)\b
    \b(?:was|were|has been|have been|will be) (?:decided|agreed|approved|rejected|postponed|moved|cancell?ed)\b
    \b(?:has been|have been|will be) (?:rescheduled|held|closed|shut|down|unavailable|replaced|introduced|offline)\b
    \bapproved\b
    """
)
_WRONG = _any_of(
    r"""
    n['’]t\b
    \b(?:not|cannot|never|no longer|broken|broke|damaged|missing|wrong|twice|stuck|stopped|unable|nothing|faulty)\b
    \b(?:late|blank|empty|lost|cracked|double|charged|crash\w*|fail\w*|freez\w*|hangs?|errors?|refund\w*)\b
    \b(?:complain\w*|leak\w*|slow\w*|cancel\w*)\b
    """
)
_BUYS = _any_of(r"\b(?:order\w*|refund|app|version|error|invoice|delivery|account|password)\b")
_JUDGED = _any_of(
    r"\b(?:but|recommend\w*|disappoint\w*|excellent|great|amazing|terrible|awful|overpriced|delicious|love[ds]?|worst"
    r"|best|perfect\w*|poor\w*|rude|friendly|comfortable|uncomfortable|noisy|worth|avoid|cold|bland|lost)\b"
)
_STAYED = _any_of(r"^(?:we|i) (?:\w+ )?(?:stayed|bought|visited|ate|booked|went|had|tried|got)\b| price\b")

_TELL = r"(?:wanted|want|would like|am writing|are writing|regret|are (?:pleased|happy|sorry|excited))"
# Words that only announce what a sentence says.
_OPENINGS = _any_of(
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
    ^(?:here,? )?{_PAPER} (?:\w+ly )?{_STUDIES} (?!and\b|or\b|from\b|with\b)
    ^(?:here,? )?{_PAPER} (?:\w+ly )?(?:show(?:s|ed)?|finds?|found|demonstrated?|argues?) that \b
    ^(?:could|can|would) you (?:please )?\b
    ^(?:hi |hello )?(?:team|all|everyone|everybody|folks|colleagues|guys), \b
    ^(?:i am|i'm|we are|we're) writing to \b
    ^in (?:an?|our|this) (?:[\w-]+ ){{0,3}}(?:study|trial|survey|sample|analysis|experiment)\b(?:[^,]|,\d){{0,60}}, \b
    ^(?:all )?{_READERS} are (?:hereby |kindly )?(?:informed|advised|reminded) that \b
    """
)
_ARTICLE = re.compile(r"^The (?!more\b|less\b|same\b|\d|first\b)(?=\S+ \S+ \S+)")
_CIRCUMSTANCE = _any_of(
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
    if TROUBLE.search(whole.lower()) or (_PERSON.search(whole) and _BUYS.search(whole)):
        return None if _REQUEST.search(whole) else _WRONG
    if _STAYED.search(whole):
        return _JUDGED
    return None if _gives_steps(whole) else _DECIDED


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
