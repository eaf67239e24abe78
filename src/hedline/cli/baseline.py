"""`hedline baseline`: the systems of Table 1, fitted and run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hedline.baselines.system import Baseline, BaselineSettings, Limit, find_system, is_baseline, open_baseline
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError
from hedline.files import write_text


def baseline(
    name: Annotated[
        str, typer.Argument(help="prefix, ir, banko, moses, trimmer, topiary, compress or wl; or a fitted folder.")
    ],
    settings: BaselineSettings,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Evaluation set, pairs, or a .txt file of leads; - is stdin. With --fit: more training pairs."
        ),
    ] = None,
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
    files = files or []
    if settings.fit is not None:
        print(fit_baseline(name, [settings.fit, *files], settings))
        return
    from hedline.experiments.evaluate import read_leads

    system = open_system(name, settings)
    if len(files) != 1:
        raise UserError("name one set or file of leads, or --fit PAIRS --out FOLDER to learn")
    leads = read_leads(files[0], settings.limit)
    show_headlines(write_headlines(system, leads, settings), leads, settings)


def write_headlines(system: Baseline, leads: list[EvaluationItem], settings: BaselineSettings) -> list[str]:
    """The system's headlines within the limits asked for."""
    from hedline.baselines.prefix import run_prefix

    if settings.chars is None:
        return system.headlines(leads, Limit(settings.bytes, settings.words))
    if system.name != "prefix":
        raise UserError("only prefix takes --chars; give --bytes or --words")
    texts = [item.lead for item in leads]
    return run_prefix(texts, bytes=settings.bytes, chars=settings.chars, words=settings.words)


def fit_baseline(name: str, data: list[Path], settings: BaselineSettings) -> str:
    """Fit a system and say where it lies."""
    if settings.out is None:
        raise UserError("--fit needs --out, the folder to write")
    system, options = find_system(name), settings.fit_options
    if system.fit_options and (unknown := sorted(set(options) - system.fit_options)):
        raise UserError(f"fitting {system.name} takes no --{unknown[0]}; leave it out")
    system.fit(data, settings.out, options)
    return f"{system.name} is in {settings.out}"


def open_system(name: str, settings: BaselineSettings) -> Baseline:
    """Open a system by its name and folder, or by its folder alone."""
    if settings.folder is None and is_baseline(Path(name)):
        system = open_baseline(Path(name))
    else:
        system = find_system(name).open(settings.folder)
    if settings.parser is not None:
        if not hasattr(system, "parser"):
            raise UserError(f"{system.name} needs no parses; leave --parser out")
        system.parser = settings.parser
    return system


def show_headlines(headlines: list[str], leads: list[EvaluationItem], settings: BaselineSettings) -> None:
    """Print the headlines or their scores, or write them to a file."""
    if settings.score:
        from hedline.experiments.systems import describe, score_outputs

        if not all(item.references for item in leads):
            raise UserError("the leads have no references to score against; use an evaluation set or a pairs file")
        print(describe(score_outputs(headlines, leads, settings.preset)))
    if settings.out is not None:
        write_text(settings.out, "".join(f"{headline}\n" for headline in headlines))
    elif not settings.score:
        sys.stdout.writelines(f"{headline}\n" for headline in headlines)
