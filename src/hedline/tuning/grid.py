"""How a model decodes best: settings, what they score on sets, and the search over them (`hedline tune-decoding`).

The search goes coordinate by coordinate. The length penalty is climbed in steps; then control tokens and reranking are
tried against what is best so far, and one is kept only if it wins by more than one standard error of the paired
difference (a plain setting is as good as one that chance preferred); then the length penalty is climbed again. Several
sets count the same, whatever their size.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import hedline
from hedline.api import TUNING_FORMAT, Summarizer, load, read_defaults
from hedline.arrays import Doubles
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.options import BEAM, Checked
from hedline.decoding.summary import ABS_WEIGHTS
from hedline.errors import UserError
from hedline.files import log_event, read_json, write_json
from hedline.metrics.rouge import Measured, find_preset
from hedline.pool import Crew
from hedline.progress import Progress
from hedline.runtime.folder import ModelFolder
from hedline.settings import again, setting
from hedline.tuning.nbest import MEASURES, OBJECTIVE, REPORTED, Judge, fingerprint, parse_objective

STEP, LOWEST, HIGHEST = 0.2, 0.0, 3.0
FIRST_PENALTY = 1.0
# Less support, and lengths far from human ones, only ever lose: they are dials for users, not candidates here.
CONTROLS = {
    "support": ("<sup:2>", "<sup:3>", "<sup:4>"),
    "case": ("<case:sentence>", "<case:title>"),
    "length": ("<len:9>", "<len:11>", "<len:13>"),
    "polarity": ("<pol:kept>",),
}
FILLS = (0.6, 0.7, 0.8, 0.9, 0.97)
RERANKS = ("mbr", "overlap")
WIDE = 20  # the beam that reranking is also tried with


@dataclass(frozen=True)
class Setting:
    """How to decode: controls are (group, name) pairs, weights (feature, weight) pairs; what is None is left open."""

    length_penalty: float = FIRST_PENALTY
    controls: tuple[tuple[str, str], ...] | None = ()
    rerank: str = "none"
    fill: float | None = None
    beam: int | None = None
    weights: tuple[tuple[str, float], ...] | None = None

    def with_control(self, group: str, name: str) -> Setting:
        """The same with one control token set."""
        return replace(self, controls=tuple(sorted({**dict(self.controls or ()), group: name}.items())))

    def table(self) -> dict[str, Any]:
        """As tuning.json's `decoding` holds it."""
        found = {"length_penalty": self.length_penalty, "rerank": self.rerank, "fill": self.fill, "beam": self.beam}
        if self.controls is not None:
            found["controls"] = dict(self.controls)
        return {name: value for name, value in found.items() if value is not None}

    def options(self) -> dict[str, Any]:
        """As the search takes it."""
        found = {**self.table(), "weights": None if self.weights is None else dict(self.weights)}
        return {name: value for name, value in found.items() if value is not None and name != "controls"}

    def __str__(self) -> str:
        parts = [f"length penalty {self.length_penalty:.2f}", "" if self.rerank == "none" else self.rerank]
        parts += [f"fill {self.fill:g}" if self.fill else "", f"beam {self.beam}" if self.beam else ""]
        return "  ".join(filter(None, [*parts, *(name for _, name in self.controls or ())]))


@dataclass(frozen=True)
class Trial:
    """One setting: for each set the inputs' objective (n,), mean R-1, R-2, R-L by name, and words per headline.

    name: what else is to be said about it.
    """

    setting: Setting
    gains: tuple[Doubles, ...]
    rouge: tuple[Mapping[str, float], ...] = ()
    words: tuple[float, ...] = ()
    name: str = ""

    @property
    def score(self) -> float:
        """Mean over the sets of the mean objective."""
        return float(np.mean([gain.mean() for gain in self.gains]))

    def clearly_above(self, other: Trial) -> bool:
        """Whether the mean paired difference exceeds its standard error."""
        pairs = [ours - theirs for ours, theirs in zip(self.gains, other.gains, strict=True)]
        variance = sum(float(pair.var(ddof=1)) / len(pair) if len(pair) > 1 else 0.0 for pair in pairs)
        return self.score - other.score > math.sqrt(variance) / len(pairs)


@dataclass
class GridSearch:
    """The coordinate search; measure: a setting to its Trial; controls, fills: what is worth trying of them."""

    measure: Callable[[Setting], Trial]
    controls: Mapping[str, Sequence[str]]
    tell: Callable[[Trial], None] = lambda _: None
    fills: Sequence[float] = ()
    trials: dict[Setting, Trial] = field(default_factory=dict)

    def run(self, start: Setting) -> Trial:
        """The best setting found from `start` on."""
        best = self._climb(self._try(start))
        for group, names in self.controls.items():
            best = self._best_of(best, [best.setting.with_control(group, name) for name in names])
        best = self._best_of(best, [replace(best.setting, fill=share) for share in self.fills])
        best = self._best_of(best, [replace(best.setting, rerank=name) for name in RERANKS])
        return self._climb(best)

    def _climb(self, best: Trial) -> Trial:
        """Steps of the length penalty, up or else down, while they help."""
        for direction in (STEP, -STEP):
            before = best
            while True:
                penalty = round(best.setting.length_penalty + direction, 6)
                if not LOWEST <= penalty <= HIGHEST:
                    break
                step = self._try(replace(best.setting, length_penalty=penalty))
                if step.score <= best.score:
                    break
                best = step
            if best is not before:
                break
        return best

    def _best_of(self, best: Trial, settings: Sequence[Setting]) -> Trial:
        """The best of some settings where it clearly beats the best so far."""
        winner = max((self._try(setting) for setting in settings), key=lambda trial: trial.score, default=best)
        return winner if winner.clearly_above(best) else best

    def _try(self, setting: Setting) -> Trial:
        if setting not in self.trials:
            self.trials[setting] = self.measure(setting)
            self.tell(self.trials[setting])
        return self.trials[setting]


BATCH = 32
Task = tuple[Sequence[str], Setting, Mapping[str, Any]]


@dataclass(frozen=True)
class DecodingSettings(Checked):
    """How settings are tried; objective and preset as in `tune.Settings`."""

    limit: int | None = setting(500, "Use the first N inputs of each set.", least=1)
    beam: int = setting(BEAM, "Hypotheses kept at each step, as in use.", least=1)
    objective: str = setting(OBJECTIVE, "E.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f'.")
    preset: str = again(Measured, "preset")

    def options(self) -> dict[str, Any]:
        """How the search is called in every trial."""
        return {**find_preset(self.preset).limits, "beam": self.beam}


@dataclass(frozen=True)
class Measurer:
    """Settings to Trials: decodes every set with a crew of loaded models."""

    crew: Crew[Summarizer]
    sets: Sequence[Sequence[EvaluationItem]]
    judge: Judge
    options: Mapping[str, Any]
    measure: int

    def __call__(self, setting: Setting, name: str = "") -> Trial:
        """Decode all sets under a setting."""
        progress = Progress("decoding", sum(map(len, self.sets)), "inputs")
        texts = [self._decode(items, setting, progress) for items in self.sets]
        progress.close()
        return self.score(texts, setting, name)

    def score(self, texts: Sequence[Sequence[str]], setting: Setting, name: str) -> Trial:
        """The trial of given headlines, set by set."""
        results = [self._one(each, items) for each, items in zip(texts, self.sets, strict=True)]
        gains, rouge, words = zip(*results, strict=True)
        return Trial(setting, gains, rouge, words, name)

    def _decode(self, items: Sequence[EvaluationItem], setting: Setting, progress: Progress) -> list[str]:
        leads = [item.lead for item in items]
        tasks: list[Task] = [
            (leads[start : start + BATCH], setting, self.options) for start in range(0, len(leads), BATCH)
        ]
        texts: list[str] = []
        for batch in self.crew.map(_decode, tasks):
            texts += batch
            progress.advance(len(batch))
        return texts

    def _one(self, texts: Sequence[str], items: Sequence[EvaluationItem]) -> tuple[Any, Any, float]:
        objective = self.judge.objective
        if objective.uses_bleu:
            pairs = zip(texts, items, strict=True)
            rows = np.concatenate([self.judge.statistics([text], item.references) for text, item in pairs])
        else:
            counts = self.judge.scorer.statistics_all(texts, [item.references for item in items])
            rows = counts.reshape(len(texts), -1)
        scores = objective.rouge(rows)[:, : len(REPORTED), self.measure].mean(axis=0)
        rouge = {f"R-{name}": float(value) for name, value in zip(REPORTED, scores, strict=True)}
        gains = objective.columns(rows, 1)[:, 0]
        if objective.uses_bleu:  # a score of the corpus: every input stands for all of them
            gains = np.full(len(rows), objective.scale(objective.columns(rows, len(rows)).sum(axis=0)[None])[0])
        return gains, rouge, sum(len(text.split()) for text in texts) / len(texts)


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
        fills = FILLS if find_preset(settings.preset).limits else ()
        search = GridSearch(Measurer(crew, sets, judge, settings.options(), MEASURES[measure]), controls, tell, fills)
        best = search.run(start)
    names = [{"name": path.name, "fingerprint": fingerprint(items)} for path, items in zip(paths, sets, strict=True)]
    record = {
        "objective": str(judge.objective),
        "signature": judge.signature([len(item.references) for items in sets for item in items]),
        "options": settings.options(),
        "sets": [{**name, "inputs": len(items)} for name, items in zip(names, sets, strict=True)],
        "trials": [row(trial) for trial in search.trials.values()],
        "version": hedline.__version__,
    }
    log_event(model, "tune decoding", sets=[path.name for path in paths])
    return _write(model / "tuning.json", best.setting, record), best


def _start(model: Path) -> tuple[Setting, Mapping[str, Sequence[str]]]:
    """Where to begin, and which controls the model knows: a word model has none."""
    reader = load(str(model)).reader
    penalty = read_defaults(model).length_penalty
    pieces = reader.subwords.ids if getattr(reader, "controlled", False) else {}  # type: ignore[attr-defined]
    known = {group: names for group, names in CONTROLS.items() if names[0] in pieces}
    return Setting(FIRST_PENALTY if penalty is None else penalty), known


def _decode(summarizer: Summarizer, task: Task) -> list[str]:
    """Headlines under a setting, in a worker."""
    leads, setting, options = task
    if getattr(summarizer.reader, "controlled", False) and setting.controls is not None:
        summarizer.reader.controls = dict(setting.controls)  # type: ignore[attr-defined]
    found = summarizer.summarize(leads, **{**options, **setting.options()})
    return [summary.text for summary in found]


def row(trial: Trial) -> dict[str, Any]:
    """A trial as tuning.json keeps it."""
    return {
        **({"name": trial.name} if trial.name else {}),
        "decoding": trial.setting.table(),
        "score": trial.score,
        "sets": [{**rouge, "words": words} for rouge, words in zip(trial.rouge, trial.words, strict=True)],
    }


def _write(path: Path, setting: Setting, record: Mapping[str, Any]) -> dict[str, Any]:
    """Put the setting and how it was found into tuning.json, beside the weights that are there.

    How much doubt counts stays: every trial was decoded so.
    """
    value: dict[str, Any] = {"format": TUNING_FORMAT, "weights": dict(ABS_WEIGHTS)}
    value = read_json(path) if path.is_file() else value
    guard, before = read_defaults(path.parent).guard_names, value.get("decoding", {})
    kept = {name: before[name] for name in ("doubt", "most_doubt") if name in before}
    result = {
        **value,
        "format": TUNING_FORMAT,
        "decoding": kept | setting.table() | {"guard_names": guard},
        "decoding_choice": record,
    }
    write_json(path, result)
    return result


def line(trial: Trial) -> str:
    """A trial in one line: the setting, then for each set R-1, R-2, R-L, their mean and the words per headline."""
    cells = []
    for rouge, words in zip(trial.rouge, trial.words, strict=True):
        values = [100 * value for value in rouge.values()]
        cells.append(" ".join(f"{value:6.2f}" for value in [*values, sum(values) / len(values)]) + f" {words:5.1f}")
    return (
        f"{100 * trial.score:7.3f}  {'  |  '.join(cells)}  {'  '.join(filter(None, [trial.name, str(trial.setting)]))}"
    )


def heading(paths: Sequence[Path]) -> str:
    """The heading above the lines, with the sets' names."""
    columns = f"{'R-1':>6} {'R-2':>6} {'R-L':>6} {'mean':>6} {'words':>5}"
    names = "  |  ".join(f"{path.name[:33]:<{len(columns)}}" for path in paths)
    return f"{'':7}  {names}\n{'score':>7}  {'  |  '.join(columns for _ in paths)}"
