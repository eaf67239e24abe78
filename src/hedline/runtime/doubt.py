"""How much a transformer doubts a headline of its own, read from what it had in mind while it wrote it.

A model that has learnt verdicts beside its headlines (training/judge.py) tells sound headlines from others in its own
states. A small network reads them, and how likely each piece was, so that doubt costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from hedline.arrays import Doubles, Floats, Ints
from hedline.errors import UserError
from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import sigmoid, steady_product
from hedline.runtime.tensors import TensorFile, write_tensors

DOUBT = "doubt.safetensors"
LOWEST = 3  # of a headline's log-probabilities, told one by one
UNLIKELY = (-2.0, -1.0)  # log-probabilities below which pieces are counted
MEASURES = LOWEST + len(UNLIKELY) + 5


def measures(log_probs: Doubles, lengths: Sequence[int]) -> Doubles:
    """(n, MEASURES) of n headlines whose pieces' log-probabilities (lengths' sum,), the ends' too, lie end to end.

    The lowest, how many are below each of UNLIKELY, their sum, their mean, how many there are, the first and the last.

    >>> measures(np.array([-0.5, -3.0, -1.5, -0.25]), [3, 1])[0].tolist()
    [-3.0, -1.5, -0.5, 1.0, 2.0, -5.0, -1.6666666666666667, 3.0, -0.5, -1.5]
    """
    counts = np.asarray(lengths)
    ends = np.cumsum(counts)
    inside = np.arange(max(*lengths, LOWEST)) < counts[:, None]
    table = np.zeros(inside.shape)
    table[inside] = log_probs
    total = np.add.reduceat(log_probs, ends - counts)
    unlikely = [(table < bound).sum(axis=1) for bound in UNLIKELY]
    rest = [total, total / counts, counts, log_probs[ends - counts], log_probs[ends - 1]]
    return np.column_stack([np.sort(table, axis=1)[:, :LOWEST], *unlikely, *rest])


@dataclass(frozen=True)
class Doubt:
    """The small network.

    piece, piece_bias: (inner, width), (inner,), what is looked for in the state that wrote each piece; within: (hidden,
    2 * inner + width + MEASURES), over the mean and the maximum of that, the state that ended the headline, and the
    measures; bias, out: (hidden,); shift: (1,), what is added at the end. They lie in a file beside the weights they
    were fitted to, and are ignored beside others.
    """

    piece: Floats
    piece_bias: Floats
    within: Floats
    bias: Floats
    out: Floats
    shift: Floats

    @classmethod
    def open(cls, folder: ModelFolder) -> Doubt | None:
        """The doubt fitted to a folder's weights, None where there is none."""
        if not folder.file(DOUBT).is_file():
            return None
        tensors = TensorFile(folder.file(DOUBT))
        if tensors.metadata.get("weights_id") != folder.config.weights_id:
            return None
        width = int(folder.config.architecture.get("width", 0))
        inner, hidden = (tensors.shape(name)[0] if name in tensors else 0 for name in ("piece_bias", "bias"))
        shapes = (inner, width), (inner,), (hidden, 2 * inner + width + MEASURES), (hidden,), (hidden,), (1,)
        for part, shape in zip(fields(cls), shapes, strict=True):
            if part.name not in tensors or tensors.shape(part.name) != shape:
                raise UserError(
                    f"{part.name!r} in {tensors.path} does not fit this version; fit it again or delete the file"
                )
        return cls(*(tensors.float(part.name) for part in fields(cls)))

    def save(self, folder: ModelFolder) -> None:
        """Write it beside the weights that it was fitted to, tables in half precision."""
        parts = {part.name: np.asarray(getattr(self, part.name), np.float32) for part in fields(self)}
        tensors = {name: part.astype(np.float16) if part.ndim == 2 else part for name, part in parts.items()}
        write_tensors(folder.file(DOUBT), tensors, {"weights_id": folder.config.weights_id})

    def of(self, states: Floats, places: Ints, lengths: Sequence[int], log_probs: Doubles) -> Floats:
        """(n,) in 0..1 of n headlines with pieces (lengths' sum,) end to end, the ends among them.

        states: (rows, width); places: (lengths' sum,) the row of each piece's state; log_probs: of each piece.
        """
        ends, starts = np.cumsum(lengths), np.cumsum(lengths) - np.asarray(lengths)
        seen = np.maximum(steady_product(states, self.piece.T) + self.piece_bias, 0.0)[places]
        means = np.add.reduceat(seen, starts) / np.asarray(lengths, np.float32)[:, None]
        parts = [means, np.maximum.reduceat(seen, starts), states[places[ends - 1]], measures(log_probs, lengths)]
        told = np.concatenate(parts, axis=1).astype(np.float32)
        hidden = np.maximum(steady_product(told, self.within.T) + self.bias, 0.0)
        return sigmoid((hidden * self.out).sum(axis=1) + self.shift)
