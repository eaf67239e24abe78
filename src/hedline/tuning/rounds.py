"""The loop of tuning: decode, merge the n-best lists, optimise, until nothing changes; and its report, line by line.

Everything random is drawn from the seed and the round's number, and every round is saved as it goes, so a killed run
continues where it was, to the same result. The work folder holds `settings.json` (what the run is: model, set,
options), and for each round the decoded lists (`round-001.npz`, no pickle) and the report with the optimised weights
(`round-001.json`), each written whole or not at all. A folder with other settings is of another run and is begun anew.

What is kept at the end are the weights whose *decoded* summaries scored highest, the start included: tuning never
returns worse weights than it was given, on the tuning set.
"""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hedline.arrays import Doubles
from hedline.errors import UserError
from hedline.files import atomic_path, read_json, write_json
from hedline.progress import duration
from hedline.tuning.linesearch import Bounds, Problem
from hedline.tuning.mert import MertOptions, optimize
from hedline.tuning.nbest import MEASURES, REPORTED, Hypothesis, NbestLists, Objective, Pool


class State:
    """The work folder of one run; `folder` None keeps nothing (tests, short runs)."""

    def __init__(self, folder: Path | None, settings: dict[str, Any]) -> None:
        self.folder = folder
        self.resumed = False
        if folder is None:
            return
        self.resumed = self._same(folder / "settings.json", settings)
        if not self.resumed:
            self.remove()
            write_json(folder / "settings.json", settings)

    def lists(self, number: int, decode: Callable[[], NbestLists]) -> NbestLists:
        """The lists of a round: read when saved, else decoded and saved."""
        if self.folder is None:
            return decode()
        path = self.folder / f"round-{number:03d}.npz"
        saved = read_lists(path) if path.exists() else None
        if saved is not None:
            return saved
        lists = decode()
        with atomic_path(path) as temporary:
            write_lists(temporary, lists)
        return lists

    def report(self, number: int) -> dict[str, Any] | None:
        """The saved report of a round, if there is one."""
        path = None if self.folder is None else self.folder / f"round-{number:03d}.json"
        return dict(read_json(path)) if path and path.exists() else None

    def save_report(self, number: int, report: dict[str, Any]) -> None:
        """Save a round's report."""
        if self.folder is not None:
            write_json(self.folder / f"round-{number:03d}.json", report)

    def remove(self) -> None:
        """Delete what this module wrote; the folder too, if nothing else is in it."""
        if self.folder is None or not self.folder.exists():
            return
        for pattern in ("round-*.npz", "round-*.json", "settings.json", ".*.part"):
            for file in self.folder.glob(pattern):
                file.unlink()
        if not any(self.folder.iterdir()):
            shutil.rmtree(self.folder)

    @staticmethod
    def _same(path: Path, settings: dict[str, Any]) -> bool:
        try:
            return bool(read_json(path) == json.loads(json.dumps(settings)))
        except UserError:  # missing or damaged: not ours to continue
            return False


def write_lists(path: Path, lists: NbestLists) -> None:
    """Save n-best lists: counts, features, statistics, and the texts as one JSON document."""
    rows = [hypothesis for hypotheses in lists for hypothesis in hypotheses]
    texts = json.dumps([row.text for row in rows]).encode()
    with path.open("wb") as file:
        np.savez(
            file,
            counts=np.array([len(hypotheses) for hypotheses in lists], dtype=np.int64),
            features=np.array([row.features for row in rows], dtype=np.float64),
            statistics=np.array([row.statistics for row in rows], dtype=np.float64),
            texts=np.frombuffer(texts, dtype=np.uint8),
        )


def read_lists(path: Path) -> NbestLists | None:
    """N-best lists as saved, bit for bit; None when the file is damaged (it is then decoded again)."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            counts, features, statistics = saved["counts"], saved["features"], saved["statistics"]
            texts = json.loads(saved["texts"].tobytes())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError):
        return None
    rows = [Hypothesis(text, features[i], statistics[i]) for i, text in enumerate(texts)]
    ends = np.cumsum(counts)
    return [rows[end - count : end] for count, end in zip(counts, ends, strict=True)]


def header(features: Sequence[str]) -> str:
    """The heading above the lines of the rounds."""
    scores = f"{'round':>5} {'score':>7} {'R-1':>6} {'R-2':>6} {'R-L':>6} {'new':>7} {'lists':>8} {'found':>7}"
    return f"{scores}  {' '.join(f'{name:>9}' for name in features)}  {'time':>6}"


def line(this: Round) -> str:
    """One round: decoded score, R-1, R-2, R-L (per cent), hypotheses new and in all, score found on them, weights."""
    rouge = " ".join(f"{100 * value:6.2f}" for value in this.rouge.values())
    weights = " ".join(f"{value:{max(9, len(name))}.3f}" for name, value in this.weights.items())
    counts = f"{this.new:7,} {this.total:8,} {100 * this.after:7.2f}"
    return f"{this.number:5d} {100 * this.decoded:7.2f} {rouge} {counts}  {weights}  {duration(this.seconds):>6}"


def closing(result: Mapping[str, Any]) -> str:
    """What was tuned, what it brought on the tuning inputs and on the judging ones, and why it ended."""
    before, after, held = result["before"], result["after"], result["held_out"]
    weights = ", ".join(f"{name} {value:.3f}" for name, value in result["weights"].items())
    decoding = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in result["decoding"].items() if value)
    prefix, untuned, kept = held["trials"][0], held["trials"][1], held["kept"]
    return "\n".join(
        [
            f"Best round {result['best_round']} of {len(result['rounds'])}: {result['stopped']}.",
            f"{result['objective']} on the tuning inputs: {100 * before['objective']:.2f} to "
            f"{100 * after['objective']:.2f}",
            f"On {held['inputs']:,} judging inputs, R-1 / R-2 / R-L: PREFIX {_rouge(prefix)}, untuned "
            f"{_rouge(untuned)}, tuned {_rouge(kept)}",
            f"Weights: {weights}",
            f"Decoding: {decoding}",
            f"Set: {result['set']['name']}, {result['set']['inputs']:,} inputs, {result['set']['fingerprint'][:12]}",
            result["signature"],
        ]
    )


def _rouge(trial: Mapping[str, Any]) -> str:
    """A trial's R-1 / R-2 / R-L in per cent."""
    (scores,) = trial["sets"]
    return " / ".join(f"{100 * value:.2f}" for name, value in scores.items() if name != "words")


SAME_WEIGHTS = 1e-4  # no decoder can tell weights apart that differ by less
SAME_SCORE = 1e-5


class Decoder(Protocol):
    """Whatever turns weights into n-best lists: `nbest` gives every input's hypotheses, best first."""

    def nbest(self, weights: Mapping[str, float]) -> NbestLists:
        """Decode all inputs under these weights."""


@dataclass(frozen=True)
class TuneOptions:
    """How long and how hard to tune.

    rounds: the most decodings; patience: the decodings without a better score after which it stops;
    smoothing: see Problem; measure: `r`, `p` or `f`, what the report shows of R-1, R-2 and R-L.
    """

    rounds: int = 15
    patience: int = 3
    seed: int = 1
    smoothing: int = 0
    measure: str = "f"
    mert: MertOptions = field(default_factory=MertOptions)


@dataclass(frozen=True)
class Round:
    """What happened in one round.

    weights: used for decoding; decoded: objective of the top summaries; rouge: their R-1, R-2, R-L; new, total:
    hypotheses; before, after: objective on the accumulated lists at `weights` and at `found`, the optimised ones.
    """

    number: int
    weights: dict[str, float]
    decoded: float
    rouge: dict[str, float]
    new: int
    total: int
    before: float
    after: float
    found: dict[str, float]
    seconds: float

    def table(self) -> dict[str, Any]:
        """The round as tuning.json keeps it: without its time, which stands in the folder's log."""
        return {name: value for name, value in asdict(self).items() if name != "seconds"}


@dataclass(frozen=True)
class Tuning:
    """The outcome: the kept weights, the round that decoded with them, why it stopped, all rounds and all lists."""

    weights: dict[str, float]
    best: int
    stopped: str
    rounds: list[Round]
    pool: Pool


@dataclass
class Tuner:
    """A tuning run: what decodes, what is maximised, within which bounds, and what has happened so far."""

    decoder: Decoder
    inputs: int
    objective: Objective
    bounds: Bounds
    state: State
    options: TuneOptions
    rounds: list[Round] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pool = Pool(self.inputs)

    def run(self, start: Mapping[str, float], tell: Callable[[Round], None] = lambda _: None) -> Tuning:
        """Tune from `start` (missing weights are 0) until nothing changes; `tell` hears of every round."""
        weights = self.bounds.clip(np.array([start.get(name, 0.0) for name in self.bounds.names]))
        stopped = ""
        while not stopped:
            named = self._named(weights)
            begin = time.monotonic()
            lists = self.state.lists(len(self.rounds) + 1, partial(self.decoder.nbest, named))
            new = sum(self.pool.add(index, hypotheses) for index, hypotheses in enumerate(lists))
            stopped = self._reason_to_stop(new)
            this = self._saved() or self._score(named, lists, new, begin, last=bool(stopped))
            self.state.save_report(this.number, asdict(this))
            self.rounds.append(this)
            tell(this)
            found = self._vector(this.found)
            if not stopped and np.abs(found - weights).max() < SAME_WEIGHTS:
                stopped = "the weights did not change"
            weights = found
        best = self._best()
        return Tuning(best.weights, best.number, stopped, self.rounds, self.pool)

    def _saved(self) -> Round | None:
        saved = self.state.report(len(self.rounds) + 1)
        return Round(**saved) if saved else None

    def _score(self, named: dict[str, float], lists: NbestLists, new: int, begin: float, last: bool) -> Round:
        """Score the decoded summaries and, unless this is the last round, optimise on all lists so far."""
        number = len(self.rounds) + 1
        decoded, rouge = score_top(lists, self.objective, self.options.measure)
        problem = make_problem(self.pool, self.objective, self.bounds, self.options.smoothing)
        weights = self._vector(named)
        before = after = problem.score(weights)
        found = named
        if not last:
            starts = [weights, self._vector(self._best().weights)] if self.rounds else [weights]
            optimum = optimize(problem, starts, [self.options.seed, number], self.options.mert)
            found, after = self._named(optimum.weights), optimum.score
        seconds = round(time.monotonic() - begin, 2)
        return Round(number, named, decoded, rouge, new, len(self.pool), before, after, found, seconds)

    def _reason_to_stop(self, new: int) -> str:
        options, scores = self.options, [each.decoded for each in self.rounds]
        if new == 0:
            return "decoding found no new hypotheses"
        if len(scores) + 1 >= options.rounds:
            return f"the limit of {options.rounds} rounds was reached"
        recent, earlier = scores[-options.patience :], scores[: -options.patience]
        if earlier and max(recent) <= max(earlier) + SAME_SCORE:
            return f"the decoded score did not rise in {options.patience} rounds"
        return ""

    def _best(self) -> Round:
        """The round that decoded best; the earliest of equals."""
        return max(self.rounds, key=lambda each: (round(each.decoded, 9), -each.number))

    def _vector(self, named: Mapping[str, float]) -> Doubles:
        return np.array([named[name] for name in self.bounds.names])

    def _named(self, weights: Doubles) -> dict[str, float]:
        return dict(zip(self.bounds.names, weights.tolist(), strict=True))


def make_problem(pool: Pool, objective: Objective, bounds: Bounds, smoothing: int = 0) -> Problem:
    """The optimisation problem over everything in the pool."""
    lists = pool.lists()
    columns = objective.columns(lists.statistics, lists.inputs)
    return Problem(lists, columns, objective.scale, bounds, smoothing)


def score_top(lists: NbestLists, objective: Objective, measure: str) -> tuple[float, dict[str, float]]:
    """The objective of each input's first hypothesis, and their R-1, R-2 and R-L by `measure`, in 0..1."""
    tops = [hypotheses[0].statistics for hypotheses in lists if hypotheses]
    if not tops:
        raise UserError("the model wrote nothing for any input, so there is nothing to tune; check model and set")
    statistics = np.array(tops)
    sums = objective.columns(statistics, len(tops)).sum(axis=0, keepdims=True)
    means = objective.rouge(statistics).mean(axis=0)[:, MEASURES[measure]]
    return float(objective.scale(sums)[0]), {f"R-{name}": float(means[i]) for i, name in enumerate(REPORTED)}
