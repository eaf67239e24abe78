"""Control tokens: what a headline should be like, said to a subword model before the input.

Each training pair is labelled with how long its headline is, how much of it the lead supports, and how it is
cased; training sometimes hides a label behind its `any` form. At run time the labels are dials: a length, a wish
for faithfulness, sentence case.
"""

from __future__ import annotations

import re

from hedline.text.stopwords import FUNCTION_WORDS

LENGTHS = (5, 7, 9, 11, 13, 16)  # upper bounds of the length classes in words; the last class is open
SUPPORTS = (0.4, 0.6, 0.8, 0.999)  # upper bounds of the supported share of content words

LENGTH_NAMES = (*(f"<len:{bound}>" for bound in LENGTHS), "<len:long>", "<len:any>")
SUPPORT_NAMES = (*(f"<sup:{level}>" for level in range(len(SUPPORTS) + 1)), "<sup:any>")
CASE_NAMES = ("<case:sentence>", "<case:title>", "<case:any>")
GROUPS = (LENGTH_NAMES, SUPPORT_NAMES, CASE_NAMES)
CONTROLS: tuple[str, ...] = tuple(name for group in GROUPS for name in group)
ANY: tuple[str, ...] = tuple(group[-1] for group in GROUPS)

_WORD = re.compile(r"[^\W_]+")


def pair_controls(lead: str, headline: str) -> list[str]:
    """The three control names of a training pair: length, support, case."""
    return [
        length_control(len(headline.split())),
        support_control(support(lead, headline)),
        case_control(headline),
    ]


def length_control(words: int) -> str:
    """The length class of a headline of so many words."""
    return LENGTH_NAMES[sum(words > bound for bound in LENGTHS)]


def support_control(share: float) -> str:
    """The support class for a share of supported content words."""
    return SUPPORT_NAMES[sum(share >= bound for bound in SUPPORTS)]


def dialed_support(usual: str, abstractiveness: float | None) -> str:
    """The support class for `--abstractiveness`: towards 1 the model decides, about 0 the usual class, towards -1 all.

    The lowest classes are no wish anyone has: they stand for headlines of which the lead says nothing.

    >>> [dialed_support("<sup:3>", dial) for dial in (1.0, 0.0, None, -1.0)]
    ['<sup:any>', '<sup:3>', '<sup:3>', '<sup:4>']
    """
    if abstractiveness is None or abs(abstractiveness) < 0.5:
        return usual
    return SUPPORT_NAMES[-1] if abstractiveness > 0 else SUPPORT_NAMES[-2]


def support(lead: str, headline: str) -> float:
    """Share of the headline's content words that stand in the lead (0 when it has none).

    >>> support("The mayor of Lund resigned.", "Lund mayor quits")
    0.6666666666666666
    """
    content = [word for word in _WORD.findall(headline.lower()) if word not in FUNCTION_WORDS]
    known = set(_WORD.findall(lead.lower()))
    return sum(word in known for word in content) / len(content) if content else 0.0


def case_control(headline: str) -> str:
    """Sentence case, Title Case, or neither clearly."""
    inner = [word for word in headline.split()[1:] if len(word) > 3 and word[0].isalpha()]
    if len(inner) < 3 or headline.isupper():
        return CASE_NAMES[-1]
    share = sum(word[0].isupper() for word in inner) / len(inner)
    return "<case:title>" if share >= 0.85 else "<case:sentence>" if share <= 0.6 else CASE_NAMES[-1]
