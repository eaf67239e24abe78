"""Baselines with weighted features, tuned for ROUGE on a set by the project's own MERT, once per preset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hedline.baselines.fitting import Corpus, learn_casing, training_pairs
from hedline.baselines.system import Limit, fitted_folder, read_config, write_config
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.progress import Progress, track
from hedline.tuning.linesearch import make_bounds
from hedline.tuning.mert import MertOptions
from hedline.tuning.nbest import Hypothesis, Judge, parse_objective
from hedline.tuning.rounds import Round, State, TuneOptions, Tuner

OBJECTIVE = "R-1 + R-2 + R-L"
TUNED_LEADS = 300  # of each set that is named, unless `tune_limit` says otherwise
SPARE = 5  # headlines of a list that are tried until one keeps the limit as printed
Weights = dict[str, float]


class Candidate(NamedTuple):
    """A headline and its feature values, in the order of the system's feature names."""

    text: str
    features: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Preset:
    """What a tuning run aims at: ROUGE's measure, where it cuts, and the limit of the headlines."""

    measure: str
    limit: Limit


PRESETS = {"gigaword": Preset("f", Limit()), "duc": Preset("r", Limit(bytes=75))}

# A system's n-best list of one lead, best first, under some weights within a limit.
Lister = Callable[[str, Weights, Limit], Sequence[Candidate]]


def preset_for(limit: Limit) -> str:
    """Choose the preset whose weights fit a limit: recall counts where bytes are capped, F1 elsewhere."""
    return "duc" if limit.bytes is not None else "gigaword"


@dataclass(frozen=True)
class _Decoder:
    lister: Lister
    items: Sequence[EvaluationItem]
    judge: Judge
    limit: Limit

    def nbest(self, weights: Mapping[str, float]) -> list[list[Hypothesis]]:
        """Decode all items, in order."""
        return [self._judged(item, dict(weights)) for item in track(self.items, "decoding", len(self.items), "inputs")]

    def _judged(self, item: EvaluationItem, weights: Weights) -> list[Hypothesis]:
        found = self.lister(item.lead, weights, self.limit)
        if not found:
            return []
        rows = self.judge.statistics([each.text for each in found], item.references)
        return [Hypothesis(each.text, each.features, row) for each, row in zip(found, rows, strict=True)]


def tune_weights(
    lister: Lister,
    items: Sequence[EvaluationItem],
    preset: str,
    start: Weights,
    bounds: Mapping[str, tuple[float, float]],
    rounds: int = 8,
) -> Weights:
    """Return the weights whose headlines score highest on `items`; never worse there than `start`.

    bounds: allowed ranges by feature; a weight of a language model needs a lower bound, or recall makes word salad.
    """
    aim = PRESETS[preset]
    judge = Judge(parse_objective(OBJECTIVE, aim.measure), bytes=aim.limit.bytes)
    options = TuneOptions(rounds=rounds, patience=3, measure=aim.measure, mert=MertOptions(restarts=8, directions=6))
    decoder = _Decoder(lister, items, judge, aim.limit)
    ranges = make_bounds(list(start), bounds)
    tuner = Tuner(decoder, len(items), judge.objective, ranges, State(None, {}), options)
    progress = Progress(f"tuning for {preset}", rounds, "rounds", every=0)

    def tell(done: Round) -> None:
        progress.advance(note=", ".join(f"{name} {100 * value:.2f}" for name, value in done.rouge.items()))

    weights = tuner.run(start, tell).weights
    progress.close()
    return weights


class TunedBaseline(ABC):
    """What systems with weighted features share: how a fit ends, how a folder is opened, the best of a list."""

    name: ClassVar[str]
    fit_options: ClassVar[frozenset[str]] = frozenset({"limit", "tune", "tune_limit"})
    start: ClassVar[Weights]  # the weights of a system that was not tuned
    bounds: ClassVar[Mapping[str, tuple[float, float]]]
    weights: dict[str, Weights]  # by preset, then by feature

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, weights: dict[str, Weights]) -> Self:
        """Map the arrays of a fitted folder."""

    @abstractmethod
    def nbest(self, lead: str, weights: Weights, limit: Limit, count: int = 100) -> list[Candidate]:
        """Return the best headlines of a lead with their features."""

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load a fitted folder."""
        folder = fitted_folder(folder, cls.name)
        return cls.load(folder, read_config(folder)["weights"])

    @classmethod
    def finish_fit(
        cls, data: Sequence[Path], out: Path, corpus: Corpus, settings: dict[str, Any], options: Mapping[str, Any]
    ) -> None:
        """Learn the casing, tune the weights where sets are named, and write the config, which ends a fit."""
        learn_casing(training_pairs(data, "casing"), set(corpus.words)).save(out / "truecase.tsv")
        weights: dict[str, Weights] = {}
        if options.get("tune"):
            most = options.get("tune_limit", TUNED_LEADS)
            items = [item for path in options["tune"] for item in read_evaluation_set(path, most)]
            system = cls.load(out, {})
            weights = {preset: tune_weights(system.nbest, items, preset, cls.start, cls.bounds) for preset in PRESETS}
        learnt = {"pairs": len(corpus.leads), "words": len(corpus.words), "weights": weights}
        write_config(out, cls.name, {**settings, **learnt})

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Write one headline per item, empty where the lead offers none."""
        weights = self.weights.get(preset_for(limit), self.start)
        leads = track((item.lead for item in items), "writing headlines", len(items), "leads")
        return [next((each.text for each in self.nbest(lead, weights, limit, SPARE)), "") for lead in leads]
