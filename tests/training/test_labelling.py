"""What teachers write: minimum Bayes risk."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hedline.metrics.rouge import RougeScorer
from hedline.text.subword import CONTROLS, SPECIALS, Subwords, byte_letters
from hedline.training.labelling import least_risk
from hedline.training.reward import Reward


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    specials = [*SPECIALS, *CONTROLS]
    return Subwords([*specials, *byte_letters().values()], [], len(specials))


def test_minimum_bayes_risk_is_the_best_mean_score(subwords):
    texts = ["cat sat on mat", "cat sat in Lund", "the dog", "cat sat on a mat in Lund"]
    rows = [[*subwords.encode(text), 3] for text in texts]
    width = max(map(len, rows))
    drawn = torch.tensor([[row + [0] * (width - len(row)) for row in rows]])
    scorer = RougeScorer(("1", "2", "L"), stem=False)
    means = []
    for one in texts:
        scores = [scorer.score(one, [other])[:, 2] @ np.array([0.4, 0.4, 0.2]) for other in texts]
        means.append(sum(scores))
    lead = torch.tensor([subwords.encode("a cat sat on a mat in Lund")])
    assert int(least_risk(Reward(subwords, "cpu"), drawn, lead)) == int(np.argmax(means))
