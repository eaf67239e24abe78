"""The headlines' language model inside a fitted folder, and many words scored after many histories at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.baselines.corpus import Texts, join_text, split_text
from hedline.baselines.fitting import load_array, save_array
from hedline.ngram.count import NO_ROW, pack
from hedline.ngram.estimate import estimate
from hedline.ngram.model import NgramModel, find
from hedline.text.vocab import START

LN10 = float(np.log(10))
States = npt.NDArray[np.int64]  # (histories, order - 1) rows of the n-grams that end a history, -1 where unknown


class LanguageModel:
    """An n-gram model asked for the next word of many histories; natural logarithms."""

    def __init__(self, model: NgramModel) -> None:
        self.model = model
        self.width = max(model.order - 1, 1)

    @classmethod
    def of(cls, headlines: Texts, words: Sequence[str], order: int) -> LanguageModel:
        """Estimate a Kneser-Ney model of headlines given as ids of `words` (specials first)."""
        return cls(estimate(headlines.flat, headlines.offsets, words, order))

    def begin(self, count: int = 1) -> States:
        """Return `count` histories that hold only `<s>`."""
        states = np.full((count, self.width), NO_ROW, np.int64)
        states[:, 0] = START
        return states

    def extend(self, states: States, words: Array) -> tuple[npt.NDArray[np.float64], States]:
        """Return log p(word | history) and the longer histories; states: (n, width), words: (n,) ids."""
        model = self.model
        scores = model.logs[0][words].astype(np.float64)
        longer = np.full(states.shape, NO_ROW, np.int64)
        longer[:, 0] = words
        for n in range(1, model.order):
            context = states[:, n - 1]
            known = np.flatnonzero(context != NO_ROW)
            rows = np.full(len(words), NO_ROW, np.int64)
            rows[known] = find(model.keys[n], pack(context[known], words[known], len(model.words)))
            scores[known] += model.backoffs[n - 1][context[known]]
            found = np.flatnonzero(rows != NO_ROW)
            scores[found] = model.logs[n][rows[found]]
            if n < states.shape[1]:
                longer[:, n] = rows
        return scores * LN10, longer

    def save(self, folder: Path) -> None:
        """Write `words.npy` and one `lm.<n>.<part>.npy` per level and part."""
        save_array(folder / "words.npy", split_text("\n".join(self.model.words)))
        for n in range(self.model.order):
            for part in ("keys", "logs", "backoffs"):
                save_array(folder / f"lm.{n + 1}.{part}.npy", getattr(self.model, part)[n])

    @classmethod
    def load(cls, folder: Path) -> LanguageModel:
        """Map what `save` wrote."""
        words = tuple(join_text(load_array(folder / "words.npy")).split("\n"))
        levels = range(1, 1 + len(list(folder.glob("lm.*.keys.npy"))))
        keys, logs, backoffs = (
            [load_array(folder / f"lm.{n}.{part}.npy") for n in levels] for part in ("keys", "logs", "backoffs")
        )
        return cls(NgramModel(words, keys, logs, backoffs))
