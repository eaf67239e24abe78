"""The two lexicons: what both must offer, and the parts of each that can be said in a line of plain Python."""

from __future__ import annotations

import inspect
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.lexicon import Lexicon
from hedline.decoding.piece_lexicon import SubwordLexicon, repeats, word_alignment
from hedline.decoding.word_columns import shape_of
from hedline.decoding.word_lexicon import WordLexicon, forbid_repeats, marks_of
from hedline.text.surface import left_class, right_class

histories = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=4)


@pytest.mark.parametrize("kind", [WordLexicon, SubwordLexicon])
def test_both_answer_the_searchs_questions_alike(kind: type) -> None:
    for name, asked in inspect.getmembers(Lexicon, inspect.isfunction):
        if name.startswith("_"):
            continue
        wanted, given_ = (len(inspect.signature(each).parameters) for each in (asked, getattr(kind, name)))
        assert wanted == given_, name


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


@pytest.mark.parametrize(
    ("keys", "key", "content", "again"),
    [
        (("mayor", "of", "lund"), "mayor", True, True),
        (("mayor", "of", "lund"), "of", False, False),
        (("of", "lund", "of"), "lund", False, True),
        (("of", "lund"), "rome", True, False),
    ],
)
def test_repeats_of_pieces(keys: tuple[str, ...], key: str, content: bool, again: bool) -> None:
    assert repeats(keys, key, content) is again


def test_alignments_of_pieces_become_alignments_of_words() -> None:
    attention = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.0, 1.0, 0.0]], np.float32)
    rows = word_alignment(attention, [b"Lu", b"nd", b" wins"], (0, 2, 3), 2)  # input words: pieces 0-1, piece 2
    np.testing.assert_allclose(rows, [[(0.75 + 0.2) / 2, (0.25 + 0.8) / 2], [1.0, 0.0]], atol=1e-6)


@pytest.mark.parametrize("word", ["Lund", "é", "'s", "-", "1,200"])
def test_shapes_of_printed_words(word: str) -> None:
    assert shape_of(word) == (len(word.encode()), len(word), left_class(word), right_class(word))
