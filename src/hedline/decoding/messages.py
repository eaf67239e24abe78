"""Which texts are no news: letters, tickets, notes, abstracts, changes to a program, offers, recipes, notices.

A model that has read news alone makes news of them, so their titles are made of their own words (message_titles.py).
`choice.is_message` is what the guards ask, for any model; here are the texts that a model of news should not head.
"""

from __future__ import annotations

import re

from hedline.decoding.choice import TROUBLE, is_message
from hedline.text.clean import split_sentences
from hedline.text.tokenize import remembered


def any_of(lines: str) -> re.Pattern[str]:
    """A pattern that finds any of the patterns given line by line, whatever their case."""
    return re.compile("|".join(line.strip(" ") for line in lines.strip().split("\n")), re.IGNORECASE)


QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
PERSON = re.compile(r"(?<!\w)(?:I|I['’]m|I['’]ve|[Mm]y|[Ww]e|[Oo]ur|[Yy]ou|[Yy]our)\b(?!\.)")
WRITER = re.compile(r"(?<!\w)(?:I|I['’]m|I['’]ve|[Mm]y)\b(?!\.)")
_REPORTING = any_of(r"\b(?:said|says|told|announced|reported|according to)\b")
_NEWS = re.compile(
    r" The post .* appeared first|\bContinue reading\b|…|\b(?:say|alleges?|urged)\b"
    r"|\bon (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b[^.]*$"
)
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][a-z]+ [A-Z][a-z]+")
STUDIES = (
    r"(?:presents?|proposes?|introduces?|describes?|study|studies|investigates?|examines?|analy[sz]es?|explores?"
    r"|develops?|evaluates?|compares?|reviews?|reports?|considers?|discuss(?:es)?)"
)
# What only somebody says who writes to somebody, notes, offers, asks for something or gives notice.
_SURE = any_of(
    rf"""
    ^(?:hi|hello|hey|dear)\b[^.]{{0,40}},
    \b(?:let me know|(?:i|we) look forward to|looking forward to (?:hearing|seeing|your)|sincerely|cheers,)
    ^(?:subject|agenda|attendees|minutes|(?:meeting )?notes|(?:[\w-]+ )?(?:sync|stand-?up|retro)|reminder): \b
    ^(?:steps|description|expected|actual|feature request|bug(?: report)?): \b
    ^(?:feat|fix|chore|docs|refactor|perf|test|build|ci|style)(?:\([\w./-]+\))?!?: \b
    ^(?:background|objectives?|aims?|purpose|abstract|summary|ingredients|introduction): \b
    \bin this (?:paper|work|article|thesis|study),? we\b(?!['’])
    \bthis (?:paper|thesis|article) (?:\w+ly )?(?:{STUDIES}|argues|shows)\b
    ^(?:here,? )?we (?:\w+ly )?(?:{STUDIES}|prove|derive|measure|demonstrate|are (?:hiring|looking for|seeking))\b
    \b(?:at|in|during) (?:today's|yesterday's|this week's) (?:\w+ )?(?:meeting|call|stand-?up)\b
    \bit was (?:decided|agreed) (?:that|to)\b
    \baction items?\b
    \bhereby\b
    ^take notice\b
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
_TICKET = any_of(
    rf"^(?:[A-Z][\w ]{{2,20}}: )?(?:the |our |my |all |some |new |text in the )?(?:[\w-]+ ){{0,3}}{_THING}s?"
    r"(?: (?!(?:has|have|had|was|were|will)\b)\w+){0,4}"
    r" (?:cannot|can't|can not|do(?:es)? not|do(?:es)?n't|is not|isn't|are not|aren't|fails?|crash(?:es)?|freezes?"
    r"|hangs?|throws?|returns?|shows?|displays?|prints?|jams?|loses?|ignores?|times out|logs? out|keeps|takes"
    rf"|(?:is|are) {_BROKEN})\b"
)
_OFFER = any_of(
    r"^(?:this|these) (?:[\w'-]+ ){1,6}?(?:keeps?|is|are|has|have|features?|comes?|needs?|offers?|makes?|fits?|lets?"
    r"|provides?|includes?|helps?|packs?|holds?|delivers?|combines?)\b.*\b(?:your?|made|design(?:ed)?|comes with|easy"
    r"|pockets?|handles?|litres?|cm|mm|ml|kg|colou?rs?|sizes?|lightweight|durable|waterproof|ingredients|hours)\b"
)
_STEP = any_of(
    r"^(?:bring|heat|mix|combine|whisk|chop|place|boil|fry|slice|stir|melt|peel|rinse|drain|cook|beat|cut|pour|click"
    r"|open|press|insert|remove|unplug|attach|turn|set|wash|soak|toast|roast|bake|marinate|grill|replace|check|add"
    r"|rename|move|drop|bump|handle|implement|introduce|document|avoid|prevent|extract|simplify|cache|validate|return"
    r"|log|skip|switch|upgrade|revert|clean|expose|ensure|disable|enable|make|use|allow|fix|correct|support|convert"
    r"|split|merge|speed up|clean up|do not|don't|stop|reduce|improve|refactor|rewrite|update)"
    r" (?:an?|the|all|two|three|four|your|support|missing|unused|deprecated|duplicate|default|error|unit|tests?|from|to"
    r"|crash|fail)\b"
)


@remembered(most=1 << 16)
def is_no_news(lead: str) -> bool:
    """Whether a text is a letter, a ticket, an offer or the like; more of them than `is_message` is sure of.

    >>> is_no_news("We stayed for a week. The rooms were clean."), is_no_news("Lund opened a bridge. It cost a lot.")
    (True, False)
    """
    plain = QUOTED.sub("", lead)
    if _NEWS.search(plain):
        return False
    several = len(split_sentences(plain)) > 1
    if _SURE.search(plain) or is_message(lead) or (several and WRITER.search(plain)):
        return True
    if _REPORTING.search(plain):
        return False
    if several and (PERSON.search(plain) or TROUBLE.search(plain.lower())):
        return True
    return bool(_TICKET.search(plain) or _OFFER.search(plain) or gives_steps(plain))


def gives_steps(text: str) -> bool:
    """Whether a text begins by telling somebody to do something, as recipes and changes to a program do."""
    return bool(_STEP.search(text)) and not _NAME.search(text)
