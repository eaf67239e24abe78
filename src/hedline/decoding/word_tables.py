"""What the search needs to know about each word of an output vocabulary, computed once a word."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedline.decoding.features import WORD_FEATURES, is_content
from hedline.decoding.scorer import Ints
from hedline.decoding.spacing import left_class, right_class
from hedline.text.detokenize import printed
from hedline.text.vocab import Vocabulary


class WordTables:
    """Printed form, length, spacing and content of output words, filled in as ids are first met.

    surface: the printed form of a word that does not come from the input (truecasing); arrays are indexed by output
    id: bytes_, chars, left, right, content, and values[name] for each feature of a word outside the input.
    """

    def __init__(self, vocabulary: Vocabulary, surface: Callable[[str], str]) -> None:
        size = len(vocabulary)
        self.vocabulary, self.surface = vocabulary, surface
        self.surfaces: list[str] = [""] * size
        self.known = np.zeros(size, bool)
        self.bytes_, self.chars = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self.left, self.right = np.zeros(size, np.int8), np.zeros(size, np.int8)
        self.content, self.printable = np.zeros(size, bool), np.zeros(size, bool)
        self.values: dict[str, NDArray[np.float32]] = {name: np.zeros(size, np.float32) for name in WORD_FEATURES}

    def meet(self, ids: Ints) -> None:
        """Make sure that the arrays are filled for `ids`."""
        for index in ids[~self.known[ids]].tolist():
            word = self.vocabulary.words[index]
            surface = self.surface(word)
            self.surfaces[index] = surface
            shown = printed(surface)
            self.bytes_[index], self.chars[index] = len(shown.encode("utf-8", "replace")), len(shown)
            self.left[index], self.right[index] = left_class(surface), right_class(surface)
            self.content[index] = is_content(word)
            # Specials are never printed; digits (#) only as the input's own, which the lexicon adds.
            self.printable[index] = index > 3 and "#" not in word and bool(shown) and not shown.isspace()
            for name, value in WORD_FEATURES.items():
                self.values[name][index] = value(word, False)
        self.known[ids] = True
