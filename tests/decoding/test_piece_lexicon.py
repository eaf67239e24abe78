"""The lexicon of pieces: repeated words, alignments of words."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.decoding.piece_lexicon import repeats, word_alignment


@pytest.mark.parametrize(
    ("keys", "key", "again"),
    [
        (("mayor", "of", "lund"), "mayor", True),
        (("mayor", "of", "lund"), "of", False),
        (("of", "the", "of"), "the", True),
        (("of", "lund"), "rome", False),
    ],
)
def test_repeats_of_pieces(keys: tuple[str, ...], key: str, again: bool) -> None:
    assert repeats(keys, key) is again


def test_alignments_of_pieces_become_alignments_of_words() -> None:
    attention = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.0, 1.0, 0.0]], np.float32)
    rows = word_alignment(attention, [b"Lu", b"nd", b" wins"], (0, 2, 3), 2)  # input words: pieces 0-1, piece 2
    np.testing.assert_allclose(rows, [[(0.75 + 0.2) / 2, (0.25 + 0.8) / 2], [1.0, 0.0]], atol=1e-6)
