"""What one step of a model gives the search."""

from __future__ import annotations

from typing import Any, NamedTuple

from hedline.runtime.layers import Floats


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
