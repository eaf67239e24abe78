"""Options are stated once, on the settings class, and every command that takes them takes them from there."""

import inspect
from dataclasses import fields

from typer.testing import CliRunner

from hedline.cli.evaluate import evaluate
from hedline.cli.main import build_app, changed, generated, takes
from hedline.cli.summarize import summarize
from hedline.decoding.options import DecodeOptions
from kettle import Kettle


def test_a_command_gets_an_option_for_every_described_field():
    seen = {}

    @takes(Kettle, after="who", but=("tea",))
    def brew(who: str, **settings) -> None:
        """Brew."""
        seen.update(settings)

    assert list(inspect.signature(brew).parameters) == ["who", "cups", "heat", "leaves"]
    brew(who="me", cups=3, heat=None, leaves="a,b")
    assert changed(Kettle, seen) == {"cups": 3, "leaves": ("a", "b")}


def test_evaluate_takes_whatever_changes_a_headline_in_summarize():
    described = {each.name for each in fields(DecodeOptions) if "help" in each.metadata}
    assert described <= set(inspect.signature(summarize).parameters)
    assert described - set(inspect.signature(evaluate).parameters) == {"nbest", "diversity"}  # a list of candidates
    assert {each.name for each in generated(DecodeOptions)} == described


def test_the_help_says_what_the_field_says():
    shown = CliRunner().invoke(build_app(["evaluate"]), ["evaluate", "--help"], env={"COLUMNS": "200"}).output
    for each in generated(DecodeOptions):
        if each.name not in ("nbest", "diversity"):
            assert f"--{each.name.replace('_', '-')}" in shown
