"""What the search asks of a model: the only thing it knows about models.

The search keeps one *row* for each live hypothesis of each input. A scorer keeps whatever state a row needs
(the last C words, a recurrent state, a key-value cache) and gives log-probabilities of the next unit. It knows
nothing of limits, features, words or text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hedline.runtime.step import Step

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

__all__ = ["Floats", "Ints", "Scorer", "Step"]


class Scorer(Protocol):
    """A model, as the search sees it. Implementations: runtime/ (numpy) and models/ (torch)."""

    start_id: int
    end_id: int
    unknown_id: int

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> Any:
        """Encode a batch of inputs (input-unit ids, ragged); the state has one row per input, in order."""

    def step(self, state: Any, last: Ints) -> Step:
        """Scores after feeding `last` (rows,) output ids (`start_id` at first) to each row."""

    def select(self, state: Any, rows: Ints) -> Any:
        """The state whose row r is the old row `rows[r]`: reorders, repeats and drops hypotheses."""
