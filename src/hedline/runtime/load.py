"""From a model folder to something the search can ask for scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from hedline.errors import UserError
from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import Ints
from hedline.runtime.step import Step


class NumpyScorer(Protocol):
    """What every family's scorer offers (the same as `decoding.scorer.Scorer`)."""

    start_id: int
    end_id: int
    unknown_id: int

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> Any:
        """Encode a batch of inputs."""

    def step(self, state: Any, last: Ints) -> Step:
        """Scores of the next unit."""

    def select(self, state: Any, rows: Ints) -> Any:
        """Reorder, repeat and drop rows."""


def load_scorer(folder: ModelFolder) -> NumpyScorer:
    """The numpy scorer of a model folder; only its family's module is imported."""
    family = folder.config.family
    if family == "feedforward":
        from hedline.runtime.feedforward import FeedForwardScorer

        return FeedForwardScorer(folder)
    if family == "recurrent":
        from hedline.runtime.recurrent import RecurrentScorer

        return RecurrentScorer(folder)
    if family == "transformer":
        from hedline.runtime.transformer import TransformerScorer

        return TransformerScorer(folder)
    raise UserError(f"{folder.path}: no runtime for the model family {family!r}")
