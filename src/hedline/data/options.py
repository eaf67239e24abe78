"""From the options of `hedline prepare` to a request: names checked, presets adjusted, the rest by default."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hedline.corpora.cleaners import check_cleaners
from hedline.corpora.filters import FilterSettings
from hedline.corpora.presets import get_preset
from hedline.corpora.tables import Fields
from hedline.corpora.titles import DROP
from hedline.data.base import BaseVocabulary
from hedline.data.prepare import PrepareRequest
from hedline.data.settings import PrepareSettings, SplitSettings
from hedline.errors import UserError

SPLITS = ("auto", "none", "hash", "date")


def build_request(
    *,
    sources: Sequence[Path],
    out: Path,
    format: str = "auto",
    lead_field: str = "lead",
    headline_field: str = "headline",
    valid: Sequence[Path] | None = None,
    test: Sequence[Path] | None = None,
    filter_valid: bool = False,
    split: str = "auto",
    valid_share: float | None = None,
    test_share: float | None = None,
    valid_from: str = "",
    test_from: str = "",
    units: str = "words",
    vocabulary_from: Path | None = None,
    vocabulary_size: int = 24_000,
    min_count: int | None = None,
    input_words: int | None = None,
    output_words: int | None = None,
    preset: str = "paper",
    clean: Sequence[str] | None = None,
    duplicates: str = "exact",
    leakage: str = "remove",
    drop_title_punctuation: bool = False,
    on_error: str = "stop",
    workers: int = 0,
    engine: str = "local",
    overwrite: bool = False,
    **filter_options: object,
) -> PrepareRequest:
    """A request from the options of the command line, by their names; those not named here are the filters'."""
    chosen = get_preset(preset)
    cleaners = tuple(dict.fromkeys([*chosen.cleaners, *(clean or [])]))
    check_cleaners(cleaners)
    base = BaseVocabulary.open(vocabulary_from) if vocabulary_from else None
    settings = PrepareSettings(
        units=base.units if base else units,
        fields=Fields(lead_field, headline_field),
        filters=adjust_filters(chosen.filters, **filter_options),  # type: ignore[arg-type]
        cleaners=cleaners,
        title_punctuation=DROP if drop_title_punctuation else chosen.title_punctuation,
        filter_valid=filter_valid,
        duplicates=duplicates,
        leakage=leakage,
        splits=choose_splits(split, bool(valid), valid_share, test_share, valid_from, test_from),
        min_count=min_count,
        input_words=input_words,
        output_words=output_words,
        vocabulary_size=vocabulary_size,
        base=base.digest if base else "",
    )
    check_vocabulary(settings)
    check_least("--workers", workers, 0)
    processes = workers or usable_cores()
    return PrepareRequest(
        sources, out, valid or (), test or (), format, settings, on_error, processes, engine, overwrite, base
    )


def check_vocabulary(settings: PrepareSettings) -> None:
    """Sizes that can be, and none beside vocabularies that are there already."""
    for name in ("min_count", "input_words", "output_words"):
        option, value = f"--{name.replace('_', '-')}", getattr(settings, name)
        check_least(option, value, 1)
        if settings.base and value is not None:
            raise UserError(
                f"{option} makes a new vocabulary, --vocabulary-from takes an old one; leave one of them out"
            )
    check_least("--vocabulary-size", settings.vocabulary_size, 300)


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def adjust_filters(
    base: FilterSettings,
    filter: Sequence[str] | None = None,
    no_filter: Sequence[str] | None = None,
    lead_words: str = "",
    headline_words: str = "",
    min_overlap: float | None = None,
    source: Sequence[str] | None = None,
    exclude_source: Sequence[str] | None = None,
    exclude_period: str = "",
) -> FilterSettings:
    """A preset's filters with limits changed and filters added or left out; giving a limit adds its filter."""
    asked = {
        "lead-length": bool(lead_words),
        "headline-length": bool(headline_words),
        "min-overlap": min_overlap is not None,
        "sources": bool(source or exclude_source),
        "period": bool(exclude_period),
    }
    names = [*base.names, *(filter or []), *(name for name, given in asked.items() if given)]
    unknown = set(no_filter or []) - set(names)
    if unknown:
        raise UserError(f"--no-filter {min(unknown)}: that filter is not on; those on are {', '.join(names) or 'none'}")
    start, _, end = exclude_period.partition(":")
    return replace(
        base,
        names=tuple(name for name in dict.fromkeys(names) if name not in (no_filter or [])),
        lead_words=parse_range("--lead-words", lead_words) or base.lead_words,
        headline_words=parse_range("--headline-words", headline_words) or base.headline_words,
        min_overlap=base.min_overlap if min_overlap is None else check_share("--min-overlap", min_overlap),
        sources=tuple(sorted(name.lower() for name in source or [])),
        exclude_sources=tuple(sorted(name.lower() for name in exclude_source or [])),
        exclude_period=(check_day("--exclude-period", start), check_day("--exclude-period", end or start)),
    )


def choose_splits(
    by: str,
    valid_given: bool,
    valid_share: float | None,
    test_share: float | None,
    valid_from: str,
    test_from: str,
) -> SplitSettings:
    """How the training sources are split; `auto` looks at what else was given."""
    if by not in SPLITS:
        raise UserError(f"--split cannot be {by!r}; choose from {', '.join(SPLITS)}")
    dated, shared = bool(valid_from or test_from), valid_share is not None or test_share is not None
    if by == "auto":
        by = "date" if dated else "hash" if shared or not valid_given else "none"
    if by == "date" and not dated:
        raise UserError("--split date needs --valid-from or --test-from")
    if by != "date" and dated:
        raise UserError(f"--valid-from and --test-from need --split date, not {by}")
    if by != "hash" and shared:
        raise UserError(f"--valid-share and --test-share need --split hash, not {by}")
    for name, share in (("--valid-share", valid_share), ("--test-share", test_share)):
        if share is not None:
            check_share(name, share)
    if (valid_share or 0) + (test_share or 0) >= 1:
        raise UserError("--valid-share and --test-share leave nothing to train on")
    return SplitSettings(
        by, valid_share, test_share, check_day("--valid-from", valid_from), check_day("--test-from", test_from)
    )


def parse_range(option: str, text: str) -> tuple[int, int] | None:
    """`MIN:MAX` as two whole numbers, None for nothing."""
    if not text:
        return None
    low, _, high = text.partition(":")
    if not (low.isdecimal() and high.isdecimal()) or not 0 < int(low) <= int(high):
        raise UserError(f"{option} takes MIN:MAX such as 5:80, not {text!r}")
    return int(low), int(high)


def check_least(option: str, value: int | None, least: int) -> None:
    """A number that is not too small, where one is given."""
    if value is not None and value < least:
        raise UserError(f"{option} must be {least} or more, not {value}")


def check_share(option: str, share: float) -> float:
    """A share between 0 and 1."""
    if not 0 <= share <= 1:
        raise UserError(f"{option} takes a share between 0 and 1, not {share}")
    return share


def check_day(option: str, day: str) -> str:
    """A day as YYYY-MM-DD, or nothing."""
    try:
        return datetime.date.fromisoformat(day).isoformat() if day else ""
    except ValueError:
        raise UserError(f"{option} takes a day as YYYY-MM-DD, not {day!r}") from None
