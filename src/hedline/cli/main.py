"""`hedline`: finds the command, makes its options, and turns user errors into one sentence.

Each command is a typer function in a module of this package; only the called one is imported, so that
`hedline "some text"` pays for nothing but summarising. Anything that is not a command's name is text to summarise.
`hedline --help` and shell completion load all of them.

Options come from settings classes (`decoding.options.DecodeOptions`, `training.options.TrainRequest`), whose fields
hold help, choices and limits (see settings.py): `takes` turns the fields into parameters of a command. What only the
command needs, such as --json, is stated in one line (`option`).
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import stat
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import Field, fields
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

import hedline
from hedline.errors import UserError
from hedline.files import is_file

SHORT = 4  # words; fewer are no text to summarise
# What people type for something that has another name here.
MEANT = {"help": "--help", "commands": "--help", "headline": "summarize FILE",
         "predict": "summarize FILE", "run": "summarize FILE", "server": "serve", "rouge": "score", "mert": "tune",
         "benchmark": "bench", "check": "doctor", "test": "doctor"}  # fmt: skip

# name -> (module, function, one-line help for readers of this file)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "summarize": ("hedline.cli.summarize", "summarize", "Headlines for a text, a file or standard input."),
    "prepare": ("hedline.cli.prepare", "prepare", "A corpus to encoded training data."),
    "pairs": ("hedline.cli.data", "pairs", "Pairs from a folder of feeds or news JSON."),
    "subset": ("hedline.cli.data", "subset", "A smaller data folder out of a prepared one."),
    "duc": ("hedline.cli.data", "duc", "The official DUC task-1 files to an evaluation set."),
    "parse": ("hedline.cli.data", "parse", "Parses of a set's leads for the syntactic baselines."),
    "stats": ("hedline.cli.data", "stats", "The paper's corpus paragraph for prepared data."),
    "train": ("hedline.cli.train", "train", "Train a model on prepared data."),
    "perplexity": ("hedline.cli.train", "perplexity", "Perplexity of a model on prepared data."),
    "ngram": ("hedline.cli.train", "ngram", "Kneser-Ney n-gram model: estimate and measure."),
    "distill": ("hedline.cli.train", "distill", "Data whose headlines a teacher wrote, for a small student."),
    "tune": ("hedline.cli.tune", "tune", "MERT: ABS to ABS+, written into the model folder."),
    "tune-decoding": ("hedline.cli.tune", "tune_decoding", "Length penalty, control tokens, reranking."),
    "evaluate": ("hedline.cli.evaluate", "evaluate", "Decode a set and score it."),
    "score": ("hedline.cli.score", "score", "ROUGE of outputs against references."),
    "compare": ("hedline.cli.score", "compare", "Paired significance between systems."),
    "baseline": ("hedline.cli.baseline", "baseline", "The systems of Table 1: fitted and run."),
    "reproduce": ("hedline.cli.reproduce", "reproduce", "The paper's tables and figures."),
    "export": ("hedline.cli.train", "export", "Quantise a trained model for shipping."),
    "bench": ("hedline.cli.reproduce", "bench", "Speed here, against peers."),
    "serve": ("hedline.cli.serve", "serve", "HTTP API and web page."),
    "doctor": ("hedline.cli.main", "doctor", "Is this installation healthy?"),
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
        app.command(name=name)(passing(getattr(importlib.import_module(module), function)))
    return app


class PassedError(Exception):
    """Carries what typer would answer itself (Ctrl-C, a closed pipe, the end of a file) past it, as its cause."""


def passing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the same signature, whose interruptions reach `main`."""

    @wraps(command)
    def run_it(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except (KeyboardInterrupt, EOFError, OSError) as error:
            raise PassedError from error

    return run_it


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
    if arguments[:1] == ["--version"] or arguments == ["version"]:
        print(version_text())
        return
    names, arguments = find_command(arguments)
    if names != ["summarize"]:
        arguments = json_as_a_flag(arguments)
    try:
        build_app(names)(arguments, prog_name="hedline")
    except PassedError as passed:
        raise passed.__cause__ or passed from None


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


def json_as_a_flag(arguments: list[str]) -> list[str]:
    """`--json` for `--format json`, as some commands once had it.

    >>> json_as_a_flag(["score", "a.txt", "b.txt", "--format", "json"])
    ['score', 'a.txt', 'b.txt', '--json']
    """
    for place, pair in enumerate(pairwise(arguments)):
        if pair == ("--format", "json"):
            return [*arguments[:place], "--json", *arguments[place + 2 :]]
    return ["--json" if argument == "--format=json" else argument for argument in arguments]


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

    if len(words) >= SHORT:
        return
    if first in MEANT:
        raise UserError(f"for that: hedline {MEANT[first]} (hedline summarize --text takes words as they are)")
    near = get_close_matches(first.lower(), COMMANDS, n=1, cutoff=0.7)
    if near:
        raise UserError(
            f"there is no command {first!r}; did you mean {near[0]}? (hedline summarize --text takes words as they are)"
        )


def main() -> None:
    """Entry point: run, and print a user's mistake as one sentence with exit code 2."""
    try:
        check_streams()
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


def check_streams() -> None:
    """A closed standard error swallows messages; without a standard output nothing can be printed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - stays open to the end
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
        raise UserError("standard output is closed, so nothing can be printed; send it to a file or to /dev/null")


def drop_output() -> None:
    """Let what is still buffered go nowhere, so that no second error comes at shutdown."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def option(text: str, *names: str, **limits: float) -> typer.models.OptionInfo:
    """A command's option. text: its help; names: as it is written, when not after its parameter; limits: min, max."""
    info: typer.models.OptionInfo = typer.Option(*names, help=text, **limits)  # type: ignore[call-overload]
    return info


Json = Annotated[bool, option("Print JSON instead of text.", "--json")]


def print_json(value: Any) -> None:
    """Print a result for programs: what every command does with --json."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def takes(
    kind: type,
    *,
    after: str = "",
    but: Collection[str] = (),
    only: Collection[str] = (),
    optional: bool = False,
    variable: Callable[[str], str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command `command(…, **settings)` an option for every described field of a settings class.

    after: the parameter behind which they stand in the help, the first place without one; but: fields the command has
    its own way with; only: the fields it takes, all where none is named; optional: an option that is not given is None,
    whatever the field's default; variable: from a field's name to the environment variable that sets it too.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(command, eval_str=True).parameters.values()
        own = [each for each in parameters if each.kind is not inspect.Parameter.VAR_KEYWORD]
        made = [
            each
            for each in generated(kind, optional, variable)
            if each.name not in but and (not only or each.name in only)
        ]
        place = [each.name for each in own].index(after) + 1 if after else 0

        def wrapper(*args: Any, **given: Any) -> None:
            command(*args, **given)

        every = [*own[:place], *made, *own[place:]]
        wrapper.__name__, wrapper.__doc__, wrapper.__module__ = command.__name__, command.__doc__, command.__module__
        wrapper.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {each.name: each.annotation for each in every}
        return wrapper

    return decorate


def generated(
    kind: type, optional: bool = False, variable: Callable[[str], str] | None = None
) -> list[inspect.Parameter]:
    """The parameters of a settings class: every field that has help; optional, variable: see `takes`."""
    hints = typing.get_type_hints(kind)
    described = [each for each in fields(kind) if "help" in each.metadata]
    return [_parameter(each, hints[each.name], optional, variable) for each in described]


def _parameter(each: Field[Any], hint: Any, optional: bool, variable: Callable[[str], str] | None) -> inspect.Parameter:
    """One field as a parameter; a field read from text (`read`) is text there, a tuple a repeatable option."""
    info = option(each.metadata["help"], *each.metadata.get("names", ()))
    if variable is not None:
        info.envvar = variable(each.name)
    default: Any = each.default
    if optional:
        hint, default = hint | None, None
    elif "read" in each.metadata:
        hint, default = str, ""
    elif typing.get_origin(hint) is tuple:
        hint, default = list[typing.get_args(hint)[0]] | None, None  # type: ignore[misc]
    annotation = Annotated[hint, info]
    return inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def changed(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given of a settings class that differs from its defaults, read from text where it is text."""
    found = {}
    for each in fields(kind):
        if each.name not in given:
            continue
        value = given[each.name]
        if "read" in each.metadata:
            if value:
                found[each.name] = each.metadata["read"](value)
        elif isinstance(value, list):
            found[each.name] = tuple(value)
        elif value is not None and value != each.default:
            found[each.name] = value
    return found


def output_file(path: Path | None) -> Path | None:
    """A file to write, whose folder must be there: a slip in a name should not make a folder."""
    if path is not None and not path.parent.is_dir():
        raise UserError(f"cannot write {path}: {path.parent} is no folder; make it first, or mend the name")
    return path


def doctor(
    model: Annotated[
        str | None, typer.Option(help="Check this model too (name or folder), and take its headline and speed.")
    ] = None,
    json: Json = False,
) -> None:
    """Check the installation, the models' checksums, a known sentence and the speed.

    The exit code is 0 only if all is well, else 1.

    \b
    Examples:
      hedline doctor
      hedline doctor --json | jq .healthy
      hedline doctor --model runs/mine
    """
    from hedline.doctor import diagnose, healthy, to_json, to_text

    checks = diagnose(model)
    print_json(to_json(checks)) if json else print(to_text(checks))
    if not healthy(checks):
        raise typer.Exit(1)


def version_text() -> str:
    """Version of the package, then the shipped models' names."""
    shipped = Path(hedline.__file__).parent / "shipped"
    names = sorted(path.parent.name for path in shipped.glob("*/config.json"))
    return f"hedline {hedline.__version__} (models: {', '.join(names) or 'none'})"
