"""Commands about data.

`subset` makes a smaller data folder, `stats` prints the paper's corpus paragraph, `duc` reads the official task-1
files, `parse` makes the parses that the syntactic baselines read, `pairs` reads feeds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hedline.cli.main import Json, output_file, print_json, takes
from hedline.data.subset import SubsetSettings, make_subset


@takes(SubsetSettings, after="out")
def subset(
    data: Annotated[Path, typer.Argument(help="Data folder made by `hedline prepare`.")],
    out: Annotated[Path, typer.Option(help="New data folder.")],
    **given: Any,
) -> None:
    """A smaller data folder: only well-supported training pairs, smaller vocabularies.

    \b
    Example:
      hedline subset data --out small --min-support 0.4 --input-words 30000 --output-words 20000
    """
    kept = make_subset(data, out, SubsetSettings(**given))
    typer.echo(f"{out}: " + ", ".join(f"{split} {pairs:,} pairs" for split, pairs in kept.items()))


def stats(
    folder: Annotated[Path, typer.Argument(help="A data folder made by `hedline prepare`.")],
    json: Json = False,
) -> None:
    """Print the paper's corpus paragraph for prepared data, and what each filter removed.

    \b
    Examples:
      hedline stats data
      hedline stats data --json
    """
    from hedline.data.stats import Report

    report = Report.of(folder)
    print_json(report.stats) if json else print(report.text())


def duc(
    year: Annotated[int, typer.Option(help="2003 or 2004.")],
    docs: Annotated[Path, typer.Option(help="Folder of document sets.")],
    models: Annotated[Path, typer.Option(help="Folder of references.")],
    out: Annotated[Path, typer.Option(help="The evaluation set to write, .jsonl.")],
    join_short: Annotated[bool, typer.Option(help="Join a first sentence under 130 characters with the next.")] = True,
    strip_dateline: Annotated[bool, typer.Option(help="Take datelines off.")] = True,
) -> None:
    """Make the official DUC task-1 files into an evaluation set.

    The preparation is that of the paper's evaluation: first sentence, a short one joined with the next, dateline off.
    A year that is not complete (624 or 500 documents, four references each) is written and reported.

    \b
    Examples:
      hedline duc --year 2004 --docs duc2004/docs --models duc2004/eval/models --out duc2004.jsonl
      hedline duc --year 2003 --docs duc2003 --models duc2003/models --out duc2003.jsonl --no-join-short
    """
    from hedline.corpora.duc import REFERENCES, read_duc
    from hedline.corpora.sets import write_evaluation_set

    found = read_duc(year, docs, models, join_short, strip_dateline)
    write_evaluation_set(out, found.items)
    for problem in found.problems[:20]:
        print(f"hedline: note: {problem}", file=sys.stderr)
    if len(found.problems) > 20:
        print(f"hedline: note: and {len(found.problems) - 20} more such problems", file=sys.stderr)
    if not found.problems:
        print(f"DUC-{year} is complete: {len(found.items)} documents with {REFERENCES} references each")
    print(f"{out}: {len(found.items)} items")


def parse(
    file: Annotated[Path, typer.Argument(help="Evaluation set, pairs, or a .txt file with one lead per line.")],
    out: Annotated[Path, typer.Option(help="The CoNLL-U file to write; a stopped run goes on where it was.")],
    parser: Annotated[
        str | None, typer.Option(help="spaCy package, path, or FILE.conllu; the best one installed otherwise.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N leads.")] = None,
) -> None:
    """Parse the leads of a set once, for the baselines Trimmer, TOPIARY, COMPRESS and W&L.

    \b
    Examples:
      hedline parse test.jsonl --out test.conllu
      hedline parse leads.txt --out leads.conllu --parser en_core_web_sm
    """
    from hedline.baselines.parses import open_parser, parse_file
    from hedline.experiments.evaluate import read_leads

    leads = [item.lead for item in read_leads(file, limit)]
    new = parse_file(leads, out, open_parser(parser))
    print(f"{out}: {len(leads):,} parses, {new:,} of them new")


def pairs(
    folder: Annotated[Path, typer.Argument(help="A folder (or file) of RSS, Atom or news JSON, also .gz, .xz, .zst.")],
    out: Annotated[Path, typer.Option(help="The JSONL file of pairs to write.")],
) -> None:
    """Pairs of lead sentence and headline from feeds and articles: what `hedline prepare` reads.

    \b
    Examples:
      hedline pairs examples/feeds --out pairs.jsonl
      hedline pairs feeds --out pairs.jsonl && hedline prepare pairs.jsonl --out data --preset open-news
    """
    from hedline.corpora.feeds import build_pairs

    output_file(out)
    print(f"{out}: {build_pairs(folder, out).text()}")
