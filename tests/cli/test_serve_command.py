"""`hedline serve`: one flag and one variable for each setting."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest
from typer.testing import CliRunner

from hedline.cli.main import build_app, expanded
from hedline.cli.serve import serve
from hedline.server import run
from hedline.server.settings import ServeSettings, variable


def test_every_setting_is_a_flag_with_its_help_and_its_variable() -> None:
    shown = " ".join(
        CliRunner().invoke(build_app(["serve"]), ["serve", "--help"], env={"COLUMNS": "200"}).output.split()
    )
    parameters = inspect.signature(expanded(serve)).parameters
    for each in fields(ServeSettings):
        assert f"--{each.name.replace('_', '-')}" in shown and variable(each.name) in shown
        assert parameters[each.name].default == each.default


def test_flags_win_over_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(run, "serve", seen.append)
    result = CliRunner().invoke(
        build_app(["serve"]), ["serve", "--port", "81"], env={variable("port"): "82", variable("workers"): "3"}
    )
    assert result.exit_code == 0, result.output
    (settings,) = seen
    assert (settings.port, settings.workers) == (81, 3)
