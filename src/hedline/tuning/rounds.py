"""The loop of tuning: decode, merge the n-best lists, optimise, until nothing changes.

Every round is saved as it goes (see state.py), and everything random is drawn from the seed and the round's number, so
an interrupted run continues to the same result. What is kept at the end are the weights whose *decoded* summaries
scored highest, the start included: tuning never returns worse weights than it was given, on the tuning set.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Protocol

import numpy as np

from hedline.errors import UserError
from hedline.tuning.bounds import Bounds
from hedline.tuning.linesearch import Problem
from hedline.tuning.mert import MertOptions, optimize
from hedline.tuning.objective import MEASURES, REPORTED, Objective
from hedline.tuning.pool import Array, Hypothesis, Pool
from hedline.tuning.state import State

Lists = list[list[Hypothesis]]

SAME_WEIGHTS = 1e-4  # no decoder can tell weights apart that differ by less
SAME_SCORE = 1e-5


class Decoder(Protocol):
    """Whatever turns weights into n-best lists: `nbest` gives every input's hypotheses, best first."""

    def nbest(self, weights: Mapping[str, float]) -> Lists:
        """Decode all inputs under these weights."""


@dataclass(frozen=True)
class TuneOptions:
    """How long and how hard to tune.

    rounds: at most so many decodings; patience: stop after so many without a better decoded score;
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

    def _score(self, named: dict[str, float], lists: Lists, new: int, begin: float, last: bool) -> Round:
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

    def _vector(self, named: Mapping[str, float]) -> Array:
        return np.array([named[name] for name in self.bounds.names])

    def _named(self, weights: Array) -> dict[str, float]:
        return dict(zip(self.bounds.names, weights.tolist(), strict=True))


def make_problem(pool: Pool, objective: Objective, bounds: Bounds, smoothing: int = 0) -> Problem:
    """The optimisation problem over everything in the pool."""
    lists = pool.lists()
    columns = objective.columns(lists.statistics, lists.inputs)
    return Problem(lists, columns, objective.scale, bounds, smoothing)


def score_top(lists: Lists, objective: Objective, measure: str) -> tuple[float, dict[str, float]]:
    """The objective of each input's first hypothesis, and their R-1, R-2 and R-L by `measure`, in 0..1."""
    tops = [hypotheses[0].statistics for hypotheses in lists if hypotheses]
    if not tops:
        raise UserError("the model wrote nothing for any input, so there is nothing to tune; check model and set")
    statistics = np.array(tops)
    sums = objective.columns(statistics, len(tops)).sum(axis=0, keepdims=True)
    means = objective.rouge(statistics).mean(axis=0)[:, MEASURES[measure]]
    return float(objective.scale(sums)[0]), {f"R-{name}": float(means[i]) for i, name in enumerate(REPORTED)}
