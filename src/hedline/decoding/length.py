"""Limits on the final text: how many steps they leave, and how far an ending misses what was asked."""

from __future__ import annotations

import numpy as np

from hedline.decoding.options import NO_LIMIT, DecodeOptions
from hedline.decoding.scorer import Ints

MOST_STEPS = 200


def step_limit(options: DecodeOptions, units_a_word: int) -> int:
    """Most units a headline within the limits is given: every unit costs at least a byte and a character."""
    by_words = options.word_limit * units_a_word + 4 if options.word_limit < NO_LIMIT else NO_LIMIT
    return min(by_words, options.byte_limit, options.char_limit, MOST_STEPS)


def fill_shortage(options: DecodeOptions, used: Ints) -> Ints:
    """(rows,) by how much an ending at `used` (rows, 3: words, bytes, chars) would miss what was asked.

    Exact words: the missing words. A wish to fill the limit: the missing part, in the limit's own unit.
    """
    if options.exact_words is not None:
        return np.asarray(np.abs(options.exact_words - used[:, 0]))
    if options.fill > 0:
        for column, limit in ((1, options.bytes), (2, options.chars), (0, options.words)):
            if limit is not None:
                return np.maximum(int(np.ceil(options.fill * limit)) - used[:, column], 0)
    return np.zeros(len(used), np.int64)
