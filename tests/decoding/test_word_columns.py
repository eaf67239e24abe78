"""Columns of the word model: the shape of a printed word decides about spaces."""

from __future__ import annotations

import pytest

from hedline.decoding.word_columns import shape_of
from hedline.text.surface import left_class, right_class


@pytest.mark.parametrize("word", ["Lund", "é", "'s", "-", "1,200"])
def test_shapes_of_printed_words(word: str) -> None:
    assert shape_of(word) == (len(word.encode()), len(word), left_class(word), right_class(word))
