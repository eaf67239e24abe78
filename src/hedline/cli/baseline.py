"""`hedline baseline`: PREFIX, and the names of Table 1's other systems."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hedline.errors import UserError

NOT_BUILT = ("ir", "compress", "topiary", "moses", "wl")


def baseline(
    name: Annotated[str, typer.Argument(help="prefix (ir, compress, topiary, moses and wl are not built yet).")],
    file: Annotated[Path, typer.Argument(help="Evaluation set, pairs, or a .txt file of one lead a line; - is stdin.")],
    bytes: Annotated[int | None, typer.Option(min=1, help="First so many UTF-8 bytes (75 if nothing is said).")] = None,
    chars: Annotated[int | None, typer.Option(min=1, help="First so many characters.")] = None,
    words: Annotated[int | None, typer.Option(min=1, help="First so many words.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many inputs.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the headlines to this file instead of printing them.")] = None,
    score: Annotated[bool, typer.Option("--score", help="Print ROUGE against the set's references instead.")] = False,
    preset: Annotated[str, typer.Option(help="How to score: gigaword (F1, full length) or duc.")] = "gigaword",
) -> None:
    """Headlines by a baseline of the paper, a line each.

    \b
    Examples:
      hedline baseline prefix test.jsonl --bytes 75
      hedline baseline prefix test.jsonl --words 12 --score
      hedline baseline prefix leads.txt --chars 60 --out headlines.txt
    """
    from hedline.experiments.baselines import read_leads, run_prefix

    check_name(name)
    leads = read_leads(file, limit)
    headlines = run_prefix([item.lead for item in leads], bytes=bytes, chars=chars, words=words)
    if score:
        from hedline.experiments.scoring import describe, score_outputs

        if not all(item.references for item in leads):
            raise UserError(f"{file} has no references to score against; use an evaluation set or a pairs file")
        print(describe(score_outputs(headlines, leads, preset)))
    if out is not None:
        from hedline.files import write_text

        write_text(out, "".join(f"{headline}\n" for headline in headlines))
    elif not score:
        sys.stdout.writelines(f"{headline}\n" for headline in headlines)


def check_name(name: str) -> None:
    """Refuse every baseline but PREFIX, saying which are to come."""
    plain = name.lower().replace("&", "").replace("+", "")
    if plain in NOT_BUILT:
        raise UserError(f"the baseline {name!r} is not built yet; prefix is the one that is")
    if plain != "prefix":
        raise UserError(f"no baseline is called {name!r}; there is prefix, and not yet {', '.join(NOT_BUILT)}")
