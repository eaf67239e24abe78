"""An n-gram model's discounts, queries and perplexity."""

from __future__ import annotations

import numpy as np
import pytest
from hand_models import SPECIALS, model_of

from hedline.errors import UserError
from hedline.ngram.estimate import FALLBACK, estimate, estimate_discount


def test_discounts_by_hand() -> None:
    counts = np.array([0, 1, 1, 1, 1, 2, 2, 3, 4, 9])
    discount = estimate_discount(counts)  # t = 4, 2, 1, 1; Y = 4 / (4 + 2 x 2) = 0.5
    assert (discount.once, discount.twice, discount.more) == (0.5, 1.25, 1.0)
    assert discount.estimated


@pytest.mark.parametrize("counts", [[], [1, 1, 2], [2, 3, 3], [1, 1, 1, 1, 1, 2, 3, 4]])
def test_discounts_that_cannot_be_estimated_fall_back(counts: list[int]) -> None:
    discount = estimate_discount(np.array(counts, dtype=np.int64))
    assert (discount.once, discount.twice, discount.more) == FALLBACK
    assert not discount.estimated


def test_perplexity_with_and_without_unknown_words() -> None:
    model = model_of("a b / a c", order=2)
    flat, offsets = model.encode([["a", "zzz"], ["a", "b"]])
    measured = model.perplexity(flat, offsets)
    logs = np.log([0.6, 0.05, 0.3, 0.6, 0.35, 0.65])
    assert (measured.targets, measured.unknown) == (6, 1)
    assert measured.closed == pytest.approx(np.exp(-logs.mean()), rel=1e-6)
    assert measured.known == pytest.approx(np.exp(-np.delete(logs, 1).mean()), rel=1e-6)


def test_ids_beyond_the_vocabulary_are_refused() -> None:
    with pytest.raises(UserError, match="beyond the 5 words"):
        estimate(np.array([4, 5]), np.array([0, 2]), [*SPECIALS, "a"], 2)
