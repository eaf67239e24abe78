"""`hedline tune-decoding`: from a model folder and sets to the `decoding` table of its tuning.json."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import hedline
from hedline.api import Summarizer, load, read_defaults
from hedline.corpora.evaluation import EvaluationItem, read_evaluation_set
from hedline.decoding.features import ABS_WEIGHTS
from hedline.errors import UserError
from hedline.files import read_json, write_json
from hedline.metrics.presets import find_preset
from hedline.progress import Progress
from hedline.runtime.folder import ModelFolder
from hedline.tuning.decoding_grid import CONTROLS, FIRST_PENALTY, GridSearch, Setting, Trial
from hedline.tuning.judge import Judge
from hedline.tuning.objective import MEASURES, REPORTED, parse_objective
from hedline.tuning.tune import DECODE_FOR, FORMAT, OBJECTIVE, fingerprint
from hedline.tuning.workers import Crew

BATCH = 32
Task = tuple[Sequence[str], Setting, Mapping[str, Any]]


@dataclass(frozen=True)
class DecodingSettings:
    """limit: inputs read from each set; beam: as the product will use; objective, preset as in `Settings`."""

    limit: int | None = 500
    beam: int = 5
    objective: str = OBJECTIVE
    preset: str = "gigaword"

    def options(self) -> dict[str, Any]:
        """How the search is called in every trial."""
        return {**DECODE_FOR[find_preset(self.preset).name], "beam": self.beam}


@dataclass(frozen=True)
class Measurer:
    """Settings to Trials: decodes every set with a crew of loaded models."""

    crew: Crew[Summarizer]
    sets: Sequence[Sequence[EvaluationItem]]
    judge: Judge
    options: Mapping[str, Any]
    measure: int

    def __call__(self, setting: Setting) -> Trial:
        """Decode all sets under a setting."""
        progress = Progress("decoding", sum(map(len, self.sets)), "inputs")
        results = [self._one(items, setting, progress) for items in self.sets]
        progress.close()
        gains, rouge, words = zip(*results, strict=True)
        return Trial(setting, gains, rouge, words)

    def _one(self, items: Sequence[EvaluationItem], setting: Setting, progress: Progress) -> tuple[Any, Any, float]:
        leads = [item.lead for item in items]
        tasks: list[Task] = [
            (leads[start : start + BATCH], setting, self.options) for start in range(0, len(leads), BATCH)
        ]
        texts: list[str] = []
        for batch in self.crew.map(_decode, tasks):
            texts += batch
            progress.advance(len(batch))
        counts = self.judge.scorer.statistics_all(texts, [item.references for item in items])
        rows = counts.reshape(len(texts), -1)
        objective = self.judge.objective
        scores = objective.rouge(rows)[:, : len(REPORTED), self.measure].mean(axis=0)
        rouge = {f"R-{name}": float(value) for name, value in zip(REPORTED, scores, strict=True)}
        return objective.columns(rows, 1)[:, 0], rouge, sum(len(text.split()) for text in texts) / len(texts)


def choose_decoding(
    model: Path,
    paths: Sequence[Path],
    settings: DecodingSettings,
    workers: int = 1,
    tell: Callable[[Trial], None] = lambda _: None,
) -> tuple[dict[str, Any], Trial]:
    """Try decoding settings on sets and write the best into the model's tuning.json; returns its content, the winner.

    The feature weights stay as they are: tune them first.
    """
    ModelFolder.open(model)  # what is no model says so, before anything else is wrong
    if not os.access(model, os.W_OK):
        raise UserError(f"{model} cannot be written to; copy the model folder to a place of your own and tune the copy")
    measure = find_preset(settings.preset).headline.lower()
    judge = Judge(parse_objective(settings.objective, measure), find_preset(settings.preset).bytes)
    if judge.objective.uses_bleu:
        raise UserError("decoding settings are chosen by ROUGE, whose mean over inputs can be compared; leave out bleu")
    sets = [read_evaluation_set(path, settings.limit) for path in paths]
    start, controls = _start(model)
    with Crew(partial(load, str(model)), min(workers, -(-max(map(len, sets)) // BATCH))) as crew:
        search = GridSearch(Measurer(crew, sets, judge, settings.options(), MEASURES[measure]), controls, tell)
        best = search.run(start)
    names = [{"name": path.name, "fingerprint": fingerprint(items)} for path, items in zip(paths, sets, strict=True)]
    record = {
        "objective": str(judge.objective),
        "signature": judge.signature([len(item.references) for items in sets for item in items]),
        "options": settings.options(),
        "sets": [{**name, "inputs": len(items)} for name, items in zip(names, sets, strict=True)],
        "trials": [_row(trial) for trial in search.trials.values()],
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "version": hedline.__version__,
    }
    return _write(model / "tuning.json", best.setting, record), best


def _start(model: Path) -> tuple[Setting, Mapping[str, Sequence[str]]]:
    """Where to begin, and which controls the model knows: a word model has none."""
    reader = load(str(model)).reader
    penalty = read_defaults(model).length_penalty
    known = CONTROLS if getattr(reader, "controlled", False) else {}
    return Setting(FIRST_PENALTY if penalty is None else penalty), known


def _decode(summarizer: Summarizer, task: Task) -> list[str]:
    """Headlines under a setting, in a worker."""
    leads, setting, options = task
    if getattr(summarizer.reader, "controlled", False):
        summarizer.reader.controls = dict(setting.controls)  # type: ignore[attr-defined]
    found = summarizer.summarize(leads, length_penalty=setting.length_penalty, rerank=setting.rerank, **options)
    return [summary.text for summary in found]


def _row(trial: Trial) -> dict[str, Any]:
    return {
        "decoding": trial.setting.table(),
        "score": trial.score,
        "sets": [{**rouge, "words": words} for rouge, words in zip(trial.rouge, trial.words, strict=True)],
    }


def _write(path: Path, setting: Setting, record: Mapping[str, Any]) -> dict[str, Any]:
    """Put the setting and how it was found into tuning.json, beside the weights that are there."""
    value = read_json(path) if path.is_file() else {"format": FORMAT, "weights": dict(ABS_WEIGHTS)}
    guard = read_defaults(path.parent).guard_names
    result = {**value, "decoding": setting.table() | {"guard_names": guard}, "decoding_choice": record}
    write_json(path, result)
    return result


def line(trial: Trial) -> str:
    """A trial in one line: the setting, then for each set R-1, R-2, R-L, their mean and the words a headline has."""
    cells = []
    for rouge, words in zip(trial.rouge, trial.words, strict=True):
        values = [100 * value for value in rouge.values()]
        cells.append(" ".join(f"{value:6.2f}" for value in [*values, sum(values) / len(values)]) + f" {words:5.1f}")
    return f"{100 * trial.score:7.3f}  {'  |  '.join(cells)}  {trial.setting}"


def heading(paths: Sequence[Path]) -> str:
    """The heading above the lines, with the sets' names."""
    columns = f"{'R-1':>6} {'R-2':>6} {'R-L':>6} {'mean':>6} {'words':>5}"
    names = "  |  ".join(f"{path.name[:33]:<{len(columns)}}" for path in paths)
    return f"{'':7}  {names}\n{'score':>7}  {'  |  '.join(columns for _ in paths)}"
