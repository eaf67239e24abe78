"""The systems of the tables: which model folder, under which decoding options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedline.corpora.evaluation import EvaluationItem
from hedline.experiments.evaluate import decode_set
from hedline.experiments.prefix import prefix


@dataclass(frozen=True)
class System:
    """A row of a table.

    label: its name there; folder: the model's folder below the models folder, None for PREFIX; options: what
    differs from the default search; tuned: False leaves the tuned weights of ABS+ aside (plain ABS).
    """

    label: str
    folder: str | None
    options: Mapping[str, Any] = field(default_factory=dict)
    tuned: bool = True

    def decode_options(self, common: Mapping[str, Any]) -> dict[str, Any]:
        """All options of this row: the run's common ones, then its own."""
        return {**common, **({} if self.tuned else {"abstractiveness": 1.0}), **self.options}


def headlines(model: Path | None, leads: Sequence[str], options: Mapping[str, Any], workers: int = 1) -> list[str]:
    """A system's headlines; no model is PREFIX, 75 characters unless a limit is among the options."""
    if model is None:
        limits = {name: options[name] for name in ("bytes", "chars", "words") if options.get(name)}
        return [prefix(lead, **(limits or {"chars": 75})) for lead in leads]
    items = [EvaluationItem(str(number), lead, ()) for number, lead in enumerate(leads)]
    summaries, _ = decode_set(str(model), items, options, workers)
    return [summary.text for summary in summaries]
