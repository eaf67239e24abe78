"""Learning a shortlist: which output words does an input word call up that it does not contain?

IBM model 1 between a lead's content words and the headline's words that are neither frequent nor in the lead. The
words of a lead compete to explain each such word, so that a word every lead would call up is credited to none
(it goes to an empty word, and from there to the frequent list's neighbours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.data.dataset import Pairs
from hedline.progress import track
from hedline.runtime.layers import Ints

SPECIALS = 4
BLOCK = 20_000


@dataclass(frozen=True)
class ShortlistOptions:
    """frequent: words always allowed; companions: the most an input word calls up; minimum: expected occurrences a
    companion needs; ignored: the commonest input words call up nothing; pairs: training pairs read at most.
    """

    frequent: int = 1000
    companions: int = 64
    minimum: float = 0.2
    ignored: int = 150
    pairs: int = 400_000
    iterations: int = 3


class Events(NamedTuple):
    """Every (input word, headline word) that might belong together: keys = x · Vout + y, targets 0, 0, …, 1, 1, …"""

    keys: Ints
    targets: Ints


def learn_shortlist(
    pairs: Pairs, vocab_in: int, vocab_out: int, same: Ints | None, options: ShortlistOptions | None = None
) -> dict[str, NDArray[Any]]:
    """The tensors of `shortlist.safetensors`. same: (Vin,) output id of each input id or -1; None: identical."""
    options = options or ShortlistOptions()
    output_of = np.arange(vocab_in) if same is None else same
    learner = _Learner(pairs, vocab_in, vocab_out, output_of, options)
    x, y, strength = learner.strengths()
    kept = _strongest(x, y, strength, options)
    x, y = x[kept], y[kept]
    order = np.lexsort((y, x))
    dtype = np.uint16 if vocab_out <= 1 << 16 else np.int32
    tensors: dict[str, NDArray[Any]] = {
        "frequent": np.sort(learner.frequent).astype(np.int32),
        "offsets": np.searchsorted(x[order], np.arange(vocab_in + 1)).astype(np.int32),
        "companions": y[order].astype(dtype),
    }
    if same is not None:
        tensors["same"] = same.astype(np.int32)
    return tensors


def same_words(vocab_in: Sequence[str], vocab_out: Sequence[str]) -> Ints:
    """(Vin,) the output id of each input word, -1 for those the output side lacks."""
    ids = {word: index for index, word in enumerate(vocab_out)}
    return np.array([ids.get(word, -1) for word in vocab_in], np.int64)


class _Learner:
    def __init__(self, pairs: Pairs, vocab_in: int, vocab_out: int, output_of: Ints, options: ShortlistOptions) -> None:
        self.pairs, self.vocab_in, self.vocab_out, self.output_of, self.options = (
            pairs, vocab_in, vocab_out, output_of, options,
        )  # fmt: skip
        self.count = min(len(pairs), options.pairs)
        self.input_counts = np.bincount(pairs.inputs[: pairs.input_offsets[self.count]], minlength=vocab_in)
        self.silent = np.zeros(vocab_in, bool)
        self.silent[np.argsort(-self.input_counts, kind="stable")[: min(options.ignored, vocab_in // 10)]] = True
        self.silent[:SPECIALS] = True
        novel = self._novel_counts()
        best = np.argsort(-novel, kind="stable")[: options.frequent]
        self.frequent = np.unique(np.concatenate([best[novel[best] > 0], np.arange(1, SPECIALS)]))
        self.covered = np.zeros(vocab_out, bool)
        self.covered[self.frequent] = True

    def _block(self, first: int) -> tuple[Ints, Ints]:
        """Distinct (pair, input word) and distinct (pair, novel output word) of a block, as pair · V + word."""
        last = min(first + BLOCK, self.count)
        ins, outs = self.pairs.input_offsets[first : last + 1], self.pairs.output_offsets[first : last + 1]
        x = np.asarray(self.pairs.inputs[ins[0] : ins[-1]], np.int64)
        y = np.asarray(self.pairs.outputs[outs[0] : outs[-1]], np.int64)
        inputs = np.unique(np.repeat(np.arange(last - first), np.diff(ins)) * self.vocab_in + x)
        outputs = np.unique(np.repeat(np.arange(last - first), np.diff(outs)) * self.vocab_out + y)
        pair, word = np.divmod(inputs, self.vocab_in)
        own = self.output_of[word]
        copied = np.isin(outputs, (pair * self.vocab_out + own)[own >= 0])
        return inputs, outputs[~copied]

    def _novel_counts(self) -> Ints:
        counts = np.zeros(self.vocab_out, np.int64)
        for first in track(range(0, self.count, BLOCK), "counting headline words", unit="blocks"):
            counts += np.bincount(self._block(first)[1] % self.vocab_out, minlength=self.vocab_out)
        return counts

    def _events(self) -> Events:
        """All candidate links; the empty word (id Vin) is a candidate for every headline word."""
        keys, targets, seen = [], [], 0
        for first in track(range(0, self.count, BLOCK), "linking words", unit="blocks"):
            inputs, outputs = self._block(first)
            pair_x, x = np.divmod(inputs, self.vocab_in)
            pair_x, x = pair_x[~self.silent[x]], x[~self.silent[x]]
            pair_y, y = np.divmod(outputs, self.vocab_out)
            wanted = ~self.covered[y] & (y >= SPECIALS)
            pair_y, y = pair_y[wanted], y[wanted]
            start, end = (np.searchsorted(pair_x, pair_y, side) for side in ("left", "right"))
            links = end - start
            target = np.repeat(np.arange(len(y)), links + 1)
            place = np.arange(len(target)) - np.repeat(np.cumsum(links + 1) - (links + 1), links + 1)
            empty = place == links[target]
            words = x[np.minimum(start[target] + place, max(len(x) - 1, 0))] if len(x) else np.zeros(len(target), int)
            keys.append(np.where(empty, self.vocab_in, words) * self.vocab_out + y[target])
            targets.append(target + seen)
            seen += len(y)
        if not keys:
            return Events(np.zeros(0, np.int64), np.zeros(0, np.int64))
        return Events(np.concatenate(keys), np.concatenate(targets))

    def strengths(self) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """Linked input words, output words and the expected number of times one called up the other."""
        events = self._events()
        if not len(events.keys):
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        links, place = np.unique(events.keys, return_inverse=True)
        x, y = np.divmod(links, self.vocab_out)
        contexts = np.append(self.input_counts, events.targets[-1] + 1)[x]
        expected: NDArray[np.float64] = np.bincount(place).astype(np.float64)
        starts = np.flatnonzero(np.diff(events.targets, prepend=-1))
        for _ in range(self.options.iterations):
            share = (expected / contexts)[place]
            share /= np.add.reduceat(share, starts)[events.targets]
            expected = np.asarray(np.bincount(place, weights=share, minlength=len(links)), np.float64)
        real = x < self.vocab_in
        return x[real], y[real], expected[real]


def _strongest(x: Ints, y: Ints, strength: NDArray[np.float64], options: ShortlistOptions) -> Ints:
    """Indices of each input word's strongest companions."""
    order = np.lexsort((y, -strength, x))
    rank = np.arange(len(x)) - np.searchsorted(x[order], x[order])
    return order[(rank < options.companions) & (strength[order] >= options.minimum)]
