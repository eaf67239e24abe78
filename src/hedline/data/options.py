"""The options of `hedline prepare`, and the request that they make: names checked, presets adjusted."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hedline.corpora.cleaners import check_cleaners
from hedline.corpora.filters import DROP, FilterSettings, get_preset
from hedline.corpora.tables import Fields
from hedline.data.prepare import PrepareRequest
from hedline.data.settings import PrepareSettings, SplitSettings
from hedline.data.subwords import BaseVocabulary
from hedline.errors import UserError
from hedline.settings import REQUIRED, setting

SPLITS = ("auto", "none", "hash", "date")


@dataclass(frozen=True)
class PrepareOptions:
    """The options of `hedline prepare` as they are given; None and "" leave the choice to the preset or the data."""

    out: Path = setting(REQUIRED, "The data folder to make.")
    format: str = setting("auto", "auto, pairs, agiga, gigaword or parallel.")
    lead_field: str = setting("lead", "Field that holds the lead.")
    headline_field: str = setting("headline", "Field that holds the headline.")
    valid: list[Path] | None = setting(None, "File to validate on, taken as it is.")
    test: list[Path] | None = setting(None, "File to test on, taken as it is.")
    filter_valid: bool = setting(False, "Clean and filter --valid files too.")
    split: str = setting("auto", "auto (by hash when no --valid is given), none, hash or date.")
    valid_share: float | None = setting(None, "Share to validate on, by hash; automatic: 5 %, at most 2,000.")
    test_share: float | None = setting(None, "Share to test on, by hash; automatic: 5 %, at most 2,000.")
    valid_from: str = setting("", "First day to validate on, YYYY-MM-DD.")
    test_from: str = setting("", "First day to test on, YYYY-MM-DD.")
    units: str = setting("words", "words (the paper) or subwords.")
    vocabulary_from: str | None = setting(
        None, "Use the vocabularies of this model, to train it further with `train --from`."
    )
    vocabulary_size: int = setting(24_000, "Pieces, with --units subwords.")
    min_count: int | None = setting(None, "Least count of a word; automatic: 5, less for small data.")
    input_words: int | None = setting(None, "The most input words to keep.")
    output_words: int | None = setting(None, "The most output words to keep.")
    preset: str = setting("paper", "Filters and cleaners: paper, namas, open-news or none.")
    filter: list[str] | None = setting(None, "Add a filter, e.g. language, lead-copy, min-overlap; may be repeated.")
    no_filter: list[str] | None = setting(None, "Leave out a filter of the preset; may be repeated.")
    clean: list[str] | None = setting(None, "Add a cleaner: site-suffix, section-label or dateline.")
    lead_words: str = setting("", "Least and most words of a lead, as MIN:MAX.")
    headline_words: str = setting("", "Least and most words of a headline, as MIN:MAX.")
    min_overlap: float | None = setting(None, "Least share of headline content words that stand in the lead.")
    source: list[str] | None = setting(None, "Keep only this source; may be repeated.")
    exclude_source: list[str] | None = setting(None, "Leave out this source; may be repeated.")
    exclude_period: str = setting("", "Leave out articles of these days, as FROM:TO.")
    duplicates: str = setting("exact", "keep, exact (drop repeated pairs) or near (drop similar leads too).")
    leakage: str = setting(
        "remove", "remove: training pairs whose lead or headline is held out go; report: they are only counted."
    )
    drop_title_punctuation: bool = setting(False, "Headlines without punctuation.")
    on_error: str = setting("stop", "stop at the first bad line, or skip and count bad lines.")
    workers: int = setting(0, "Processes; 0 means one per core.")
    engine: str = setting("local", "local, or ray for a cluster.")
    overwrite: bool = setting(False, "Replace a data folder made from other files or settings.")


def build_request(sources: Sequence[Path], out: Path, **given: Any) -> PrepareRequest:
    """A request from the options of the command line, by their names."""
    options = PrepareOptions(out, **given)
    chosen = get_preset(options.preset)
    cleaners = tuple(dict.fromkeys([*chosen.cleaners, *(options.clean or [])]))
    check_cleaners(cleaners)
    base = BaseVocabulary.open(Path(options.vocabulary_from)) if options.vocabulary_from else None
    settings = PrepareSettings(
        units=base.units if base else options.units,
        fields=Fields(options.lead_field, options.headline_field),
        filters=adjust_filters(chosen.filters, options),
        cleaners=cleaners,
        title_punctuation=DROP if options.drop_title_punctuation else chosen.title_punctuation,
        filter_valid=options.filter_valid,
        duplicates=options.duplicates,
        leakage=options.leakage,
        splits=choose_splits(options),
        min_count=options.min_count,
        input_words=options.input_words,
        output_words=options.output_words,
        vocabulary_size=options.vocabulary_size,
        base=base.digest if base else "",
    )
    check_vocabulary(settings)
    check_least("--workers", options.workers, 0)
    return PrepareRequest(
        sources, out, options.valid or (), options.test or (), options.format, settings, options.on_error,
        options.workers or usable_cores(), options.engine, options.overwrite, base,
    )  # fmt: skip


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


def adjust_filters(base: FilterSettings, options: PrepareOptions) -> FilterSettings:
    """A preset's filters with limits changed and filters added or left out; giving a limit adds its filter."""
    asked = {
        "lead-length": bool(options.lead_words),
        "headline-length": bool(options.headline_words),
        "min-overlap": options.min_overlap is not None,
        "sources": bool(options.source or options.exclude_source),
        "period": bool(options.exclude_period),
    }
    names = [*base.names, *(options.filter or []), *(name for name, given in asked.items() if given)]
    left_out = options.no_filter or []
    if unknown := set(left_out) - set(names):
        raise UserError(f"--no-filter {min(unknown)}: that filter is not on; those on are {', '.join(names) or 'none'}")
    start, _, end = options.exclude_period.partition(":")
    overlap = options.min_overlap
    return replace(
        base,
        names=tuple(name for name in dict.fromkeys(names) if name not in left_out),
        lead_words=parse_range("--lead-words", options.lead_words) or base.lead_words,
        headline_words=parse_range("--headline-words", options.headline_words) or base.headline_words,
        min_overlap=base.min_overlap if overlap is None else check_share("--min-overlap", overlap),
        sources=tuple(sorted(name.lower() for name in options.source or [])),
        exclude_sources=tuple(sorted(name.lower() for name in options.exclude_source or [])),
        exclude_period=(check_day("--exclude-period", start), check_day("--exclude-period", end or start)),
    )


def choose_splits(options: PrepareOptions) -> SplitSettings:
    """How the training sources are split; `auto` looks at what else was given."""
    by, valid, test = options.split, options.valid_share, options.test_share
    if by not in SPLITS:
        raise UserError(f"--split cannot be {by!r}; choose from {', '.join(SPLITS)}")
    dated, shared = bool(options.valid_from or options.test_from), valid is not None or test is not None
    if by == "auto":
        by = "date" if dated else "hash" if shared or not options.valid else "none"
    if by == "date" and not dated:
        raise UserError("--split date needs --valid-from or --test-from")
    if by != "date" and dated:
        raise UserError(f"--valid-from and --test-from need --split date, not {by}")
    if by != "hash" and shared:
        raise UserError(f"--valid-share and --test-share need --split hash, not {by}")
    for name, share in (("--valid-share", valid), ("--test-share", test)):
        if share is not None:
            check_share(name, share)
    if (valid or 0) + (test or 0) >= 1:
        raise UserError("--valid-share and --test-share leave nothing to train on")
    days = check_day("--valid-from", options.valid_from), check_day("--test-from", options.test_from)
    return SplitSettings(by, valid, test, *days)


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
