"""Word alignment of pairs, and the phrase pairs that an alignment allows (MOSES+).

Alignment is sil-thot's sampler in both directions, made one by grow-diag-final-and. Phrase pairs are found for all
sentences at once, in windows over the flat arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.baselines.fitting import Texts
from hedline.errors import require

LONGEST = 4  # words of a phrase
ITERATIONS = (2, 2, 8)  # IBM 1, HMM, fertility

Links = npt.NDArray[np.int32]  # (links, 3): sentence, place in the lead, place in the headline


def align(leads: Texts, headlines: Texts, seed: int = 1) -> Links:
    """Align every headline with its lead, in both directions, and join the two by grow-diag-final-and."""
    forward, backward = _model(leads, headlines, seed), _model(headlines, leads, seed)
    found = []
    for number in range(len(leads)):
        matrix = forward.get_training_alignment(number)[1]
        other = backward.get_training_alignment(number)[1]
        other.transpose()
        matrix.grow_diag_final_and(other)
        places = np.argwhere(matrix.to_numpy())
        found.append(np.column_stack([np.full(len(places), number), places]).astype(np.int32))
    return np.concatenate(found) if found else np.empty((0, 3), np.int32)


def _model(source: Texts, target: Texts, seed: int) -> Any:
    """Train one direction; the sampler keeps the alignment of every pair it was given."""
    try:
        from thot.alignment import EflomalAlignmentModel
    except ImportError:
        raise require("sil-thot", "baselines", "fitting MOSES+") from None
    model = EflomalAlignmentModel()
    model.set_iterations(*ITERATIONS)
    model.num_samplers, model.seed, model.emit_training_alignments = 1, seed, True
    for left, right in zip(_spelt(source), _spelt(target), strict=True):
        model.add_sentence_pair(left, right)
    model.start_training()
    for _ in range(model.scheduled_iterations):
        model.train()
    model.end_training()
    return model


def _spelt(texts: Texts) -> Iterator[list[str]]:
    """Yield sentences as strings; an empty one would be left out by the aligner and shift all that follow."""
    for number in range(len(texts)):
        yield [str(word) for word in texts[number].tolist()] or ["-"]


@dataclass(frozen=True)
class Spans:
    """Phrase pairs by place: (pairs,) first flat positions and lengths of the lead's and the headline's words."""

    source: Array
    source_length: Array
    target: Array
    target_length: Array


@dataclass(frozen=True)
class _Side:
    """One side's flat positions: the lowest and highest place linked on the other side, and the own sentence."""

    low: Array  # beyond every place where there is no link
    high: Array  # -1 where there is no link
    owners: Array

    @classmethod
    def of(cls, texts: Texts, own: Array, other: Array) -> _Side:
        """own, other: (links,) flat positions."""
        low = np.full(len(texts.flat), np.iinfo(np.int64).max)
        high = np.full(len(texts.flat), -1)
        np.minimum.at(low, own, other)
        np.maximum.at(high, own, other)
        return cls(low, high, texts.owners)

    def windows(self, longest: int) -> list[tuple[Array, Array]]:
        """For each length from 1: (positions,) lowest and highest link of the window that begins there."""
        found = [(self.low, self.high)]
        for length in range(2, longest + 1):
            low, high = (each.copy() for each in found[-1])
            np.minimum(low[: 1 - length], self.low[length - 1 :], out=low[: 1 - length])
            np.maximum(high[: 1 - length], self.high[length - 1 :], out=high[: 1 - length])
            found.append((low, high))
        return found

    def unlinked_before(self, longest: int) -> Array:
        """(positions,) how many words right before each, of its sentence and up to `longest`, have no link."""
        runs = np.zeros(len(self.high), np.int64)
        going = np.ones(len(self.high), bool)
        for step in range(1, longest + 1):
            going[:step] = False
            going[step:] &= (self.high[:-step] < 0) & (self.owners[:-step] == self.owners[step:])
            runs += going
        return runs

    def unlinked_after(self, longest: int) -> Array:
        """(positions,) the same for the words right behind each."""
        mirrored = _Side(self.low[::-1], self.high[::-1], self.owners[::-1])
        return mirrored.unlinked_before(longest)[::-1]


def extract(leads: Texts, headlines: Texts, links: Links, longest: int = LONGEST, loose: bool = True) -> Spans:
    """Find all phrase pairs consistent with the links: at least one link inside, none from inside to outside.

    loose: also pairs whose source begins or ends with words that have no link (deletion rules make them needless).
    """
    source_places = leads.offsets[links[:, 0]] + links[:, 1]
    target_places = headlines.offsets[links[:, 0]] + links[:, 2]
    source = _Side.of(leads, source_places, target_places)
    target = _Side.of(headlines, target_places, source_places)
    tight = _tight(source, target, longest)
    return _loosened(tight, source, longest) if loose else tight


def _tight(source: _Side, target: _Side, longest: int) -> Spans:
    """All pairs whose source begins and ends with a linked word."""
    back = source.windows(longest)
    parts = []
    for length, (low, high) in enumerate(target.windows(longest), start=1):
        begin = np.arange(max(len(low) - length + 1, 0))
        begin = begin[target.owners[begin] == target.owners[begin + length - 1]]
        begin = begin[(high[begin] >= 0) & (high[begin] - low[begin] < longest)]
        first, width = low[begin], high[begin] - low[begin] + 1
        inside = np.zeros(len(begin), bool)
        for size, (lowest, highest) in enumerate(back, start=1):
            fits = (lowest[first] >= begin) & (highest[first] < begin + length)
            inside |= (width == size) & fits
        parts.append((first[inside], width[inside], begin[inside], np.full(int(inside.sum()), length)))
    return Spans(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _loosened(tight: Spans, source: _Side, longest: int) -> Spans:
    """Add to each pair every way of attaching unlinked words around its source."""
    before, after = source.unlinked_before(longest)[tight.source], source.unlinked_after(longest)
    after = after[tight.source + tight.source_length - 1]
    parts = []
    for left in range(longest):
        for right in range(longest - left):
            kept = (before >= left) & (after >= right) & (tight.source_length + left + right <= longest)
            longer = tight.source_length[kept] + left + right
            parts.append((tight.source[kept] - left, longer, tight.target[kept], tight.target_length[kept]))
    return Spans(*(np.concatenate(column) for column in zip(*parts, strict=True)))
