"""Section 4 and 5 of the paper: search, constraints, features, results.

Here stands what the search asks about language: which units a hypothesis may take next, and what each is worth. A
lexicon is opened for a batch of inputs. A *column* is a unit an input's hypotheses may take: a word, a copied word, a
piece. The lexicon keeps one state per row (a hypothesis), applies every constraint before anything is pruned, and knows
nothing of beams. What the search asks of a model stands at the front of `hedline.runtime`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from hedline.arrays import Floats, Ints
from hedline.decoding.summary import Hypothesis
from hedline.runtime import Step


class Gains(NamedTuple):
    """What each row may do next.

    words: (rows, W) weights · features of taking a column, -inf where it is forbidden (the search may overwrite it);
    log_probs: the model's part of given (rows, columns); end: (rows,) of ending here, -inf where the text is not
    whole; end_log_probs: (rows,); short: (rows,) how far an ending here would miss what was asked (0: not at all).
    """

    words: Floats
    log_probs: Callable[[Ints, Ints], Floats]
    end: Floats
    end_log_probs: Floats
    short: Ints


class Route(NamedTuple):
    """One finished hypothesis as the search leaves it.

    columns: (T,); attention: (T, M) while each was chosen; score: weights · features so far; key: what it is ranked by.
    """

    columns: Ints
    attention: Floats
    score: float
    log_prob: float
    key: float
    short: int


class Lexicon(Protocol):
    """The units of a batch of inputs and the rules for joining them."""

    inputs: Sequence[Ints]
    candidates: Sequence[Ints] | None
    max_steps: int
    width: int

    def start(self) -> Any:
        """The state of one empty hypothesis for each input."""

    def gains(self, state: Any, step: Step) -> Gains:
        """All columns' worth for every row, constraints applied."""

    def advance(self, state: Any, rows: Ints, columns: Ints) -> Any:
        """The state after row `rows[r]` took `columns[r]`."""

    def ids(self, state: Any) -> Ints:
        """(rows,) the output id of each row's last unit, to feed to the model."""

    def futures(self, state: Any, context: int) -> Ints:
        """(rows, n): two rows with equal numbers have equal futures once both take the same column.

        context: how many of the last units the model can see.
        """

    def text(self, owner: int, columns: Ints) -> str:
        """The text of a finished path's columns (T,), the same as `read` gives."""

    def read(self, owner: int, path: Route) -> Hypothesis:
        """The finished path as text with features."""
