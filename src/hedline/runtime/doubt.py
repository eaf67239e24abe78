"""How much a model doubts a headline of its own: a linear reading of the states it had while it wrote it.

A model that has learnt verdicts beside its headlines (training/judge.py) tells sound headlines from others in its own
states, so that its doubt costs next to nothing: the state that ends the headline and the mean of all its states, times
two vectors. They lie in `doubt.safetensors` beside the weights they were fitted to, and are ignored beside others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hedline.arrays import Floats, Ints
from hedline.errors import UserError
from hedline.runtime.folder import ModelFolder
from hedline.runtime.tensors import TensorFile, write_tensors

FILE = "doubt.safetensors"


@dataclass(frozen=True)
class Doubt:
    """weight: (2, width), of the last state and of the mean; bias: of the two together."""

    weight: Floats
    bias: float

    @classmethod
    def open(cls, folder: ModelFolder) -> Doubt | None:
        """That of a model folder; None where there is none, or one of other weights."""
        if not folder.file(FILE).is_file():
            return None
        tensors = TensorFile(folder.file(FILE))
        if tensors.metadata.get("weights_id") != folder.config.weights_id:
            return None
        width = folder.config.architecture.get("width")
        for name, shape in (("weight", (2, width)), ("bias", (1,))):
            if name not in tensors or tensors.shape(name) != shape:
                raise UserError(f"{tensors.path} has no {name!r} of shape {shape}; fit it again or delete the file")
        return cls(tensors.float("weight"), float(tensors.float("bias")[0]))

    def save(self, folder: ModelFolder) -> None:
        """Write it beside the weights that it was fitted to."""
        tensors = {"weight": np.asarray(self.weight, np.float32), "bias": np.array([self.bias], np.float32)}
        write_tensors(Path(folder.file(FILE)), tensors, {"weights_id": folder.config.weights_id})

    def of(self, states: Floats, lengths: Sequence[int]) -> Floats:
        """(n,) in 0..1 of n headlines whose states (lengths' sum, width) lie end to end.

        >>> Doubt(np.array([[1.0, 0.0], [0.0, 2.0]]), 0.0).of(np.array([[9.0, 1.0], [2.0, -3.0]]), [2]).round(3)
        array([0.5])
        """
        ends = np.cumsum(lengths)
        said = states @ self.weight.T
        means = np.add.reduceat(said[:, 1], ends - np.asarray(lengths)) / np.asarray(lengths)
        return np.asarray(1 / (1 + np.exp(-np.clip(said[ends - 1, 0] + means + self.bias, -30, 30))))


def places_of(places: dict[tuple[int, int], int], root: int, pieces: Ints, start: int) -> list[int]:
    """Where the states of a headline's pieces are, `start` first, in a table by the place before and the piece."""
    found, before = [], root
    for piece in (start, *pieces.tolist()):
        before = places[before, piece]
        found.append(before)
    return found
