"""scripts/attack.py on a few texts, and that its judge sees what it should see."""

from __future__ import annotations

import pytest
from attack import MODELS, TOGETHER, attack, faults, random_options

import hedline
from hedline.bench.text import built_in

TEXT = "Police say 12 people left the ferry."


def test_a_few_rounds_break_nothing() -> None:
    models, sentences = [hedline.load(name) for name in MODELS], built_in(50)
    for number in range(4):
        counts, failures = attack(number, 99, models, sentences)
        assert not failures
        assert counts[f"inputs {MODELS[number % len(MODELS)]}"] == TOGETHER


@pytest.mark.parametrize(
    ("headline", "options", "what"),
    [
        ("Fünf", {"bytes": 4}, "bytes"),
        ("Five", {"chars": 3}, "chars"),
        ("Five people left", {"words": 2}, "words"),
        ("Five <unk> left", {}, "unk"),
        ("Five\u2028left", {}, "control character"),
        ("", {}, "empty without a note"),
        ("Five people", {"exact_words": 3}, "not exact, without a note"),
        ("11 people left", {}, "number"),
    ],
)
def test_the_judge_sees(headline: str, options: dict[str, int], what: str) -> None:
    found = hedline.load("abs").summarize([TEXT])[0]
    made = type(found)(headline, nbest=found.nbest[:0] if what != "number" else found.nbest)
    assert faults(TEXT, made, options) == [what]
    assert not faults(TEXT, type(found)("12 people left"), {})


def test_random_options_are_varied_and_repeatable() -> None:
    import random

    drawn = [random_options(random.Random(seed)) for seed in range(300)]
    assert drawn == [random_options(random.Random(seed)) for seed in range(300)]
    assert {name for options in drawn for name in options} >= {
        "bytes",
        "exact_words",
        "cut",
        "mode",
        "nbest",
        "weights",
    }
