"""The model folder and the numpy scorers: everything needed to run a model without torch.

Here stands what the search asks of a model, and what it is given: all that the search knows about models. It keeps one
*row* for each live hypothesis of each input. A scorer keeps whatever state a row needs (the last C words, a recurrent
state, a key-value cache) and gives log-probabilities of the next unit. It knows nothing of limits, features, words or
text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from hedline.arrays import Floats, Ints


class Step(NamedTuple):
    """One step's scores.

    log_probs: (rows, S) natural log; column j is `candidates[input][j]` of the row's input (or output id j when
        candidates is None); padded columns are -inf. Normalised over the candidates.
    attention: (rows, M) weights over input positions, each row sums to 1 (zero on padding).
    state: the state after the step, one row per row.
    """

    log_probs: Floats
    attention: Floats
    state: Any


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
