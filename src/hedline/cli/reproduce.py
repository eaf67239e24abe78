"""`hedline reproduce`: the paper's tables and figures on the data at hand, beside the published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedline.errors import UserError


def reproduce(
    name: Annotated[
        str, typer.Argument(help="table1, table2, table3, faithfulness, figure1, examples, all, or report.")
    ],
    data: Annotated[Path | None, typer.Option(help="Data folder of `hedline prepare` (table2).")] = None,
    models: Annotated[
        Path | None, typer.Option(help="Folder of models: none, bow, conv, attention, rnn, lstm, transformer.")
    ] = None,
    set: Annotated[
        list[Path] | None, typer.Option(help="Evaluation set or pairs file (table1, table3, faithfulness); repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many items of each set.")] = None,
    results: Annotated[Path, typer.Option(help="Folder of the JSON results.")] = Path("results"),
    doc: Annotated[Path, typer.Option(help="The report that `report` and `all` write.")] = Path("docs/reproduction.md"),
    check: Annotated[bool, typer.Option("--check", help="With report: only say whether the file is stale.")] = False,
    words: Annotated[int | None, typer.Option(min=1, help="Decode at most so many words.")] = None,
    bytes: Annotated[int | None, typer.Option(min=1, help="Decode at most so many bytes.")] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Beam size of every row.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that decode.")] = 1,
    seed: Annotated[int | None, typer.Option(help="The models' training seed, noted with the rows.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown instead of plain text.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Measure again what is already in the results.")] = False,
) -> None:
    """Regenerate a table or figure; what is already measured under the same conditions is kept.

    With nothing to measure on it prints the stored results. `report` writes them all as one page.

    \b
    Examples:
      hedline reproduce table2 --data data --models runs
      hedline reproduce table1 --models runs --set test.jsonl.xz --set wire2004.jsonl.xz --limit 2000
      hedline reproduce table3
      hedline reproduce report --check
    """
    from hedline.experiments.reproduce import reproduce as measure
    from hedline.experiments.reproduce import write_report
    from hedline.experiments.request import Request

    if check and name != "report":
        raise UserError("--check belongs to `hedline reproduce report`")
    if name == "report":
        write_report(results, doc, check)
        print(f"{doc} is up to date" if check else f"wrote {doc}")
        return
    options = {key: value for key, value in (("words", words), ("bytes", bytes), ("beam", beam)) if value is not None}
    request = Request(results, models, data, tuple(set or ()), limit, options, seed, force, workers)
    for section in measure(name, request):
        print((section.markdown() if markdown else section.text()) + "\n")
    if name == "all":
        write_report(results, doc)
