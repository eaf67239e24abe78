"""Text as a reader sees it: without the tags of HTML and the marks of Markdown that come along from a page."""

from __future__ import annotations

import html
import re

_INLINE = frozenset(["a", "abbr", "b", "code", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u"])
_BLOCKS = "article|blockquote|br|div|figure|figcaption|h[1-6]|hr|img|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul"
_NAMES = "|".join([*sorted(_INLINE), _BLOCKS])
# Spans have a longest size, so that hostile text (marks that are opened ten thousand times) takes no long search.
_UNSEEN = re.compile(r"<(script|style)\b[^<>]*>.{0,5000}?</\1\s*>|<!--.{0,1000}?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:https?://|/|mailto:)[^()\s]*\)")
_BOLD = re.compile(r"\*\*(?=\S)(.{1,300}?)(?<=\S)\*\*")


def strip_markup(text: str) -> str:
    """The text without tags of HTML, entities, Markdown links and bold marks; any other text stays as it is.

    Only names that HTML has are tags, so `<unk>`, `<s>` and "a < b" stay.

    >>> strip_markup("<p>The <b>court</b> ruled &amp; **left**, [it said](https://court.example).</p>")
    ' The court ruled & left, it said. '
    """
    if "<" in text:
        text = _TAG.sub(_space, _UNSEEN.sub(" ", text))
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return _BOLD.sub(r"\1", text) if "**" in text else text


def _space(tag: re.Match[str]) -> str:
    """Blocks part words, marks inside a sentence do not."""
    name = tag[0].strip("</> ").split()[0].lower()
    return "" if name in _INLINE else " "
