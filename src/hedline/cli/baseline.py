"""`hedline baseline`: the systems of Table 1, fitted and run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedline.errors import UserError

if TYPE_CHECKING:
    from hedline.baselines.system import Baseline


def baseline(
    name: Annotated[
        str, typer.Argument(help="prefix, ir, banko, moses, trimmer, topiary, compress or wl; or a fitted folder.")
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Evaluation set, pairs, or a .txt file of leads; - is stdin. With --fit: more training pairs."
        ),
    ] = None,
    fit: Annotated[Path | None, typer.Option(help="Learn from these training pairs and write --out.")] = None,
    folder: Annotated[Path | None, typer.Option(help="The fitted system's folder.")] = None,
    bytes: Annotated[int | None, typer.Option(min=1, help="At most N UTF-8 bytes (prefix: 75).")] = None,
    chars: Annotated[int | None, typer.Option(min=1, help="At most N characters (prefix alone).")] = None,
    words: Annotated[int | None, typer.Option(min=1, help="At most N words.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N inputs, or training pairs.")] = None,
    tune: Annotated[Path | None, typer.Option(help="With --fit: tune the weights for ROUGE on this set.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="With --fit wl: parse N pairs (20,000).")] = None,
    parser: Annotated[
        str | None, typer.Option(help="For systems that need parses: a model, or a .conllu file of `hedline parse`.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the headlines to this file; with --fit: the folder.")] = None,
    score: Annotated[bool, typer.Option("--score", help="Print ROUGE against the set's references instead.")] = False,
    preset: Annotated[str, typer.Option(help="How to score: gigaword (F1, full length) or duc.")] = "gigaword",
) -> None:
    """Headlines by a baseline of the paper, one per line.

    \b
    Examples:
      hedline baseline prefix test.jsonl --bytes 75
      hedline baseline ir --fit train-*.jsonl.xz --out runs/ir
      hedline baseline moses --fit train.jsonl --tune valid.jsonl --out runs/moses
      hedline baseline moses test.jsonl --folder runs/moses --bytes 75 --score
      hedline baseline runs/ir leads.txt --words 12 --out headlines.txt
    """
    given = {"limit": limit, "tune": tune, "sample": sample, "parser": parser}
    if fit is not None:
        print(fit_baseline(name, [fit, *(files or [])], out, {key: value for key, value in given.items() if value}))
        return
    from hedline.baselines.prefix import run_prefix
    from hedline.baselines.system import Limit
    from hedline.experiments.evaluate import read_leads

    system = open_system(name, folder, parser)
    if len(files or []) != 1:
        raise UserError("name one set or file of leads, or --fit PAIRS --out FOLDER to learn")
    leads = read_leads((files or [])[0], limit)
    if chars is not None and system.name == "prefix":
        headlines = run_prefix([item.lead for item in leads], bytes=bytes, chars=chars, words=words)
    elif chars is not None:
        raise UserError("only prefix takes --chars; give --bytes or --words")
    else:
        headlines = system.headlines(leads, Limit(bytes, words))
    show_headlines(headlines, leads, out, score, preset)


def fit_baseline(name: str, data: list[Path], out: Path | None, options: dict[str, Any]) -> str:
    """Fit a system and say where it lies."""
    from hedline.baselines.system import find_system

    if out is None:
        raise UserError("--fit needs --out, the folder to write")
    system = find_system(name)
    if system.fit_options and (unknown := sorted(set(options) - system.fit_options)):
        raise UserError(f"fitting {system.name} takes no --{unknown[0]}; leave it out")
    system.fit(data, out, options)
    return f"{system.name} is in {out}"


def open_system(name: str, folder: Path | None, parser: str | None) -> Baseline:
    """Open a system by its name and folder, or by its folder alone."""
    from hedline.baselines.system import find_system, is_baseline, open_baseline

    if folder is None and is_baseline(Path(name)):
        system = open_baseline(Path(name))
    else:
        system = find_system(name).open(folder)
    if parser is not None:
        if not hasattr(system, "parser"):
            raise UserError(f"{system.name} needs no parses; leave --parser out")
        system.parser = parser
    return system


def show_headlines(headlines: list[str], leads: list[Any], out: Path | None, score: bool, preset: str) -> None:
    """Print the headlines or their scores, or write them to a file."""
    if score:
        from hedline.experiments.systems import describe, score_outputs

        if not all(item.references for item in leads):
            raise UserError("the leads have no references to score against; use an evaluation set or a pairs file")
        print(describe(score_outputs(headlines, leads, preset)))
    if out is not None:
        from hedline.files import write_text

        write_text(out, "".join(f"{headline}\n" for headline in headlines))
    elif not score:
        sys.stdout.writelines(f"{headline}\n" for headline in headlines)
