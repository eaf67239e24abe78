"""The systems of the tables: which model folder, under which decoding options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from hedline.experiments.prefix import prefix
from hedline.experiments.record import model_fingerprint

BATCH = 64


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


def headlines(model: Path | None, leads: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """A system's headlines; no model is PREFIX, 75 characters unless a limit is among the options."""
    if model is None:
        limits = {name: options[name] for name in ("bytes", "chars", "words") if options.get(name)}
        return [prefix(lead, **(limits or {"chars": 75})) for lead in leads]
    return _decode(model, leads, dict(options))


def _decode(model: Path, leads: Sequence[str], options: dict[str, Any]) -> list[str]:
    from hedline.progress import Progress

    summarizer = load_model(model)
    progress = Progress(f"decoding with {model.name}", len(leads), "inputs")
    found: list[str] = []
    for begin in range(0, len(leads), BATCH):
        batch = list(leads[begin : begin + BATCH])
        found += [summary.text for summary in summarizer.summarize(batch, **options)]
        progress.advance(len(batch))
    progress.close()
    return found


def load_model(folder: Path) -> Any:
    """The summarizer of a model folder; rows that share a model load it once."""
    return _load(str(folder), model_fingerprint(folder))


@lru_cache(maxsize=1)
def _load(path: str, fingerprint: str) -> Any:
    from hedline.api import load

    return load(path)
