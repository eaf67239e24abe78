"""Filters say why a pair is left out. Each is a named function, and True means *remove*.

A filter is asked about a `Candidate`: the raw pair, the model's words, and what follows from them. The paper's three
filters (section 7.1) are `no-overlap`, `editing-marks` and `question-colon`; they match words, so that "Japan" does not
fall to the mark "AP". The four `namas-…` filters are the released script's rules, bugs included, and `title_words`
drops title punctuation as its preparation does. Presets are named sets of filters and cleaners: the paper's text, the
released script, and open news feeds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hedline.corpora.pairs import Pair
from hedline.errors import UserError
from hedline.text.tokenize import is_content_word


class Candidate:
    """A pair with its normalised words.

    lead_types: the lead's word types; headline_content: the headline's content words, repeats kept.
    """

    __slots__ = ("headline_content", "headline_words", "lead_types", "lead_words", "pair")

    def __init__(self, pair: Pair, lead_words: list[str], headline_words: list[str]) -> None:
        self.pair, self.lead_words, self.headline_words = pair, lead_words, headline_words
        self.lead_types = frozenset(lead_words)
        self.headline_content = [word for word in headline_words if is_content_word(word)]

    @property
    def supported_share(self) -> float:
        """Share of the headline's content words that stand in the lead; 0 when it has none."""
        content, types = self.headline_content, self.lead_types
        return sum(word in types for word in content) / len(content) if content else 0.0


KEEP, DROP, NAMAS = "keep", "drop", "namas"
MODES = (KEEP, DROP, NAMAS)

_COMMON = frozenset({'"', "'", "''", "!", "=", "-", "--", ",", "?", ".", "``", "`", "-rrb-", "\\/"})
_DROPPED = {
    DROP: _COMMON | {"-lrb-", ":", ";", "...", "/"},
    # The release misspells -lrb- as -llb-, so opening brackets, colons and semicolons stay.
    NAMAS: _COMMON | {"-llb-"},
}


def title_words(words: Sequence[str], mode: str) -> list[str]:
    """A headline's words under a punctuation mode; all of them when nothing else would remain."""
    if mode == KEEP:
        return list(words)
    dropped = _DROPPED[mode]
    return [word for word in words if word not in dropped] or list(words)


@dataclass(frozen=True)
class FilterSettings:
    """Which filters run, in which order, and their limits (lengths in the model's words, ends included)."""

    names: tuple[str, ...] = ()
    lead_words: tuple[int, int] = (1, 99)
    headline_words: tuple[int, int] = (1, 49)
    min_overlap: float = 0.0
    sources: tuple[str, ...] = ()
    exclude_sources: tuple[str, ...] = ()
    exclude_period: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in FILTERS:
                raise UserError(f"unknown filter {name!r}; the filters are {', '.join(FILTERS)}")


# Words only wire editors write, wherever they stand.
_MARKS = """recasts undated grafs retransmitting writethru ld-writethru djlfx thruout overline embargoed
adv# adv## adv### ny###"""
MARKS = frozenset(_MARKS.split())
# Ordinary words that are editing marks only at an editor's place: before a dash or colon, after a dash at the end, or
# in brackets. "(AP)" goes, "AP reporter freed" and "Apple adds a store" stay.
_PLACED = """ap afp upi reuters gmt eds byline dateline update updates urgent attention adds corrects correction
corrected quotes background embargo inserts recaps repetition repeats edits incorporates refiles advisory alert flash
clarifies clarification exclusive"""
PLACED_MARKS = frozenset(_PLACED.split())
_ANY_PLACED = "|".join(sorted(PLACED_MARKS, key=len, reverse=True))
_PLACED_MARK = re.compile(
    rf"^\W*(?:{_ANY_PLACED})\b\s*[\d#]*\s*(?:[-–—:|/)\]]|$)"
    rf"|[(\[](?:{_ANY_PLACED})\b[^)\]]*[)\]]"
    rf"|[-–—|]\s*(?:{_ANY_PLACED})\s*[\d#]*\s*$",
    re.IGNORECASE,
)
_NUMBERED_MARK = re.compile(r"^\W*(?:update|correct(?:ed|ion)?|refile|repeat)\s?\d+\s?[-–—:]", re.IGNORECASE)
_NAME = r"[A-Z][\w.'’-]*(?: (?:de|van|von|der|la|and|[A-Z][\w.'’-]*)){1,5}"
_BYLINE = re.compile(rf"^By {_NAME}(?:,.*)?$|(?:[-–—|,/(]|\s-) ?[Bb]y {_NAME}\)?$")

# Function words that tell English from its neighbours; words several languages share are in neither list.
_ENGLISH = """the and of to for with is was are were from by at that this his her its their has have had will after
over but who not been it they about which what when"""
_FOREIGN = """el los las del que por para con una como más le les des du et dans pour sur est une au aux qui der die
das und den dem ist nicht mit von zu ein eine auf für im il che gli della di per non sono è o os da do em um uma não
het een van en de la"""
ENGLISH, FOREIGN = frozenset(_ENGLISH.split()), frozenset(_FOREIGN.split())


def no_overlap(candidate: Candidate, settings: FilterSettings) -> bool:
    """The paper's (1): no content word of the headline stands in the lead."""
    return candidate.lead_types.isdisjoint(candidate.headline_content)


def editing_marks(candidate: Candidate, settings: FilterSettings) -> bool:
    """The paper's (2): the headline holds a byline or an editor's mark."""
    words, headline = candidate.headline_words, candidate.pair.headline
    if not MARKS.isdisjoint(words) or _NUMBERED_MARK.match(headline):
        return True
    if not PLACED_MARKS.isdisjoint(words) and _PLACED_MARK.search(headline):
        return True
    return "by" in words and _BYLINE.search(headline) is not None


def question_colon(candidate: Candidate, settings: FilterSettings) -> bool:
    """The paper's (3): the headline has a question mark or a colon (a time such as 10:30 is no colon)."""
    return ":" in candidate.headline_words or "?" in candidate.pair.headline


def lead_length(candidate: Candidate, settings: FilterSettings) -> bool:
    """The lead has too few or too many words."""
    low, high = settings.lead_words
    return not low <= len(candidate.lead_words) <= high


def headline_length(candidate: Candidate, settings: FilterSettings) -> bool:
    """The headline has too few or too many words."""
    low, high = settings.headline_words
    return not low <= len(candidate.headline_words) <= high


def min_overlap(candidate: Candidate, settings: FilterSettings) -> bool:
    """Too small a share of the headline's content words stands in the lead."""
    return candidate.supported_share < settings.min_overlap


def sources(candidate: Candidate, settings: FilterSettings) -> bool:
    """The source is excluded, or a list of wanted sources does not have it (compared without regard to case)."""
    source = candidate.pair.source.lower()
    if source in settings.exclude_sources:
        return True
    return bool(settings.sources) and source not in settings.sources


def period(candidate: Candidate, settings: FilterSettings) -> bool:
    """The article is dated inside the excluded period (the paper leaves out the time of the DUC documents)."""
    start, end = settings.exclude_period
    return bool(candidate.pair.date) and start <= candidate.pair.date[:10] <= end


def language(candidate: Candidate, settings: FilterSettings) -> bool:
    """The lead does not read as English: other languages' function words prevail, or many letters are not Latin."""
    foreign = sum(map(FOREIGN.__contains__, candidate.lead_words))
    if foreign and foreign > sum(map(ENGLISH.__contains__, candidate.lead_words)):
        return True
    if len(candidate.pair.lead.encode("utf-8", "replace")) < 1.2 * len(candidate.pair.lead):
        return False  # almost one byte per letter: no fifth of them can be of another script
    letters = [letter for letter in candidate.pair.lead if letter.isalpha()]
    return sum(letter > "\u024f" for letter in letters) > 0.2 * len(letters)


def lead_copy(candidate: Candidate, settings: FilterSettings) -> bool:
    """The headline is the lead, or its beginning, word for word."""
    return candidate.lead_words[: len(candidate.headline_words)] == candidate.headline_words


# The released script looks for these anywhere inside the lower-cased title, "ap" in "japan" included.
_NAMAS = """update# update recasts undated grafs corrects retransmitting updates dateline writethru recaps inserts
incorporates adv## ld-writethru djlfx edits byline repetition background thruout quotes attention ny### overline
embargoed ap gmt adds embargo urgent ? -lrb- -rrb-"""
NAMAS_SUBSTRINGS: tuple[str, ...] = (*_NAMAS.split(), " i ", " : ", " - ", " by ")


def namas_period(candidate: Candidate, settings: FilterSettings) -> bool:
    """Release: the lead has no `.` token."""
    return "." not in candidate.lead_types


def namas_marks(candidate: Candidate, settings: FilterSettings) -> bool:
    """Release: the title contains one of 38 substrings."""
    title = " ".join(candidate.headline_words)
    return any(mark in title for mark in NAMAS_SUBSTRINGS)


def namas_lengths(candidate: Candidate, settings: FilterSettings) -> bool:
    """Release: not 11 to 99 lead words and 4 to 49 title words, punctuation counted."""
    return not (10 < len(candidate.lead_words) < 100 and 3 < len(candidate.headline_words) < 50)


def namas_overlap(candidate: Candidate, settings: FilterSettings) -> bool:
    """Release: no shared word of four letters or more, function words included."""
    return not any(len(word) > 3 and word in candidate.lead_types for word in candidate.headline_words)


Filter = Callable[[Candidate, FilterSettings], bool]

FILTERS: dict[str, Filter] = {
    "no-overlap": no_overlap,
    "editing-marks": editing_marks,
    "question-colon": question_colon,
    "lead-length": lead_length,
    "headline-length": headline_length,
    "min-overlap": min_overlap,
    "sources": sources,
    "period": period,
    "language": language,
    "lead-copy": lead_copy,
    "namas-period": namas_period,
    "namas-marks": namas_marks,
    "namas-lengths": namas_lengths,
    "namas-overlap": namas_overlap,
}


def first_reason(candidate: Candidate, settings: FilterSettings) -> str | None:
    """The name of the first filter that removes the pair, None when it stays."""
    for name in settings.names:
        if FILTERS[name](candidate, settings):
            return name
    return None


def describe_filters(names: Sequence[str] = tuple(FILTERS)) -> dict[str, str]:
    """Filter names with their one-sentence meaning."""
    return {name: (FILTERS[name].__doc__ or "").strip() for name in names}


@dataclass(frozen=True)
class Preset:
    """Filters with their limits, cleaners, and what happens to title punctuation."""

    filters: FilterSettings = field(default_factory=FilterSettings)
    cleaners: tuple[str, ...] = ()
    title_punctuation: str = KEEP


PRESETS: dict[str, Preset] = {
    "none": Preset(),
    # The paper names no lengths; the release's upper bounds keep freak lines out.
    "paper": Preset(
        FilterSettings(("lead-length", "headline-length", "no-overlap", "editing-marks", "question-colon"))
    ),
    "namas": Preset(FilterSettings(("namas-period", "namas-marks", "namas-lengths", "namas-overlap")), (), NAMAS),
    "open-news": Preset(
        FilterSettings(
            ("lead-length", "headline-length", "language", "min-overlap", "editing-marks", "lead-copy"),
            lead_words=(8, 80),
            headline_words=(4, 25),
            min_overlap=0.3,
        ),
        ("section-label", "site-suffix", "dateline"),
    ),
}


def get_preset(name: str) -> Preset:
    """A preset by name."""
    if name not in PRESETS:
        raise UserError(f"unknown preset {name!r}; the presets are {', '.join(PRESETS)}")
    return PRESETS[name]
