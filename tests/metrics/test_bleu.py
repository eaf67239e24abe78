"""BLEU against NLTK's."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hedline.metrics.measures import WIDTH, bleu, bleu_statistics


def test_equals_nltk():
    from nltk.translate.bleu_score import corpus_bleu

    rng = random.Random(1)

    def text():
        return [rng.choice("abcde") for _ in range(rng.randint(5, 14))]

    cases = [(text(), [text() for _ in range(3)]) for _ in range(40)]
    summed = np.sum([bleu_statistics(*case) for case in cases], axis=0)
    assert summed.shape == (WIDTH,)
    expected = corpus_bleu([case[1] for case in cases], [case[0] for case in cases])
    assert float(bleu(summed)) == pytest.approx(expected, abs=1e-9)


def test_no_match_of_some_order_is_zero():
    assert float(bleu(bleu_statistics(["a", "b"], [["a", "b"]]))) == 0.0
    assert float(bleu(bleu_statistics([], [["a"]]))) == 0.0
