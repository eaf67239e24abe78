"""Commands about data.

`prepare` makes a corpus into training data, `subset` a smaller data folder; `stats` prints the paper's corpus
paragraph; `duc` reads the official task-1 files, `parse` makes the parses that the syntactic baselines read, `pairs`
reads feeds.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from hedline.cli.main import Changes, Form, Options, output_file, print_json
from hedline.corpora.duc import REFERENCES, DucSettings, read_duc
from hedline.data.dataset import SubsetSettings, make_subset
from hedline.data.options import PrepareOptions, build_request
from hedline.decoding.options import Checked
from hedline.settings import REQUIRED, setting

Sources = Annotated[list[Path], typer.Argument(help="Pairs files, folders of them, or two parallel text files.")]


def prepare(sources: Sources, given: Annotated[Changes, Options(PrepareOptions)]) -> None:
    """Make a corpus into encoded training data.

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
    from hedline.api import find_model
    from hedline.data.prepare import prepare as run

    if given.get("vocabulary_from"):
        data = Path(given["vocabulary_from"])
        given["vocabulary_from"] = data if (data / "settings.json").is_file() else find_model(str(data))
    try:
        report = run(build_request(sources, **given))
    except KeyboardInterrupt:
        print("hedline: interrupted; the same command resumes where this one stopped", file=sys.stderr)
        raise
    if not report.fresh:
        print(f"hedline: {given['out']} is already made from these files and settings; nothing to do", file=sys.stderr)
    print(report.text())


@dataclass(frozen=True)
class SubsetPlace:
    """Where a subset goes."""

    out: Path = setting(REQUIRED, "New data folder.")


def subset(
    data: Annotated[Path, typer.Argument(help="Data folder made by `hedline prepare`.")],
    place: SubsetPlace,
    settings: SubsetSettings,
) -> None:
    """A smaller data folder: only well-supported training pairs, smaller vocabularies.

    \b
    Example:
      hedline subset data --out small --min-support 0.4 --input-words 30000 --output-words 20000
    """
    kept = make_subset(data, place.out, settings)
    typer.echo(f"{place.out}: " + ", ".join(f"{split} {pairs:,} pairs" for split, pairs in kept.items()))


def stats(folder: Annotated[Path, typer.Argument(help="A data folder made by `hedline prepare`.")], form: Form) -> None:
    """Print the paper's corpus paragraph for prepared data, and what each filter removed.

    \b
    Examples:
      hedline stats data
      hedline stats data --json
    """
    from hedline.data.stats import Report

    report = Report.of(folder)
    print_json(report.stats) if form.json else print(report.text())


def duc(settings: DucSettings) -> None:
    """Make the official DUC task-1 files into an evaluation set.

    The preparation is that of the paper's evaluation: first sentence, a short one joined with the next, dateline off.
    A year that is not complete (624 or 500 documents, four references each) is written and reported.

    \b
    Examples:
      hedline duc --year 2004 --docs duc2004/docs --models duc2004/eval/models --out duc2004.jsonl
      hedline duc --year 2003 --docs duc2003 --models duc2003/models --out duc2003.jsonl --no-join-short
    """
    from hedline.corpora.sets import write_evaluation_set

    found = read_duc(settings)
    write_evaluation_set(settings.out, found.items)
    for problem in found.problems[:20]:
        print(f"hedline: note: {problem}", file=sys.stderr)
    if len(found.problems) > 20:
        print(f"hedline: note: and {len(found.problems) - 20} more such problems", file=sys.stderr)
    if not found.problems:
        print(f"DUC-{settings.year} is complete: {len(found.items)} documents with {REFERENCES} references each")
    print(f"{settings.out}: {len(found.items)} items")


@dataclass(frozen=True)
class ParseSettings(Checked):
    """Which leads are parsed, by what, and where the parses go."""

    out: Path = setting(REQUIRED, "The CoNLL-U file to write; a stopped run goes on where it was.")
    parser: str | None = setting(None, "spaCy package, path, or FILE.conllu; the best one installed otherwise.")
    limit: int | None = setting(None, "Only the first N leads.", least=1)


def parse(
    file: Annotated[Path, typer.Argument(help="Evaluation set, pairs, or a .txt file with one lead per line.")],
    settings: ParseSettings,
) -> None:
    """Parse the leads of a set once, for the baselines Trimmer, TOPIARY, COMPRESS and W&L.

    \b
    Examples:
      hedline parse test.jsonl --out test.conllu
      hedline parse leads.txt --out leads.conllu --parser en_core_web_sm
    """
    from hedline.baselines.parses import open_parser, parse_file
    from hedline.experiments.evaluate import read_leads

    output_file(settings.out, [file])
    leads = [item.lead for item in read_leads(file, settings.limit)]
    new = parse_file(leads, settings.out, open_parser(settings.parser))
    print(f"{settings.out}: {len(leads):,} parses, {new:,} of them new")


@dataclass(frozen=True)
class PairsPlace:
    """Where the pairs of feeds go."""

    out: Path = setting(REQUIRED, "The JSONL file of pairs to write.")


def pairs(
    folder: Annotated[Path, typer.Argument(help="A folder (or file) of RSS, Atom or news JSON, also .gz, .xz, .zst.")],
    place: PairsPlace,
) -> None:
    """Pairs of lead sentence and headline from feeds and articles: what `hedline prepare` reads.

    \b
    Examples:
      hedline pairs examples/feeds --out pairs.jsonl
      hedline pairs feeds --out pairs.jsonl && hedline prepare pairs.jsonl --out data --preset open-news
    """
    from hedline.corpora.feeds import build_pairs

    output_file(place.out, [folder])
    print(f"{place.out}: {build_pairs(folder, place.out).text()}")
