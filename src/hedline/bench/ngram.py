"""How long and how large Kneser-Ney estimation is, on made-up text or on a data folder's headlines."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.data.dataset import Dataset
from hedline.ngram.estimate import estimate
from hedline.text.vocab import SPECIALS, Vocabulary

WORDS_A_HEADLINE = 13


@dataclass(frozen=True)
class NgramTiming:
    """tokens: words and `</s>` counted; seconds: estimation; gigabytes: this process's peak, all it did included."""

    tokens: int
    order: int
    ngrams: int
    seconds: float
    gigabytes: float
    queries_per_second: float

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    def text(self) -> str:
        """One line."""
        return (
            f"Kneser-Ney, order {self.order}: {self.tokens:,} tokens to {self.ngrams:,} n-grams "
            f"in {self.seconds:.1f} s ({self.tokens / self.seconds:,.0f} tokens/s), peak {self.gigabytes:.2f} GB; "
            f"{self.queries_per_second:,.0f} words/s scored"
        )


def bench_ngram(tokens: int = 12_000_000, order: int = 5, data: Path | None = None) -> NgramTiming:
    """Time estimation and scoring on `tokens` words of `data`'s training headlines (made-up text without it)."""
    flat, offsets, words = _headlines(data, tokens) if data else made_up_headlines(tokens)
    begin = time.perf_counter()
    model = estimate(flat, offsets, words, order)
    seconds = time.perf_counter() - begin
    sample = offsets[: len(offsets) // 20 + 2]
    begin = time.perf_counter()
    found = model.perplexity(flat, sample)
    rate = found.targets / (time.perf_counter() - begin)
    ngrams = sum(len(keys) for keys in model.keys)
    return NgramTiming(len(flat) + len(offsets) - 1, order, ngrams, seconds, _peak_gigabytes(), rate)


def made_up_headlines(tokens: int, vocabulary: int = 50_000) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Independent words by Zipf's law: harder than real text, since more of its n-grams are distinct."""
    random = np.random.default_rng(0)
    weights = np.cumsum(1.0 / np.arange(1, vocabulary + 1))
    flat = np.searchsorted(weights, random.random(tokens) * weights[-1]) + len(SPECIALS)
    offsets = np.append(np.arange(0, tokens, WORDS_A_HEADLINE), tokens)
    return flat, offsets, [*SPECIALS, *(f"w{number}" for number in range(vocabulary))]


def _headlines(folder: Path, tokens: int) -> tuple[Any, Any, list[str]]:
    dataset = Dataset.open(folder)
    train = dataset.split("train")
    count = int(np.searchsorted(train.output_offsets, tokens))
    offsets = train.output_offsets[: max(count, 1) + 1]
    return train.outputs[: offsets[-1]], offsets, Vocabulary.load(folder / "vocab.output.txt").words


def _peak_gigabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e9 if sys.platform == "darwin" else 1e6)  # bytes on macOS, kilobytes on Linux
