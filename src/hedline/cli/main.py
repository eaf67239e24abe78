"""`hedline`: finds the command, makes its options, and turns user errors into one sentence.

Each command is a typer function in a module of this package; only the called one is imported, so that
`hedline "some text"` pays for nothing but summarising. Anything that is not a command's name is text to summarise.
`hedline --help` and shell completion load all of them.

Every option stands on a settings class (`decoding.options.DecodeOptions`, `training.options.TrainRequest`), whose
fields hold help, choices and limits (see settings.py): `expanded` turns a command's settings into options.
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
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

import hedline
from hedline.errors import UserError
from hedline.files import is_file
from hedline.settings import setting

SHORT = 4  # words; fewer are no text to summarise
FILE_ENDINGS = (".txt", ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gz", ".xz", ".zst")
# What people type for something that has another name here.
MEANT = {"help": "--help", "commands": "--help", "headline": "summarize FILE",
         "predict": "summarize FILE", "run": "summarize FILE", "server": "serve", "rouge": "score", "mert": "tune",
         "benchmark": "bench", "check": "doctor", "test": "doctor"}  # fmt: skip

# name -> (module, function, one-line help for readers of this file)
COMMANDS: dict[str, tuple[str, str, str]] = {
    "summarize": ("hedline.cli.summarize", "summarize", "Headlines for a text, a file or standard input."),
    "prepare": ("hedline.cli.data", "prepare", "A corpus to encoded training data."),
    "pairs": ("hedline.cli.data", "pairs", "Pairs from a folder of feeds or news JSON."),
    "subset": ("hedline.cli.data", "subset", "A smaller data folder out of a prepared one."),
    "duc": ("hedline.cli.data", "duc", "The official DUC task-1 files to an evaluation set."),
    "parse": ("hedline.cli.data", "parse", "Parses of a set's leads for the syntactic baselines."),
    "stats": ("hedline.cli.data", "stats", "The paper's corpus paragraph for prepared data."),
    "train": ("hedline.cli.train", "train", "Train a model on prepared data."),
    "perplexity": ("hedline.cli.train", "perplexity", "Perplexity of a model on prepared data."),
    "ngram": ("hedline.cli.train", "ngram", "Kneser-Ney n-gram model: estimate and measure."),
    "distill": ("hedline.cli.train", "distill", "Data whose headlines a teacher wrote, for a small student."),
    "tune": ("hedline.cli.train", "tune", "MERT: ABS to ABS+, written into the model folder."),
    "tune-decoding": ("hedline.cli.train", "tune_decoding", "Length penalty, control tokens, reranking."),
    "evaluate": ("hedline.cli.evaluate", "evaluate", "Decode a set and score it."),
    "score": ("hedline.cli.score", "score", "ROUGE of outputs against references."),
    "compare": ("hedline.cli.score", "compare", "Paired significance between systems."),
    "baseline": ("hedline.cli.evaluate", "baseline", "The systems of Table 1: fitted and run."),
    "reproduce": ("hedline.cli.evaluate", "reproduce", "The paper's tables and figures."),
    "export": ("hedline.cli.train", "export", "Quantise a trained model for shipping."),
    "bench": ("hedline.cli.evaluate", "bench", "Speed here, against peers."),
    "serve": ("hedline.cli.serve", "serve", "HTTP API and web page."),
    "doctor": ("hedline.cli.serve", "doctor", "Is this installation healthy?"),
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
        app.command(name=name)(expanded(getattr(importlib.import_module(module), function)))
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
    if not words and first.lower().endswith(FILE_ENDINGS) and not any(map(str.isspace, first)):
        raise UserError(
            f"there is no file {first[:200]}; check the name (hedline summarize --text takes words as they are)"
        )
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


class PassedError(Exception):
    """Carries what typer would answer itself (Ctrl-C, a closed pipe, the end of a file) past it, as its cause."""


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer sees it: options for its settings, and interruptions that reach `main`.

    A parameter that is a settings class becomes the options of its fields and receives the settings; one that is
    `Annotated[Changes, Options(Settings, …)]` receives what was given beside the defaults. Others are arguments.
    """
    own = inspect.signature(command, eval_str=True).parameters
    taken = {name: options for name, each in own.items() if (options := Options.of(each.annotation))}
    every = [made for name, each in own.items() for made in (taken[name].parameters() if name in taken else [each])]
    every.sort(key=lambda each: each.default is not each.empty)  # Python wants first what must be given

    def run_it(**given: Any) -> None:
        try:
            command(**{name: taken[name].read(given) if name in taken else given[name] for name in own})
        except (KeyboardInterrupt, EOFError, OSError) as error:
            raise PassedError from error

    run_it.__name__, run_it.__doc__ = command.__name__, command.__doc__
    run_it.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    run_it.__annotations__ = {each.name: each.annotation for each in every}
    return run_it


Changes = dict[str, Any]  # fields of a settings class that were given, by name


@dataclass(frozen=True)
class Options:
    """How a command takes a settings class: an option for every described field.

    but: fields the command has its own way with; only: the fields it takes, all where none is named; optional: an
    option that is not given is None, whatever the field's default; variable: from a field's name to the environment
    variable that sets it too; whole: the command receives the settings, as its parameter says, not the changes.
    """

    kind: type
    but: Collection[str] = ()
    only: Collection[str] = ()
    optional: bool = False
    variable: Callable[[str], str] | None = None
    whole: bool = False

    @classmethod
    def of(cls, annotation: Any) -> Options | None:
        """The options that a parameter stands for; None for an argument."""
        if is_dataclass(annotation):
            return cls(typing.cast(type, annotation), whole=True)
        found = [each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, cls)]
        return replace(found[0], whole=annotation.__origin__ is found[0].kind) if found else None

    @property
    def fields(self) -> list[Field[Any]]:
        """The fields that are options."""
        described = [each for each in fields(self.kind) if "help" in each.metadata and each.name not in self.but]
        return [each for each in described if not self.only or each.name in self.only]

    def parameters(self) -> list[inspect.Parameter]:
        """What typer makes the options of."""
        hints = typing.get_type_hints(self.kind)
        return [self._parameter(each, hints[each.name]) for each in self.fields]

    def _parameter(self, each: Field[Any], hint: Any) -> inspect.Parameter:
        """One field; a field read from text (`read`) is text here, a tuple a repeatable option."""
        info = typer.Option(*each.metadata.get("names", ()), help=each.metadata["help"])
        if self.variable is not None:
            info.envvar = self.variable(each.name)
        default: Any = inspect.Parameter.empty if each.default is MISSING else each.default
        if "read" in each.metadata:
            hint, default = str, ""
        elif typing.get_origin(hint) is tuple:
            hint, default = list[typing.get_args(hint)[0]], default if each.default is MISSING else None  # type: ignore[misc]
        if self.optional or default is None:
            hint, default = hint | None, None
        plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Parameter(each.name, plain, default=default, annotation=Annotated[hint, info])

    def read(self, given: Mapping[str, Any]) -> Any:
        """What the command receives of the options given."""
        found = {}
        for each in self.fields:
            value = given[each.name]
            if "read" in each.metadata:
                value = each.metadata["read"](value) if value else None
            elif isinstance(value, list):
                value = tuple(value)
            if value is not None and (self.optional or value != each.default):
                found[each.name] = value
        return self.kind(**found) if self.whole else found


@dataclass(frozen=True)
class Form:
    """For whom a result is printed."""

    json: bool = setting(False, "Print JSON instead of text.", names=("--json",))


def print_json(value: Any) -> None:
    """Print a result for programs: what every command does with --json."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def output_file(path: Path | None, sources: Iterable[str | Path] = ()) -> Path | None:
    """A file to write, whose folder must be there: a slip in a name should not make a folder.

    sources: what is read; a slip should not write over the user's texts either.
    """
    if path is not None and not path.parent.is_dir():
        raise UserError(f"cannot write {path}: {path.parent} is no folder; make it first, or mend the name")
    files = [source for source in sources if is_file(Path(source))]
    if path is not None and is_file(path) and any(path.samefile(source) for source in files):
        raise UserError(f"{path} is read and would be written over; name another file to write")
    return path


def version_text() -> str:
    """Version of the package, then the shipped models' names."""
    shipped = Path(hedline.__file__).parent / "shipped"
    names = sorted(path.parent.name for path in shipped.glob("*/config.json"))
    return f"hedline {hedline.__version__} (models: {', '.join(names) or 'none'})"
