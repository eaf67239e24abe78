"""Interpolated modified Kneser-Ney: n-grams counted by sorting, discounted, made into probabilities and back-offs.

p(w | h) = (a(h w) - D(a(h w))) / a(h ·) + b(h) p(w | h'), h' being h without its first word, and b(h) the mass
the discounts freed. Unigrams are interpolated with the uniform distribution over the vocabulary: all words,
`</s>` and `<unk>`, without `<s>` and `<pad>`, which are never predicted. `<unk>` is counted as any other word
where the text holds it (a closed vocabulary, as the paper counts); where it does not, it keeps its uniform share.

`measure_ngram` estimates the model of a data folder and gives its perplexity: what `hedline ngram` prints and Table 2
needs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Doubles
from hedline.data.dataset import Dataset, Pairs
from hedline.errors import UserError
from hedline.ngram.arpa import read_arpa, write_arpa
from hedline.ngram.model import NEVER, NO_ROW, Discount, Ids, NgramModel, Perplexity, Stream, lay_out, pack
from hedline.progress import Progress
from hedline.settings import setting
from hedline.text.vocab import PAD, START, UNKNOWN, Vocabulary

MOST_TOKENS = 2**31 - 1  # rows are 32-bit
SLOW_TOKENS = 2_000_000  # about five seconds: worth a progress line
FALLBACK = (0.5, 1.0, 1.5)  # lmplz's --discount_fallback, for orders too small to estimate from


def estimate(flat: Ids, offsets: Ids, words: Sequence[str], order: int = 5) -> NgramModel:
    """A model of the sentences `flat[offsets[i]:offsets[i + 1]]`, ids into `words` (specials first)."""
    if not 1 <= order <= 10:
        raise UserError(f"an n-gram order of {order} is not possible: choose 1 to 10")
    if len(offsets) < 2:
        raise UserError("there are no sentences to estimate an n-gram model from")
    if len(flat) and int(flat[offsets[0] : offsets[-1]].max(initial=0)) >= len(words):
        raise UserError(f"the sentences hold ids beyond the {len(words):,} words of the vocabulary; prepare them again")
    if len(flat) + 2 * len(offsets) >= MOST_TOKENS:
        raise UserError(f"{len(flat):,} tokens are too many to count here; the most is {MOST_TOKENS:,}")
    progress = Progress(f"counting {len(flat):,} words", order - 1, "orders") if len(flat) >= SLOW_TOKENS else None
    levels = count_ngrams(lay_out(flat, offsets), order, len(words), progress)
    adjust_counts(levels)
    discounts = [estimate_discount(level.counts) for level in levels]
    return interpolate(levels, discounts, unigrams(levels[0], discounts[0]), words)


@dataclass
class Level:
    """All distinct n-grams of one order, sorted by key.

    keys: (M,) int64, see `model`; suffixes: (M,) int32 rows of the last n-1 words one level below;
    counts: (M,) int64 occurrences, later adjusted; initial: (M,) bool, whether the n-gram begins with `<s>`.
    """

    keys: NDArray[np.int64]
    suffixes: NDArray[np.int32]
    counts: NDArray[np.int64]
    initial: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.keys)


def count_ngrams(stream: Stream, order: int, vocabulary: int, progress: Progress | None = None) -> list[Level]:
    """Levels 1 to `order`; level 1 has a row for every word of the vocabulary, seen or not.

    progress: advanced by one an order.
    """
    unigrams = np.bincount(stream.ids, minlength=vocabulary).astype(np.int64)
    everything = np.arange(vocabulary, dtype=np.int64)
    levels = [Level(everything, np.zeros(vocabulary, np.int32), unigrams, everything == START)]
    rows = stream.ids
    for n in range(2, order + 1):
        level, rows = _next_level(stream, rows, n, vocabulary)
        levels.append(level)
        if progress:
            progress.advance(note=f"{len(level):,} {n}-grams")
    return levels


def _next_level(stream: Stream, rows: NDArray[np.int32], n: int, vocabulary: int) -> tuple[Level, NDArray[np.int32]]:
    """Level n, and (T,) the row of the n-gram that ends at each place; `rows` is the same for n-1."""
    ends = np.flatnonzero(stream.places >= n - 1)
    keys = pack(rows[ends - 1], stream.ids[ends], vocabulary)
    by_key = np.argsort(keys, kind="stable")
    keys = keys[by_key]
    new = np.empty(len(keys), dtype=bool)
    new[:1], new[1:] = True, keys[1:] != keys[:-1]
    first = np.flatnonzero(new)
    next_rows = np.full(len(rows), NO_ROW, dtype=np.int32)
    next_rows[ends[by_key]] = np.cumsum(new, dtype=np.int32) - 1
    example = ends[by_key[first]]
    counts = np.diff(np.append(first, len(keys)))
    return Level(keys[first], rows[example], counts, stream.places[example] == n - 1), next_rows


def adjust_counts(levels: list[Level]) -> None:
    """Below the highest order, count the distinct words to the left instead of occurrences (in place).

    N-grams that begin with `<s>` have nothing to their left and keep their occurrences; `<s>` itself is never
    predicted, so its own count is 0 (as in kenlm's lmplz).
    """
    for lower, higher in pairwise(levels):
        kinds = np.bincount(higher.suffixes, minlength=len(lower))
        lower.counts = np.where(lower.initial, lower.counts, kinds)
    levels[0].counts[START] = 0


def estimate_discount(counts: NDArray[np.int64]) -> Discount:
    """D1, D2 and D3+ from the adjusted counts of one order (Chen & Goodman 1998, equation 26).

    Tiny or artificial text may lack n-grams of count 1, 2 or 3 or give a discount outside 0 … count;
    then the fixed fallback is used and marked.
    """
    t = np.bincount(np.minimum(counts[counts > 0], 5), minlength=6).astype(float)
    if not t[1:4].all():
        return Discount(*FALLBACK, estimated=False)
    y = t[1] / (t[1] + 2 * t[2])
    once, twice, more = (float(k - (k + 1) * y * t[k + 1] / t[k]) for k in (1, 2, 3))
    if not (0 <= once <= 1 and 0 <= twice <= 2 and 0 <= more <= 3):
        return Discount(*FALLBACK, estimated=False)
    return Discount(once, twice, more)


def interpolate(
    levels: list[Level], discounts: Sequence[Discount], lowest: Doubles, words: Sequence[str]
) -> NgramModel:
    """Probabilities level by level on top of `lowest`, (V,) the unigrams' own.

    Each level also gives the one below its back-off weights.
    """
    probabilities = lowest
    logs, backoffs = [_log10(probabilities)], []
    for n in range(1, len(levels)):
        level = levels[n]
        contexts = level.keys // len(words)
        own, freed = _discounted(level.counts, contexts, len(levels[n - 1]), discounts[n])
        probabilities = own + freed[contexts] * probabilities[level.suffixes]
        backoffs.append(_log10(freed))
        logs.append(_log10(probabilities))
    backoffs.append(np.zeros(len(levels[-1]), np.float32))
    return NgramModel(tuple(words), [level.keys for level in levels], logs, backoffs, tuple(discounts))


def unigrams(level: Level, discount: Discount) -> Doubles:
    """(V,) probabilities of single words, interpolated with the uniform distribution."""
    everywhere = np.zeros(len(level), dtype=np.int64)
    own, freed = _discounted(level.counts, everywhere, 1, discount)
    predicted = np.ones(len(level), dtype=bool)
    predicted[[PAD, START]] = False
    return np.where(predicted, own + freed[0] / predicted.sum(), 0.0)


def _discounted(counts: NDArray[np.int64], contexts: Ids, size: int, discount: Discount) -> tuple[Doubles, Doubles]:
    """(M,) each n-gram's own share of its context, and (size,) the mass freed for the level below.

    contexts: (M,) row of each n-gram's context; a context that nothing follows frees all its mass (1).
    """
    taken = discount.table()[np.minimum(counts, 3)]
    totals = np.bincount(contexts, weights=counts, minlength=size)
    freed = np.asarray(np.bincount(contexts, weights=taken, minlength=size), dtype=np.float64)
    unseen = totals == 0
    totals[unseen] = freed[unseen] = 1.0
    freed /= totals
    return (counts - taken) / totals[contexts], freed


def _log10(probabilities: Doubles) -> NDArray[np.float32]:
    """Base-10 logarithms, with ARPA's -99 for zero."""
    logs = np.full(len(probabilities), NEVER)
    np.log10(probabilities, out=logs, where=probabilities > 0)
    return logs.astype(np.float32)


@dataclass(frozen=True)
class NgramSettings:
    """What `hedline ngram` estimates and measures."""

    order: int = setting(5, "Longest n-gram.")
    split: str = setting("valid", "Split to measure: valid, test or train.")
    arpa: Path | None = setting(None, "Also write the model as an ARPA file.")
    from_arpa: Path | None = setting(None, "Read this ARPA file instead of estimating.")


AS_USUAL = NgramSettings()


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


def measure_ngram(folder: Path, settings: NgramSettings = AS_USUAL) -> NgramReport:
    """Estimate on the training headlines, or read an ARPA file, and measure on a split."""
    dataset = Dataset.open(folder)
    held_out = dataset.split(settings.split)
    if not len(held_out):
        raise UserError(f"{folder} has no {settings.split} headlines to measure perplexity on")
    begin = time.monotonic()
    model = read_arpa(settings.from_arpa) if settings.from_arpa else estimate_from(dataset, settings.order)
    measured = _held_out_perplexity(model, dataset, held_out)
    seconds = time.monotonic() - begin
    if settings.arpa:
        write_arpa(model, settings.arpa)
    sizes = tuple(len(keys) for keys in model.keys)
    return NgramReport(settings.split, sizes, model.discounts, measured, round(seconds, 2))


def _held_out_perplexity(model: NgramModel, dataset: Dataset, pairs: Pairs) -> Perplexity:
    """Perplexity with the folder's ids mapped to the model's where the vocabularies differ."""
    words = Vocabulary.load(dataset.folder / "vocab.output.txt").words
    outputs = pairs.outputs
    if tuple(words) != model.words:
        outputs = np.array([model.ids.get(word, UNKNOWN) for word in words], dtype=np.int32)[pairs.outputs]
    return model.perplexity(outputs, pairs.output_offsets)
