"""`hedline tune`: from a model folder and an evaluation set to `tuning.json` (ABS to ABS+)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hedline
from hedline.api import read_defaults
from hedline.corpora.evaluation import EvaluationItem, read_evaluation_set
from hedline.decoding.engine import LENGTH_PENALTY
from hedline.decoding.features import ABS_WEIGHTS, FEATURES, PAPER_FEATURES
from hedline.errors import UserError
from hedline.files import write_json
from hedline.metrics.presets import find_preset
from hedline.runtime.folder import ModelFolder
from hedline.tuning.bounds import make_bounds
from hedline.tuning.decoder import Job, ModelDecoder
from hedline.tuning.judge import Judge
from hedline.tuning.mert import MertOptions
from hedline.tuning.objective import parse_objective
from hedline.tuning.rounds import Round, TuneOptions, Tuner, Tuning
from hedline.tuning.shrink import shrink
from hedline.tuning.state import State

FORMAT = 1
OBJECTIVE = "R-1 + R-2 + R-L"
# What the search is asked for where a preset scores only the beginning of a text.
DECODE_FOR = {"duc": {"bytes": 75}, "gigaword": {}}


@dataclass(frozen=True)
class Settings:
    """Everything that decides the result of a run.

    limit: inputs read from the set; beam: hypotheses kept and returned; objective: see parse_objective; preset:
    `gigaword` (F1, full length) or `duc` (recall at 75 bytes); features: names to tune, log_prob first;
    bounds: name to (low, high); start: name to weight; decode: further options of the search; length_penalty: the
    search's, in every round and afterwards (0 leaves the length to the feature of that name); check: inputs after the
    tuning ones that decide how far to go toward the tuned weights (see shrink.py).
    """

    limit: int | None = 500
    beam: int = 50
    objective: str = OBJECTIVE
    preset: str = "gigaword"
    features: tuple[str, ...] = (*PAPER_FEATURES, "length")
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=lambda: dict(ABS_WEIGHTS))
    decode: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 15
    restarts: int = 12
    smoothing: int = 0
    seed: int = 1
    length_penalty: float = LENGTH_PENALTY
    check: int = 500

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("beam", self.beam), ("rounds", self.rounds)):
            if value is not None and value < 1:
                raise UserError(f"{name} must be at least 1, not {value}")
        if self.restarts < 0 or self.smoothing < 0 or self.seed < 0:
            raise UserError("restarts, smoothing and seed cannot be negative")
        unknown = [name for name in self.features if name not in FEATURES]
        if unknown:
            raise UserError(f"no feature is called {unknown[0]!r}; the features are {', '.join(FEATURES)}")
        if self.features[:1] != ("log_prob",) or len(set(self.features)) < len(self.features):
            raise UserError("the features to tune begin with log_prob and each is named once")

    def options(self) -> dict[str, Any]:
        """How the search is called in every round."""
        fixed = {"beam": self.beam, "nbest": self.beam, "length_penalty": self.length_penalty, "rerank": "none"}
        # Lists of what the search finds; which of it is printed is the guard's business, afterwards.
        return {**DECODE_FOR[find_preset(self.preset).name], **self.decode, **fixed, "guard_names": False}


def tune(
    model: Path,
    path: Path,
    settings: Settings,
    work: Path | None = None,
    workers: int = 1,
    tell: Callable[[Round], None] = lambda _: None,
) -> tuple[dict[str, Any], Tuning]:
    """Tune a model folder's weights on a set and write `tuning.json` into it; returns its content and the run.

    work: where the run's state is kept until it ends (default: `.tuning` in the model folder).
    """
    folder = ModelFolder.open(model)
    if not os.access(model, os.W_OK):
        raise UserError(f"{model} cannot be written to; copy the model folder to a place of your own and tune the copy")
    items, held = _divide(path, settings)
    preset = find_preset(settings.preset)
    judge = Judge(parse_objective(settings.objective, preset.headline.lower()), preset.bytes)
    identity = {"model": folder.config.weights_id, "set": fingerprint(items), "version": hedline.__version__}
    state = State(work or model / ".tuning", {**identity, **_plain(settings)})
    tuning = _run(model, items, settings, judge, state, workers, tell)
    result = {**_result(tuning, settings, judge, path, items), **_stamp()}
    kept = read_defaults(model)  # the run decoded with its controls
    result["decoding"] |= {"controls": dict(kept.controls), "guard_names": kept.guard_names}
    job = Job(str(model), held, settings.options(), settings.features, judge)
    shrunk = shrink(job, tuning.weights, preset.headline.lower(), workers)
    if shrunk is not None:
        result |= {"weights": shrunk.weights, "shrinkage": shrunk.table()}
    write_json(model / "tuning.json", result)
    state.remove()
    for leftover in model.glob(".tuning.json.*.part"):  # of a run killed while it wrote
        leftover.unlink()
    return result, tuning


def _run(
    model: Path,
    items: Sequence[EvaluationItem],
    settings: Settings,
    judge: Judge,
    state: State,
    workers: int,
    tell: Callable[[Round], None],
) -> Tuning:
    bounds = make_bounds(settings.features, settings.bounds)
    mert = MertOptions(restarts=settings.restarts, threads=workers)
    measure = find_preset(settings.preset).headline.lower()
    options = TuneOptions(settings.rounds, seed=settings.seed, smoothing=settings.smoothing, measure=measure, mert=mert)
    job = Job(str(model), items, settings.options(), settings.features, judge)
    with ModelDecoder(job, workers) as decoder:
        return Tuner(decoder, len(items), judge.objective, bounds, state, options).run(settings.start, tell)


def _divide(path: Path, settings: Settings) -> tuple[list[EvaluationItem], list[EvaluationItem]]:
    """The inputs to tune on and those held out, which come after them in the set."""
    if settings.limit is None:
        return read_evaluation_set(path), []
    items = read_evaluation_set(path, settings.limit + settings.check)
    return items[: settings.limit], items[settings.limit :]


def fingerprint(items: Sequence[EvaluationItem]) -> str:
    """SHA-256 of the inputs and references in order: the same set gives the same one from any file format."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps([item.lead, *item.references], ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def _result(
    tuning: Tuning, settings: Settings, judge: Judge, path: Path, items: Sequence[EvaluationItem]
) -> dict[str, Any]:
    """The content of tuning.json but for date and version."""
    first, best = tuning.rounds[0], tuning.rounds[tuning.best - 1]
    return {
        "format": FORMAT,
        "weights": tuning.weights,
        "decoding": {"length_penalty": settings.length_penalty},
        "objective": str(judge.objective),
        "signature": judge.signature([len(item.references) for item in items]),
        "preset": settings.preset,
        "set": {"name": path.name, "inputs": len(items), "fingerprint": fingerprint(items)},
        "before": {"objective": first.decoded, **first.rouge},
        "after": {"objective": best.decoded, **best.rouge},
        "settings": _plain(settings),
        "best_round": tuning.best,
        "stopped": tuning.stopped,
        "rounds": [asdict(each) for each in tuning.rounds],
    }


def _plain(settings: Settings) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps(asdict(settings)))
    return value


def _stamp() -> dict[str, str]:
    return {"date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "version": hedline.__version__}
