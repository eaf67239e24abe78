"""Cleaners take noise off leads and headlines before filtering; each has a name, and what it changes is counted."""

from __future__ import annotations

import re
from collections.abc import Callable

from hedline.corpora.pairs import Pair
from hedline.errors import UserError

_MASTHEAD = re.compile(
    r"(?:\b(?:News|Times|Post|Herald|Tribune|Journal|Guardian|Gazette|Chronicle|Telegraph|Mail|Express|Mirror|Review|"
    r"Magazine|Online|Press|Reuters|BBC|CNN|NBC|CBS|ABC|Bloomberg|Today|Daily|Observer|Independent|Standard|Report|"
    r"Star|Sun|Globe|Network|Radio|TV|Wire|Weekly|Politics|Business|Sport|Sports|World)$|^\S+\.(?:com|org|net|co|uk|ca|au|in)$)"
)
_SEPARATOR = re.compile(r"[|¦]| [-–—] ")
_PIPE = re.compile(r"\s*[|¦]\s*")
_DASH = re.compile(r"\s+[-–—]\s+")
_LABEL = re.compile(
    r"^(?:(?:breaking(?: news)?|watch(?: live)?|video|photos?|pictures|live(?: updates?| blog)?|opinion|analysis|"
    r"editorial|exclusive|explainer|podcast|review|letters?|column|sponsored|gallery|interview|listen|read|quiz)\s*[:|]"
    r"|\[[^\]]{1,25}\])\s*",
    re.IGNORECASE,
)
_LABEL_SIGN = re.compile(r"[:|¦\])]")
_LABEL_AFTER = re.compile(
    r"\s*[(\[](?:video|photos?|pictures|live|opinion|watch|updated?|exclusive)[)\]]\s*$", re.IGNORECASE
)
# "LONDON (Reuters) - ", "NEW YORK, Jan. 3 (AP) — ", "(CNN) -- "
_DATELINE = re.compile(
    r"^(?:[A-Z][A-Z.'’]+(?:[ /-][A-Z][A-Z.'’]*)*(?:, [A-Z][\w. ]{1,20}?){0,2}(?:, \d{1,2}(?: \w+)?)?"
    r"\s*(?:\([A-Za-z][\w .,/&-]{1,30}\))?\s*(?:--|[-–—_:])|\([A-Z][\w .,/&-]{1,30}\)\s*(?:--|[-–—_:])?)\s+(?=\S)"
)


def site_suffix(pair: Pair) -> Pair:
    """Take " | Site" and " - Source Name" off the end of a headline, when at least three words remain."""
    headline = pair.headline
    if not _SEPARATOR.search(headline):
        return pair
    pieces = _PIPE.split(headline)
    while len(pieces) > 1 and len(pieces[-1].split()) <= 5 and len(" ".join(pieces[:-1]).split()) >= 3:
        pieces.pop()
        headline = " | ".join(pieces)
    parts = _DASH.split(headline)
    if len(parts) > 1 and _is_masthead(parts[-1], pair.source):
        shorter = headline[: headline.rindex(parts[-1])].rstrip(" -–—")
        headline = shorter if len(shorter.split()) >= 3 else headline
    return pair._replace(headline=headline) if headline != pair.headline else pair


def _is_masthead(text: str, source: str) -> bool:
    words = text.split()
    if not 1 <= len(words) <= 5 or not text[0].isupper():
        return bool(source) and text.lower() == source.lower()
    return text.lower() == source.lower() or bool(_MASTHEAD.search(text))


def section_label(pair: Pair) -> Pair:
    """Take "Watch:", "Opinion |", "[Video]" and their like off a headline, when at least three words remain."""
    if not _LABEL_SIGN.search(pair.headline):
        return pair
    headline = _LABEL_AFTER.sub("", _LABEL.sub("", pair.headline))
    pieces = _PIPE.split(headline, maxsplit=1)
    if len(pieces) == 2 and len(pieces[0].split()) <= 2:
        headline = pieces[1]
    if headline == pair.headline or len(headline.split()) < 3:
        return pair
    return pair._replace(headline=headline)


def dateline(pair: Pair) -> Pair:
    """Take a dateline such as "LONDON (Reuters) -" off a lead, when at least five words remain."""
    lead = strip_dateline(pair.lead)
    return pair._replace(lead=lead) if lead != pair.lead and len(lead.split()) >= 5 else pair


def strip_dateline(text: str) -> str:
    """The text after its dateline; unchanged when it has none.

    >>> strip_dateline("LONDON (Reuters) - The river rose.")
    'The river rose.'
    """
    return _DATELINE.sub("", text, count=1)


Cleaner = Callable[[Pair], Pair]

CLEANERS: dict[str, Cleaner] = {
    "site-suffix": site_suffix,
    "section-label": section_label,
    "dateline": dateline,
}


def clean_pair(pair: Pair, names: tuple[str, ...], counts: dict[str, int]) -> Pair:
    """Run the named cleaners in order; `counts` gets one for each that changed the pair."""
    for name in names:
        cleaned = CLEANERS[name](pair)
        if cleaned is not pair:
            counts[name] = counts.get(name, 0) + 1
            pair = cleaned
    return pair


def check_cleaners(names: tuple[str, ...]) -> None:
    """Stop on a name that is no cleaner's."""
    for name in names:
        if name not in CLEANERS:
            raise UserError(f"unknown cleaner {name!r}; the cleaners are {', '.join(CLEANERS)}")
