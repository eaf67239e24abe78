"""Named sets of filters and cleaners: the paper's text, the released script, and open news feeds."""

from __future__ import annotations

from dataclasses import dataclass, field

from hedline.corpora.filters import FilterSettings
from hedline.corpora.titles import KEEP, NAMAS
from hedline.errors import UserError


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
