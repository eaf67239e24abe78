"""The paper's example sentences, and the alignment of Figure 1, drawn from stored rows."""

from __future__ import annotations

from hedline.experiments import examples
from hedline.experiments.systems import ABS_SYSTEMS

KEY = next(iter(ABS_SYSTEMS))


def test_every_example_stands_with_all_its_headlines() -> None:
    ours = [f"our headline {number}" for number in range(len(examples.EXAMPLES))]
    (section,) = examples.render({KEY: {"headlines": ours}})
    text = section.markdown()
    assert len(examples.EXAMPLES) == 11  # as many as the paper prints
    for number, example in enumerate(examples.EXAMPLES):
        block = text[text.index(f"**I({number + 1}):**") :]
        for headline in (example.lead, example.headline, example.abs, example.abs_plus, ours[number]):
            assert headline in block


def test_figure_1_is_drawn_from_its_row() -> None:
    row = {
        "headline": "mayor quits",
        "tokens": ["mayor", "quits"],
        "source": ["the", "mayor", "left"],
        "novel": ["quits"],
        "alignment": [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]],
    }
    first, drawn = examples.render_figure1({KEY: row})
    assert "mayor quits" in first.text() and "quits" in drawn.text()
    ((name, picture),) = examples.draw_figure1({KEY: row}).items()
    assert name.startswith("figure1-") and picture.startswith("<svg") and "left" in picture
