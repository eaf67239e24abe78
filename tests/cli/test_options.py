"""Options are stated once, on the settings class, and every command that takes them takes them from there."""

import ast
import inspect
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from typer.testing import CliRunner

import hedline
from hedline.cli import main
from hedline.cli.evaluate import evaluate
from hedline.cli.main import Changes, Options, build_app, expanded
from hedline.cli.summarize import summarize
from hedline.decoding.options import DecodeOptions
from hedline.settings import REQUIRED, again, setting
from kettle import Kettle


@dataclass(frozen=True)
class Cup:
    name: str = setting(REQUIRED, "Whose cup.", names=("--name", "-n"))
    tea: str = again(Kettle, "tea", "What is in it.")
    spoons: tuple[int, ...] = setting((), "Sugar; repeatable.", names=("--spoon",))


def test_a_command_gets_an_option_for_every_described_field_and_receives_what_was_given() -> None:
    seen = []

    def brew(who: str, kettle: Annotated[Changes, Options(Kettle, but=("tea",))], cup: Cup) -> None:
        """Brew."""
        seen.extend([who, kettle, cup])

    command = expanded(brew)
    assert list(inspect.signature(command).parameters) == ["who", "name", "cups", "heat", "leaves", "tea", "spoons"]
    command(who="me", cups=3, heat=None, leaves="a,b", name="mine", tea="black", spoons=[1, 2])
    assert seen == ["me", {"cups": 3, "leaves": ("a", "b")}, Cup("mine", "black", (1, 2))]


def test_an_optional_value_counts_even_where_it_is_the_default() -> None:
    options = Options(Kettle, only=("cups", "heat"), optional=True)
    assert options.read({"cups": 2, "heat": None}) == {"cups": 2}
    assert Options(Kettle, only=("cups", "heat")).read({"cups": 2, "heat": None}) == {}


def test_a_field_stated_again_has_the_same_default_and_limits() -> None:
    first, second = ({each.name: each for each in fields(kind)}["tea"] for kind in (Kettle, Cup))
    assert (second.default, second.metadata["choices"]) == (first.default, first.metadata["choices"])
    assert (first.metadata["help"], second.metadata["help"]) == ("Which tea.", "What is in it.")


def test_no_command_states_an_option_by_hand() -> None:
    written = {path.name: path.read_text().count("typer.Option(") for path in Path(main.__file__).parent.glob("*.py")}
    assert {name: count for name, count in written.items() if count} == {"main.py": 2}  # --version; all the others


def test_no_option_is_stated_twice() -> None:
    stated = Counter(
        (each.target.id, ast.unparse(each.value.args[1]))
        for path in Path(hedline.__file__).parent.rglob("*.py")
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.value, ast.Call)
        and ast.unparse(each.value.func) == "setting"
    )
    assert len(stated) > 150  # the counting works
    assert [option for option, count in stated.items() if count > 1] == []


def test_evaluate_takes_whatever_changes_a_headline_in_summarize() -> None:
    described = {each.name for each in fields(DecodeOptions) if "help" in each.metadata}
    assert described <= set(inspect.signature(expanded(summarize)).parameters)
    without = described - set(inspect.signature(expanded(evaluate)).parameters)
    assert without == {"nbest", "diversity"}  # a list of candidates
    assert {each.name for each in Options(DecodeOptions).parameters()} == described


def test_the_help_says_what_the_field_says() -> None:
    shown = CliRunner().invoke(build_app(["evaluate"]), ["evaluate", "--help"], env={"COLUMNS": "200"}).output
    for each in Options(DecodeOptions, but=("nbest", "diversity")).fields:
        assert f"--{each.name.replace('_', '-')}" in shown
