"""Figure 1: the alignment of a headline with its input."""

from __future__ import annotations

from hedline.experiments import figure1
from hedline.experiments.systems import ABS_SYSTEMS

KEY = next(iter(ABS_SYSTEMS))


def test_figure_1_is_drawn_from_its_row() -> None:
    row = {
        "headline": "mayor quits",
        "tokens": ["mayor", "quits"],
        "source": ["the", "mayor", "left"],
        "novel": ["quits"],
        "alignment": [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]],
    }
    first, drawn = figure1.render({KEY: row})
    assert "mayor quits" in first.text() and "quits" in drawn.text()
    ((name, picture),) = figure1.pictures({KEY: row}).items()
    assert name.startswith("figure1-") and picture.startswith("<svg") and "left" in picture
