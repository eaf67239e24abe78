"""`hedline`: finds the command, loads only its module, and turns user errors into one sentence.

Each command lives in a module of its own as a typer function; only the called one is imported, so that
`hedline "some text"` pays for nothing but summarising. Anything that is not a command's name is text to
summarise. `hedline --help` and shell completion load all of them.
"""

from __future__ import annotations

import importlib
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import typer

from hedline.errors import UserError
from hedline.files import is_file

SHORT = 4  # words; fewer are no text to summarise

# name -> (module, function, one-line help for readers of this file)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "summarize": ("hedline.cli.summarize", "summarize", "Headlines for a text, a file or standard input."),
    "prepare": ("hedline.cli.prepare", "prepare", "A corpus to encoded training data."),
    "subset": ("hedline.cli.subset", "subset", "A smaller data folder out of a prepared one."),
    "duc": ("hedline.cli.duc", "duc", "The official DUC task-1 files to an evaluation set."),
    "stats": ("hedline.cli.stats", "stats", "The paper's corpus paragraph for prepared data."),
    "train": ("hedline.cli.train", "train", "Train a model on prepared data."),
    "perplexity": ("hedline.cli.perplexity", "perplexity", "Perplexity of a model on prepared data."),
    "ngram": ("hedline.cli.ngram", "ngram", "Kneser-Ney n-gram model: estimate and measure."),
    "tune": ("hedline.cli.tune", "tune", "MERT: ABS to ABS+, written into the model folder."),
    "tune-decoding": ("hedline.cli.tune_decoding", "tune_decoding", "Length penalty, control tokens, reranking."),
    "evaluate": ("hedline.cli.evaluate", "evaluate", "Decode a set and score it."),
    "score": ("hedline.cli.score", "score", "ROUGE of outputs against references."),
    "compare": ("hedline.cli.compare", "compare", "Paired significance between systems."),
    "baseline": ("hedline.cli.baseline", "baseline", "PREFIX and the other systems of Table 1."),
    "reproduce": ("hedline.cli.reproduce", "reproduce", "The paper's tables and figures."),
    "export": ("hedline.cli.export", "export", "Quantise a trained model for shipping."),
    "bench": ("hedline.cli.bench", "bench", "Speed here, against peers."),
    "doctor": ("hedline.cli.doctor", "doctor", "Is this installation healthy?"),
}


def build_app(names: Iterable[str]) -> typer.Typer:
    """A typer application holding the named commands."""
    app = typer.Typer(
        name="hedline",
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(describe)
    for name in names:
        module, function, _ = COMMANDS[name]
        app.command(name=name)(getattr(importlib.import_module(module), function))
    return app


def describe(
    version: bool = typer.Option(False, "--version", help="Version of hedline and of the models inside it."),
) -> None:
    """Turn a sentence into a headline.

    \b
    Examples:
      hedline "The city council voted on Tuesday to close the old harbour bridge for repairs."
      hedline summarize leads.txt --bytes 75
      hedline prepare mine.csv --out data && hedline train data --out model
    """


def run(arguments: list[str]) -> None:
    """Dispatch one command line (without the program's name)."""
    if any("\0" in argument for argument in arguments):
        raise UserError("an argument holds a NUL character, which no file name or text may have; leave it out")
    if arguments[:1] == ["--version"]:
        from hedline.cli.version import version_text

        print(version_text())
        return
    names, arguments = find_command(arguments)
    build_app(names)(arguments, prog_name="hedline")


def find_command(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The commands to import for a command line, and its arguments with the command's name in front."""
    if not arguments:
        arguments = ["summarize", "-"] if text_is_piped() else ["--help"]
    first = arguments[0]
    if first in COMMANDS:
        return [first], arguments
    if "_HEDLINE_COMPLETE" in os.environ or first in ("-h", "--help", "--install-completion", "--show-completion"):
        return list(COMMANDS), arguments
    if not (first.startswith("-") or " " in first):
        refuse_slip(first, arguments[1:])
    return ["summarize"], ["summarize", "--text", *arguments]


def text_is_piped() -> bool:
    """Whether standard input is a pipe or a file: `echo … | hedline` and `hedline < leads.txt` need no argument."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def refuse_slip(first: str, rest: list[str]) -> None:
    """Say so where a word is meant as a file or a command; nobody needs a headline of a few words."""
    words = [argument for argument in rest if not argument.startswith("-")]
    if not words and is_file(Path(first)):
        raise UserError(f"{first} is a file; for headlines of its lines: hedline summarize {first}")
    from difflib import get_close_matches

    near = get_close_matches(first, COMMANDS, n=1, cutoff=0.75)
    if near and len(words) < SHORT:
        raise UserError(
            f"there is no command {first!r}; did you mean {near[0]}? (hedline summarize --text takes words as they are)"
        )


def main() -> None:
    """Entry point: run, and print a user's mistake as one sentence with exit code 2."""
    try:
        try:
            run(sys.argv[1:])
        finally:
            sys.stdout.flush()  # here, where a full disk can still be told
    except UserError as error:
        print(f"hedline: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("hedline: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output (head, less) went away: quiet
        drop_output()
        sys.exit(141)
    except OSError as error:
        drop_output()
        where = f"cannot use {error.filename}" if error.filename else "cannot write the output"
        print(f"hedline: {where}: {error.strerror or error}; check space and rights", file=sys.stderr)
        sys.exit(2)


def drop_output() -> None:
    """Let what is still buffered go nowhere, so that no second error comes at shutdown."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
