"""`hedline prepare`: a corpus to encoded training data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hedline.cli.option import option

Sources = Annotated[list[Path], typer.Argument(help="Pairs files, folders of them, or two parallel text files.")]
Out = Annotated[Path, option("The data folder to make.")]
Format = Annotated[str, option("auto, pairs, agiga, gigaword or parallel.")]
LeadField = Annotated[str, option("Field that holds the lead.")]
HeadlineField = Annotated[str, option("Field that holds the headline.")]
Valid = Annotated[list[Path] | None, option("File to validate on, taken as it is.")]
Test = Annotated[list[Path] | None, option("File to test on, taken as it is.")]
FilterValid = Annotated[bool, option("Clean and filter --valid files too.")]
Split = Annotated[str, option("auto (by hash when no --valid is given), none, hash or date.")]
ValidShare = Annotated[float | None, option("Share to validate on, by hash; automatic: 5 %, at most 2,000.")]
TestShare = Annotated[float | None, option("Share to test on, by hash; automatic: 5 %, at most 2,000.")]
ValidFrom = Annotated[str, option("First day to validate on, YYYY-MM-DD.")]
TestFrom = Annotated[str, option("First day to test on, YYYY-MM-DD.")]
Units = Annotated[str, option("words (the paper) or subwords.")]
VocabularyFrom = Annotated[
    str | None, option("Use the vocabularies of this model, to train it further with `train --from`.")
]
VocabularySize = Annotated[int, option("Pieces, with --units subwords.")]
MinCount = Annotated[int | None, option("Least count of a word; automatic: 5, less for small data.")]
InputWords = Annotated[int | None, option("The most input words to keep.")]
OutputWords = Annotated[int | None, option("The most output words to keep.")]
PresetName = Annotated[str, option("Filters and cleaners: paper, namas, open-news or none.")]
FilterNames = Annotated[
    list[str] | None, option("Add a filter, e.g. language, lead-copy, min-overlap; may be repeated.")
]
NoFilter = Annotated[list[str] | None, option("Leave out a filter of the preset; may be repeated.")]
Clean = Annotated[list[str] | None, option("Add a cleaner: site-suffix, section-label or dateline.")]
LeadWords = Annotated[str, option("Least and most words of a lead, as MIN:MAX.")]
HeadlineWords = Annotated[str, option("Least and most words of a headline, as MIN:MAX.")]
MinOverlap = Annotated[float | None, option("Least share of headline content words that stand in the lead.")]
SourceNames = Annotated[list[str] | None, option("Keep only this source; may be repeated.")]
ExcludeSource = Annotated[list[str] | None, option("Leave out this source; may be repeated.")]
ExcludePeriod = Annotated[str, option("Leave out articles of these days, as FROM:TO.")]
Duplicates = Annotated[str, option("keep, exact (drop repeated pairs) or near (drop similar leads too).")]
Leakage = Annotated[str, option("remove training pairs whose lead or headline is held out, or report them.")]
DropPunctuation = Annotated[bool, option("Headlines without punctuation.")]
OnError = Annotated[str, option("stop at the first bad line, or skip and count bad lines.")]
Workers = Annotated[int, option("Processes; 0 means one a core.")]
EngineName = Annotated[str, option("local, or ray for a cluster.")]
Overwrite = Annotated[bool, option("Replace a data folder made from other files or settings.")]


def prepare(
    sources: Sources,
    out: Out,
    format: Format = "auto",
    lead_field: LeadField = "lead",
    headline_field: HeadlineField = "headline",
    valid: Valid = None,
    test: Test = None,
    filter_valid: FilterValid = False,
    split: Split = "auto",
    valid_share: ValidShare = None,
    test_share: TestShare = None,
    valid_from: ValidFrom = "",
    test_from: TestFrom = "",
    units: Units = "words",
    vocabulary_from: VocabularyFrom = None,
    vocabulary_size: VocabularySize = 24_000,
    min_count: MinCount = None,
    input_words: InputWords = None,
    output_words: OutputWords = None,
    preset: PresetName = "paper",
    filter: FilterNames = None,
    no_filter: NoFilter = None,
    clean: Clean = None,
    lead_words: LeadWords = "",
    headline_words: HeadlineWords = "",
    min_overlap: MinOverlap = None,
    source: SourceNames = None,
    exclude_source: ExcludeSource = None,
    exclude_period: ExcludePeriod = "",
    duplicates: Duplicates = "exact",
    leakage: Leakage = "remove",
    drop_title_punctuation: DropPunctuation = False,
    on_error: OnError = "stop",
    workers: Workers = 0,
    engine: EngineName = "local",
    overwrite: Overwrite = False,
) -> None:
    """Make a corpus into encoded training data."""
    options = dict(locals())
    from hedline.api import find_model
    from hedline.data.options import build_request
    from hedline.data.prepare import prepare as run

    if vocabulary_from:
        data = Path(vocabulary_from)
        options["vocabulary_from"] = data if (data / "settings.json").is_file() else find_model(vocabulary_from)
    try:
        report = run(build_request(**options))
    except KeyboardInterrupt:
        print("hedline: interrupted; the same command resumes where this one stopped", file=sys.stderr)
        raise
    if not report.fresh:
        print(f"hedline: {out} is already made from these files and settings; nothing to do", file=sys.stderr)
    print(report.text())


prepare.__doc__ = """Make a corpus into encoded training data.

    Bad lines (broken JSON, missing fields, invalid UTF-8, lines over a megabyte, archives cut off) stop the work
    with file and line, or with --on-error skip are left out, counted and listed. Blank lines and empty fields are
    only counted. A run that was interrupted resumes when the same command is given again.

    \b
    Examples:
      hedline prepare mine.csv --out data --lead-field text --headline-field title
      hedline prepare train.jsonl.xz --valid valid.jsonl.xz --out data
      hedline prepare news/*.jsonl.xz --out data --preset open-news --units subwords
      hedline prepare leads.txt headlines.txt --out data --format parallel
      hedline prepare agiga/*.xml.gz --out data --preset namas
      hedline prepare mine.csv --out data --vocabulary-from abs
      hedline prepare dated.jsonl --out data --valid-from 2024-10-01 --test-from 2024-11-01
    """
