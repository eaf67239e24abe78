"""`hedline duc`: the official DUC task-1 files to an evaluation set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


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
    from hedline.corpora.evaluation import write_evaluation_set

    found = read_duc(year, docs, models, join_short, strip_dateline)
    write_evaluation_set(out, found.items)
    for problem in found.problems[:20]:
        print(f"hedline: note: {problem}", file=sys.stderr)
    if len(found.problems) > 20:
        print(f"hedline: note: and {len(found.problems) - 20} more such problems", file=sys.stderr)
    if not found.problems:
        print(f"DUC-{year} is complete: {len(found.items)} documents with {REFERENCES} references each")
    print(f"{out}: {len(found.items)} items")
