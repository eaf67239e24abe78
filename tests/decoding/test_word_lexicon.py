"""The lexicon of words: no content word or pair of words twice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.word_lexicon import forbid_repeats, marks_of

histories = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=4)


@given(histories, st.sets(st.integers(0, 5)), st.sampled_from([-np.inf, -2.0]))
def test_used_content_words_and_pairs_are_forbidden(rows: list[list[int]], said: set[int], penalty: float) -> None:
    history, trash = np.array(rows), 6
    content = np.zeros((len(rows), 7), bool)
    content[:, list(said)] = True
    totals = np.zeros((len(rows), 7), np.float32)
    forbid_repeats(totals, history, content, penalty, trash)
    for row, words in enumerate(rows):
        pairs = set(pairwise(words))
        for column in range(6):
            used = column in words and column in said
            again = penalty == -np.inf and (words[-1], column) in pairs
            assert totals[row, column] == (-np.inf if again else penalty if used else 0.0)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5, unique=True), st.randoms())
def test_marks_tell_sets_of_used_words_whatever_their_order(words: list[int], dice) -> None:
    shuffled = list(words)
    dice.shuffle(shuffled)

    def marks(order: list[int]) -> int:
        value, history = np.zeros(1, np.int64), np.zeros((1, 0), np.int64)
        for word in order:
            value = marks_of(value, history, np.array([word]), np.array([True]))
            history = np.concatenate([history, [[word]]], axis=1)
        return int(value[0])

    assert marks(words) == marks(shuffled)
    assert marks(words) != marks([*words, 6]) != marks(words[1:])
