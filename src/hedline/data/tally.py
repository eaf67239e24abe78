"""What the kept pairs add up to: sizes of the splits, word counts for the vocabularies, casings, overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.data.blocks import ROLES
from hedline.data.chunkfile import ChunkFile, Summary, open_chunk
from hedline.data.counting import WordCounter
from hedline.data.division import Codes, Division
from hedline.progress import track

Array = npt.NDArray[Any]


@dataclass
class Totals:
    """Sums over the pairs of a split, in the model's words."""

    pairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    overlap: int = 0
    overlap75: int = 0

    def add(self, chunk: ChunkFile, mask: npt.NDArray[np.bool_]) -> None:
        """Add the masked pairs of a chunk."""
        self.pairs += int(mask.sum())
        self.input_tokens += int(chunk["input_lengths"][mask].sum())
        self.output_tokens += int(chunk["output_lengths"][mask].sum())
        self.overlap += int(chunk["overlap"][mask].sum(dtype=np.int64))
        self.overlap75 += int(chunk["overlap75"][mask].sum(dtype=np.int64))


@dataclass
class Tally:
    """Everything counted in one pass over the chunks."""

    inputs: WordCounter
    outputs: WordCounter
    casings: WordCounter
    totals: dict[str, Totals] = field(default_factory=lambda: {role: Totals() for role in ROLES})


def tally(chunks: Sequence[tuple[Path, Summary]], division: Division, folder: Path) -> Tally:
    """Count the kept pairs; words are counted on the training split alone."""
    inputs, outputs, casings = (WordCounter(folder, name) for name in ("inputs", "outputs", "casings"))
    result = Tally(inputs, outputs, casings)
    jobs = zip(chunks, division.codes, strict=True)
    for (path, _), codes in track(jobs, "counting words", len(chunks), "chunks"):
        with open_chunk(path) as chunk:
            _add(result, chunk, codes)
    return result


def _add(result: Tally, chunk: ChunkFile, codes: Codes) -> None:
    for code, role in enumerate(ROLES):
        mask = codes == code
        if mask.any():
            result.totals[role].add(chunk, mask)
    train = codes == 0
    if not train.any():
        return
    words = chunk.lines("words")
    for counter, side in ((result.inputs, "input"), (result.outputs, "output")):
        ids = chunk[f"{side}s"][token_mask(train, chunk[f"{side}_lengths"])]
        counter.add(words, np.bincount(ids, minlength=len(words)).tolist())
    # Casings are counted before duplicates go: a few repeats do not change which casing is usual.
    result.casings.add(chunk.lines("casings"), chunk["casing_counts"].tolist())


def token_mask(pairs: npt.NDArray[np.bool_], lengths: Array) -> npt.NDArray[np.bool_]:
    """A mask over pairs spread over their tokens."""
    return np.repeat(pairs, lengths)
