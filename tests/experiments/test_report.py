"""Tables as text and as Markdown."""

from __future__ import annotations

import pytest

from hedline.experiments.report import as_markdown, as_text
from hedline.experiments.reproduce import EXPERIMENTS

pytestmark = pytest.mark.usefixtures("committed")


def test_tables_in_two_forms() -> None:
    grid = [["System", "R-1"], ["a|b", "9.50"]]
    assert as_text(grid) == "System   R-1\n------------\na|b     9.50"
    assert as_markdown(grid) == "| System | R-1 |\n| --- | ---: |\n| a\\|b | 9.50 |"


def test_every_experiment_renders_without_rows() -> None:
    for experiment in EXPERIMENTS.values():
        assert all(section.text() and section.markdown() for section in experiment.render({}))
