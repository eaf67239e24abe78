"""The words an input's headline may need: its own, their learnt companions, and frequent ones.

`shortlist.safetensors`: `frequent (F,)` output ids; `offsets (Vin + 1,)` and `companions (n,)`: the output ids that
input id i calls up are `companions[offsets[i]:offsets[i + 1]]`; `same (Vin,)`: the output id of the same word, -1
where the output vocabulary lacks it (absent when both sides share one vocabulary).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedline.errors import UserError
from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import Ints
from hedline.runtime.tensors import TensorFile


class Shortlist:
    """Input ids to candidate output ids."""

    def __init__(
        self, frequent: Ints, offsets: Ints, companions: NDArray[np.integer], same: Ints | None, vocab_out: int
    ) -> None:
        self.frequent, self.offsets, self.companions, self.same = frequent, offsets, companions, same
        self._wanted = np.zeros(vocab_out, bool)

    def __call__(self, ids: Ints) -> Ints:
        """Candidates of one input (M,), ascending, each once."""
        ids = np.unique(ids)
        own = ids if self.same is None else self.same[ids]
        parts = [self.companions[a:b] for a, b in zip(self.offsets[ids], self.offsets[ids + 1], strict=True)]
        wanted = self._wanted.copy()
        wanted[self.frequent] = True
        wanted[own[own >= 0]] = True
        if parts:
            wanted[np.concatenate(parts)] = True
        return np.flatnonzero(wanted)


def load_shortlist(folder: ModelFolder) -> Shortlist | None:
    """The shortlist of a model folder, checked; None when it has none."""
    file = folder.shortlist
    if file is None:
        return None
    for name in ("frequent", "offsets", "companions"):
        if name not in file or len(file.shape(name)) != 1:
            raise UserError(f"{file.path} lacks the list {name!r}; export the model again")
    offsets = _ids(file, "offsets", len(file["companions"]) + 1)
    if len(offsets) != folder.vocab_in + 1 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise UserError(f"{file.path} does not fit the input vocabulary; export the model again")
    if offsets[-1] != len(file["companions"]):
        raise UserError(f"{file.path} does not hold the companions it promises; export the model again")
    same = _ids(file, "same", folder.vocab_out) if "same" in file else None
    if same is not None and len(same) != folder.vocab_in:
        raise UserError(f"{file.path} does not fit the input vocabulary; export the model again")
    _ids(file, "companions", folder.vocab_out)
    frequent = _ids(file, "frequent", folder.vocab_out)
    return Shortlist(frequent, offsets, file["companions"], same, folder.vocab_out)


def _ids(file: TensorFile, name: str, limit: int) -> Ints:
    """A list of ids, all below `limit` (-1 is allowed)."""
    ids = file[name]
    if ids.dtype.kind not in "iu":
        raise UserError(f"{file.path}: {name!r} holds no whole numbers; export the model again")
    if len(ids) and (int(ids.max()) >= limit or int(ids.min()) < -1):
        raise UserError(f"{file.path}: {name!r} names ids the model does not have; export the model again")
    return np.asarray(ids, np.int64)
