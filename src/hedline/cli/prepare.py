"""`hedline prepare`: a corpus to encoded training data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hedline.cli.main import Changes, Options
from hedline.data.options import PrepareOptions, build_request

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
