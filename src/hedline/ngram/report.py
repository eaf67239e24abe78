"""A data folder's Kneser-Ney model and its perplexity: what `hedline ngram` prints and Table 2 needs."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hedline.data.dataset import Dataset, Pairs
from hedline.errors import UserError
from hedline.ngram.arpa import read_arpa, write_arpa
from hedline.ngram.discount import Discount
from hedline.ngram.estimate import estimate
from hedline.ngram.model import NgramModel, Perplexity
from hedline.text.vocab import UNKNOWN, Vocabulary


@dataclass(frozen=True)
class NgramReport:
    """A model's size, its discounts by order (none when it was read from a file), perplexity, and seconds spent."""

    split: str
    sizes: tuple[int, ...]
    discounts: tuple[Discount, ...]
    perplexity: Perplexity
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    def text(self) -> str:
        """A line an order, then the perplexities."""
        lines = [f"{'order':>5} {'n-grams':>12}  discounts of n-grams seen once, twice, more often"]
        for n, size in enumerate(self.sizes, start=1):
            shown = _describe(self.discounts[n - 1]) if self.discounts else "as in the file"
            lines.append(f"{n:>5} {size:>12,}  {shown}")
        found = self.perplexity
        share = 100 * found.unknown / found.targets
        lines += [
            f"perplexity on {self.split}, </s> counted, {found.targets:,} words ({share:.1f} % unknown):",
            f"  {found.closed:.2f} with unknown words (closed vocabulary: <unk> is a word; the paper's way)",
            f"  {found.known:.2f} without unknown words",
        ]
        return "\n".join(lines)


def _describe(discount: Discount) -> str:
    amounts = f"{discount.once:.4f} {discount.twice:.4f} {discount.more:.4f}"
    return amounts if discount.estimated else f"{amounts} (fixed: too little text to estimate them)"


def estimate_from(dataset: Dataset, order: int) -> NgramModel:
    """The model of a data folder's training headlines over its output vocabulary."""
    words = Vocabulary.load(dataset.folder / "vocab.output.txt").words
    train = dataset.split("train")
    if not len(train):
        raise UserError(f"{dataset.folder} has no training headlines to count")
    return estimate(train.outputs, train.output_offsets, words, order)


def measure_ngram(
    folder: Path, order: int = 5, split: str = "valid", arpa: Path | None = None, load: Path | None = None
) -> NgramReport:
    """Estimate on the training headlines (or read the ARPA file `load`) and measure on `split`.

    arpa: also write the model there.
    """
    dataset = Dataset.open(folder)
    held_out = dataset.split(split)
    if not len(held_out):
        raise UserError(f"{folder} has no {split} headlines to measure perplexity on")
    begin = time.monotonic()
    model = read_arpa(load) if load else estimate_from(dataset, order)
    measured = _perplexity(model, dataset, held_out)
    seconds = time.monotonic() - begin
    if arpa:
        write_arpa(model, arpa)
    sizes = tuple(len(keys) for keys in model.keys)
    return NgramReport(split, sizes, model.discounts, measured, round(seconds, 2))


def _perplexity(model: NgramModel, dataset: Dataset, pairs: Pairs) -> Perplexity:
    """Perplexity with the folder's ids mapped to the model's where the vocabularies differ."""
    words = Vocabulary.load(dataset.folder / "vocab.output.txt").words
    outputs = pairs.outputs
    if tuple(words) != model.words:
        outputs = np.array([model.ids.get(word, UNKNOWN) for word in words], dtype=np.int32)[pairs.outputs]
    return model.perplexity(outputs, pairs.output_offsets)
