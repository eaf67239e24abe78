"""`hedline tune`: from a model folder and an evaluation set to `tuning.json` (ABS to ABS+).

MERT fits its inputs a little too well, and it searches with a wide beam. So what it found must win a contest on inputs
that the tuning has not seen before it is written. The weights stand against PREFIX and the untuned model, whole and in
part (on the line from the tuned weights to the model alone), decoded as the product decodes; around the best of them
the length penalty, the filling of the limit, the beam and reranking are tried. What costs nothing is kept if it scores
higher, a wider beam and reranking only if clearly so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import hedline
from hedline.api import TUNING_FORMAT, load, read_defaults
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.options import BEAM, FILL, LENGTH_PENALTY, DecodeOptions, check_settings
from hedline.decoding.summary import ABS_WEIGHTS, FEATURES, PAPER_FEATURES
from hedline.errors import UserError
from hedline.files import log_event, read_json, write_json
from hedline.metrics.rouge import Measured, find_preset
from hedline.pool import Crew
from hedline.runtime.folder import ModelFolder
from hedline.settings import again, setting
from hedline.tuning.grid import BATCH, FILLS, RERANKS, WIDE, Measurer, Setting, Trial, row
from hedline.tuning.linesearch import Bounds, make_bounds, parse_bounds, parse_weights
from hedline.tuning.mert import MertOptions
from hedline.tuning.nbest import MEASURES, OBJECTIVE, PENALTY, Job, Judge, ModelDecoder, fingerprint, parse_objective
from hedline.tuning.rounds import Round, State, TuneOptions, Tuner, Tuning

FEWEST = 50  # with fewer held-out inputs the contest would be noise, so the tuning inputs judge
MOST_PENALTY = 5.0
DEFAULT_FEATURES = (*PAPER_FEATURES, "length", PENALTY)
SHARES = (0.0, 0.25, 0.5, 0.75)  # of the model alone in the weights
STEPS = (0.8, 1.25)  # times the length penalty
BEAMS = (10,)
PREFIX_BYTES = 75


def _read_features(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


@dataclass(frozen=True)
class Settings:
    """Everything that decides the result of a run.

    bounds: name to (low, high); start: name to weight; decode: further options of the search. The length penalty is
    tuned like a weight where it is among the features, and stays otherwise; None begins as for the model alone.
    """

    limit: int | None = setting(500, "Tune on the first N inputs.", least=1)
    skip: int = setting(0, "Leave out the first N inputs of the set.", least=0)
    check: int = setting(
        500, "Inputs after the tuning ones that judge: PREFIX, the untuned model, what was found.", least=0
    )
    beam: int = setting(20, "Hypotheses kept and collected for each input.", least=1)
    objective: str = setting(OBJECTIVE, "E.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f', bleu.")
    preset: str = again(Measured, "preset")
    features: tuple[str, ...] = setting(
        DEFAULT_FEATURES, "Features to tune, separated by commas, log_prob first.", read=_read_features
    )
    bounds: Mapping[str, tuple[float, float]] | None = setting(
        None, "Ranges of weights, e.g. reorder=-5:0,length=0.", read=parse_bounds
    )
    start: Mapping[str, float] | None = setting(
        None, "First weights, e.g. unigram=1,bigram=0.5; the others are 0.", read=parse_weights
    )
    decode: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = setting(8, "Decode at most N times.", least=1)
    restarts: int = setting(12, "Random starts in every round.", least=0)
    smoothing: int = setting(0, "Intervals averaged on each side of a candidate.", least=0)
    seed: int = setting(1, "Fixes everything random.", least=0)
    length_penalty: float | None = setting(
        None, "Where the length penalty begins; automatic: as for the model alone.", least=0, most=MOST_PENALTY
    )

    def __post_init__(self) -> None:
        check_settings(self)
        unknown = [name for name in self.features if name not in (*FEATURES, PENALTY)]
        if unknown:
            raise UserError(f"no feature is called {unknown[0]!r}; the features are {', '.join(FEATURES)}")
        if self.features[:1] != ("log_prob",) or len(set(self.features)) < len(self.features):
            raise UserError("the features to tune begin with log_prob and each is named once")
        DecodeOptions(**self.decode)

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that ranks: the features to tune, and the length penalty."""
        return self.features if PENALTY in self.features else (*self.features, PENALTY)

    @property
    def first(self) -> dict[str, float]:
        """Where the search for weights begins."""
        penalty = LENGTH_PENALTY if self.length_penalty is None else self.length_penalty
        return {**ABS_WEIGHTS, PENALTY: penalty, **(self.start or {})}

    def ranges(self) -> Bounds:
        """What the weights may be; a length penalty that is not tuned is fixed, one that is pays for length."""
        penalty = self.first[PENALTY]
        usual = (0.0, MOST_PENALTY) if PENALTY in self.features else (penalty, penalty)
        return make_bounds(self.names, {PENALTY: usual, **(self.bounds or {})})

    def asked(self) -> dict[str, Any]:
        """What every headline is asked for, in the rounds and in the contest."""
        # Which of the headlines found are printed is the guards' business, afterwards.
        return {**find_preset(self.preset).limits, **self.decode, "guard_names": False, "guard_meaning": False}

    def options(self) -> dict[str, Any]:
        """How the search is called in every round."""
        return {**self.asked(), "beam": self.beam, "nbest": self.beam, "rerank": "none"}

    def read(self, path: Path) -> tuple[list[EvaluationItem], list[EvaluationItem]]:
        """The inputs to tune on, and those that judge, which come after them in the set where there are enough."""
        last = None if self.limit is None else self.skip + self.limit
        items = read_evaluation_set(path, None if last is None else last + self.check)[self.skip :]
        tuned, held = items[: self.limit], items[self.limit or len(items) :]
        return tuned, held if len(held) >= FEWEST else tuned


@dataclass(frozen=True)
class Places:
    """Where a run is kept, and where its lists go."""

    work: Path | None = setting(None, "Where an unfinished run is kept (default: MODEL/.tuning).")
    zmert: Path | None = setting(None, "Also write all lists in Z-MERT's formats to this folder.")


def tune(
    model: Path,
    path: Path,
    settings: Settings,
    work: Path | None = None,
    workers: int = 1,
    tell: Callable[[Round], None] = lambda _: None,
    tell_trial: Callable[[Trial], None] = lambda _: None,
) -> tuple[dict[str, Any], Tuning]:
    """Tune a model folder on a set; returns what was found and the run.

    It is written into the folder's `tuning.json` (a preset with a limit under `presets`) only if it scores above the
    untuned model on the judging inputs: `result["written"]` says so. work: where the run's state is kept until it
    ends (default: `.tuning` in the model folder).
    """
    folder = ModelFolder.open(model)
    if not os.access(model, os.W_OK):
        raise UserError(f"{model} cannot be written to; copy the model folder to a place of your own and tune the copy")
    alone = load(str(model)).defaults.alone
    if settings.length_penalty is None:
        settings = replace(settings, length_penalty=alone)
    items, held = settings.read(path)
    preset = find_preset(settings.preset)
    judge = Judge(parse_objective(settings.objective, preset.headline.lower()), preset.bytes)
    identity = {"model": folder.config.weights_id, "set": fingerprint(items), "version": hedline.__version__}
    state = State(work or model / ".tuning", {**identity, **_plain(settings)})
    tuning = _run(model, items, settings, judge, state, workers, tell)
    verdict = _judge(model, held, settings, judge, workers, tell_trial, tuning, alone)
    result = _result(tuning, verdict, settings, judge, path, items, len(held))
    kept = read_defaults(model)  # the run decoded with its controls
    result["decoding"] |= {"controls": dict(kept.controls), "guard_names": kept.guard_names}
    if verdict.won:
        _write(model / "tuning.json", result, bool(preset.limits))
    spent = [each.seconds for each in tuning.rounds]
    log_event(model, "tune", set=path.name, written=verdict.won, rounds=spent, seconds=round(sum(spent), 2))
    state.remove()
    for leftover in model.glob(".tuning.json.*.part"):  # of a run killed while it wrote
        leftover.unlink()
    return {**result, "written": verdict.won}, tuning


def _judge(
    model: Path,
    held: Sequence[EvaluationItem],
    settings: Settings,
    judge: Judge,
    workers: int,
    tell: Callable[[Trial], None],
    tuning: Tuning,
    alone: float,
) -> Verdict:
    """The contest on the judging inputs."""
    preset = find_preset(settings.preset)
    limited = any(name in settings.asked() for name in ("bytes", "chars", "words"))
    with Crew(partial(load, str(model)), min(workers, -(-len(held) // BATCH))) as crew:
        measure = Measurer(crew, [held], judge, settings.asked(), MEASURES[preset.headline.lower()])
        return Contest(measure, tell).run(tuning.weights, alone, limited)


def _write(path: Path, result: Mapping[str, Any], limited: bool) -> None:
    """Put the result into tuning.json: settings for a limit beside the ones without, each leaving the other alone."""
    before = dict(read_json(path)) if path.is_file() else {}
    if not limited:
        presets = {"presets": before["presets"]} if before.get("presets") else {}
        write_json(path, {**result, **presets})
        return
    kept = {name: result["decoding"][name] for name in ("controls", "guard_names") if name in result["decoding"]}
    base = before or {"format": TUNING_FORMAT, "weights": dict(ABS_WEIGHTS), "decoding": kept}
    write_json(path, {**base, "presets": {**base.get("presets", {}), result["preset"]: dict(result)}})


def _run(
    model: Path,
    items: Sequence[EvaluationItem],
    settings: Settings,
    judge: Judge,
    state: State,
    workers: int,
    tell: Callable[[Round], None],
) -> Tuning:
    mert = MertOptions(restarts=settings.restarts, threads=workers)
    measure = find_preset(settings.preset).headline.lower()
    options = TuneOptions(settings.rounds, seed=settings.seed, smoothing=settings.smoothing, measure=measure, mert=mert)
    job = Job(str(model), items, settings.options(), settings.names, judge)
    with ModelDecoder(job, workers) as decoder:
        return Tuner(decoder, len(items), judge.objective, settings.ranges(), state, options).run(settings.first, tell)


def _result(
    tuning: Tuning,
    verdict: Verdict,
    settings: Settings,
    judge: Judge,
    path: Path,
    items: Sequence[EvaluationItem],
    held: int,
) -> dict[str, Any]:
    """The content of tuning.json."""
    chosen = verdict.best.setting
    first, best = tuning.rounds[0], tuning.rounds[tuning.best - 1]
    return {
        "format": TUNING_FORMAT,
        "weights": dict(chosen.weights or ()),
        "decoding": chosen.table(),
        "objective": str(judge.objective),
        "signature": judge.signature([len(item.references) for item in items]),
        "preset": settings.preset,
        "set": {"name": path.name, "inputs": len(items), "fingerprint": fingerprint(items)},
        "before": {"objective": first.decoded, **first.rouge},
        "after": {"objective": best.decoded, **best.rouge},
        "settings": _plain(settings),
        "best_round": tuning.best,
        "stopped": tuning.stopped,
        "rounds": [each.table() for each in tuning.rounds],
        "held_out": verdict.table(held),
        "version": hedline.__version__,
    }


def _plain(settings: Settings) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps(asdict(settings)))
    return value


@dataclass(frozen=True)
class Verdict:
    """All trials in order, PREFIX and the untuned model first, and the best one."""

    trials: tuple[Trial, ...]
    best: Trial

    @property
    def untuned(self) -> Trial:
        """The model alone."""
        return self.trials[1]

    @property
    def won(self) -> bool:
        """Whether anything scored above the untuned model."""
        return self.best.score > self.untuned.score

    def table(self, inputs: int) -> dict[str, Any]:
        """For tuning.json."""
        return {"inputs": inputs, "kept": row(self.best), "trials": [row(each) for each in self.trials]}


@dataclass
class Contest:
    """The trials around weights that MERT found; measure: how settings are decoded and scored (on one set)."""

    measure: Measurer
    tell: Callable[[Trial], None] = lambda _: None
    trials: list[Trial] = field(default_factory=list)

    def run(self, found: Mapping[str, float], alone: float, limited: bool) -> Verdict:
        """Judge the weights `found` (length penalty among them); alone: the penalty of the model alone."""
        items = self.measure.sets[0]
        self._note(self.measure.score([prefix(items)], Setting(0.0, None), "PREFIX"))
        plain, fill = {**ABS_WEIGHTS, PENALTY: alone}, FILL if limited else None
        best = self._try(_setting(plain, fill), "untuned")
        for share in SHARES:
            mixed = toward(found, plain, share)
            best = self._better(best, self._try(_setting(mixed, fill), f"share {share:g}"))
        for other in [each for each in FILLS if each != fill] if limited else ():
            best = self._better(best, self._try(replace(best.setting, fill=other), best.name))
        for factor in STEPS:
            penalty = round(best.setting.length_penalty * factor, 6)
            best = self._better(best, self._try(replace(best.setting, length_penalty=penalty), best.name))
        wider = [replace(best.setting, beam=beam) for beam in BEAMS]
        reranked = [replace(best.setting, rerank=name, beam=beam) for name in RERANKS for beam in (BEAM, WIDE)]
        best = self._clearly(best, [self._try(each, best.name) for each in (*wider, *reranked)])
        return Verdict(tuple(self.trials), best)

    def _try(self, setting: Setting, name: str) -> Trial:
        return self._note(self.measure(setting, name))

    def _note(self, trial: Trial) -> Trial:
        self.trials.append(trial)
        self.tell(trial)
        return trial

    @staticmethod
    def _better(best: Trial, other: Trial) -> Trial:
        return other if other.score > best.score else best

    @staticmethod
    def _clearly(best: Trial, others: Sequence[Trial]) -> Trial:
        """The best of what costs time, if it clearly beats what does not."""
        winner = max(others, key=lambda trial: trial.score)
        return winner if winner.clearly_above(best) else best


def toward(found: Mapping[str, float], alone: Mapping[str, float], share: float) -> dict[str, float]:
    """The weights on the line from those found (share 0) to those of the model alone (share 1)."""
    return {name: value + share * (alone.get(name, 0.0) - value) for name, value in found.items()}


def prefix(items: Sequence[EvaluationItem]) -> list[str]:
    """The first 75 bytes of every lead, as the paper's PREFIX."""
    leads = (" ".join(item.lead.split()).encode("utf-8", "replace") for item in items)
    return [lead[:PREFIX_BYTES].decode("utf-8", "ignore").rstrip() for lead in leads]


def _setting(weights: Mapping[str, float], fill: float | None) -> Setting:
    features = tuple((name, value) for name, value in weights.items() if name != PENALTY)
    return Setting(weights[PENALTY], controls=None, fill=fill, beam=BEAM, weights=features)
