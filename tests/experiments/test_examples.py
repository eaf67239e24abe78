"""The paper's example sentences, drawn from stored rows."""

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
