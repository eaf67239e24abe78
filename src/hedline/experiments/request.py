"""What a reproduction is given: results folder, models, data, evaluation sets, decoding options."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedline.corpora.evaluation import EvaluationItem, read_evaluation_set
from hedline.errors import UserError
from hedline.experiments.record import Results

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """The arguments of `hedline reproduce`.

    models: folder of model folders (none, bow, conv, attention, rnn, lstm, transformer); data: data folder of
    `hedline prepare`; sets: evaluation sets or pairs files; limit: items of each set; options: decoding options of
    every row; seed: noted with each row (decoding draws no random numbers); force: measure again what is there;
    workers: processes that decode.
    """

    results: Path = Path("results")
    models: Path | None = None
    data: Path | None = None
    sets: tuple[Path, ...] = ()
    limit: int | None = None
    options: Options = field(default_factory=dict)
    seed: int | None = None
    force: bool = False
    workers: int = 1

    def model(self, name: str) -> Path | None:
        """The folder of a model, None where it was not built."""
        if self.models is None:
            return None
        folder = self.models / name
        return folder if (folder / "config.json").is_file() else None

    def check_models(self) -> None:
        """Stop if a folder of models was named and is not there; none at all leaves rows without models."""
        if self.models is not None and not self.models.is_dir():
            raise UserError(f"{self.models} is no folder of model folders (none, bow, conv, attention, …)")

    def need_models(self, experiment: str) -> None:
        """Stop unless a folder of models was named and is there."""
        self.check_models()
        if self.models is None:
            raise UserError(f"{experiment} needs --models, a folder of model folders (none, bow, conv, attention, …)")

    def open(self, name: str) -> Results:
        """The stored results of an experiment."""
        return Results(self.results, name)

    def evaluation_sets(self, experiment: str) -> list[EvaluationSet]:
        """The sets named with --set; at least one."""
        if not self.sets:
            raise UserError(f"{experiment} needs --set, an evaluation set or a pairs file (it may be given twice)")
        return [EvaluationSet.read(path, self.limit) for path in self.sets]


@dataclass(frozen=True)
class EvaluationSet:
    """A named set; fingerprint: of the items read, so that it does not depend on how the file is compressed."""

    name: str
    items: list[EvaluationItem]
    fingerprint: str

    @classmethod
    def read(cls, path: Path, limit: int | None = None) -> EvaluationSet:
        """Read a set; its name is the file's up to the first point."""
        items = read_evaluation_set(path, limit)
        digest = hashlib.sha256()
        for item in items:
            digest.update("\0".join([item.lead, *item.references, "\n"]).encode("utf-8", "replace"))
        return cls(path.name.partition(".")[0], items, digest.hexdigest()[:16])

    @property
    def leads(self) -> list[str]:
        """The inputs."""
        return [item.lead for item in self.items]
