"""The phrase table: keys, counts and probabilities against counting by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedline.baselines.fitting import Texts
from hedline.baselines.phrase_table import Counts, PhraseTable, build_table, count_phrases, phrase_keys, phrase_words


def test_keys_hold_their_words() -> None:
    flat = np.array([7, 65527, 1, 9, 4], np.int32)
    starts, lengths = np.array([0, 1, 4, 1]), np.array([4, 2, 1, 4])
    words = phrase_words(phrase_keys(flat, starts, lengths))
    assert words.tolist() == [[7, 65527, 1, 9], [65527, 1, 0, 0], [4, 0, 0, 0], [65527, 1, 9, 4]]


def test_counts_of_parts_add_up() -> None:
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, 5, (2, 200)).astype(np.uint64)
    whole = Counts.of(source, target)
    parts = Counts.sum([Counts.of(source[:70], target[:70]), Counts.of(source[70:], target[70:])])
    for name in ("source", "target", "count"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
    assert whole.count.sum() == 200


def toy() -> PhraseTable:
    """Three pairs: 4 5 → 8 (4 and 8 linked), twice, and 4 6 → 9 6 (6 with 6 linked)."""
    leads = Texts(np.array([4, 5, 4, 5, 4, 6], np.int32), np.array([0, 2, 4, 6]))
    headlines = Texts(np.array([8, 8, 9, 6], np.int32), np.array([0, 1, 2, 4]))
    links = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 1]], np.int32)
    return build_table(*count_phrases(leads, headlines, links), vocabulary=10, least=1)


def test_probabilities_are_discounted_counts() -> None:
    table = toy()
    first, count = table.find(np.array([4, 5, 6], np.uint64))
    assert count.tolist() == [1, 0, 2]
    assert table.targets[first[0]] == 8
    forward, backward, *lexical = np.exp(table.features[first[0]]).tolist()
    assert (forward, backward) == (pytest.approx(1.5 / 2), pytest.approx(1.5 / 2))
    # p(8 | 4) = 2/3 and p(8 | nothing) = 0, over two; p(4 | 8) = 1 and p(4 | nothing) = 1/3, over two.
    assert lexical == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
    rows = {int(table.targets[r]): np.exp(table.features[r, 0]) for r in range(first[2], first[2] + 2)}
    assert rows == {6: pytest.approx(0.25), 9 | 6 << 16: pytest.approx(0.25)}


def test_deletion_is_drawn_to_the_mean_where_words_are_rare() -> None:
    deleted = np.exp(toy().deletion)
    assert deleted[5] == pytest.approx((2 + 5 * 0.5) / 7)
    assert deleted[6] == pytest.approx((0 + 5 * 0.5) / 6)


def test_a_saved_table_is_the_same(tmp_path: Path) -> None:
    table = toy()
    table.save(tmp_path)
    for name, array in vars(PhraseTable.load(tmp_path)).items():
        assert np.array_equal(array, getattr(table, name))
