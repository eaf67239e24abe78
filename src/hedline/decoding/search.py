"""Beam search (Algorithm 1 of the paper) over many inputs at once, for any model and any units.

Each input keeps at most K live hypotheses; all of them are rows of one batch. At every step a row may end, which is
recorded, or take one more unit; hypotheses with equal futures are merged before the best K are kept. Greedy search is
K = 1; a beam that never has to drop anything is an exact search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedline.decoding.lexicon import Flags, Gains, Lexicon, Path
from hedline.decoding.scorer import Floats, Ints, Scorer
from hedline.decoding.select import best_columns, merge_equal_futures, runs

# An input whose beam was pruned stops when no live hypothesis would win even after this many more free units.
LOOKAHEAD = 2


@dataclass(frozen=True)
class Plan:
    """How to search: hypotheses kept an input (width), results wanted an input (nbest), exponent of the length
    normalisation (penalty), the most a unit can gain (bonus), whether to merge equal futures.

    Exact searches only: keys that hypotheses must be able to reach (to_beat, one for each input), scores that may be
    held at once (most).
    """

    width: int = 5
    nbest: int = 1
    penalty: float = 0.0
    bonus: float = 0.0
    recombine: bool = True
    to_beat: tuple[float, ...] | None = None
    most: int | None = None

    def normalizer(self, units: int) -> float:
        """What the score of a headline of so many units is divided by."""
        return float(((5.0 + units) / 6.0) ** self.penalty)


class TooLargeError(Exception):
    """An exact search grew too large: hypotheses now, at which step, and how much each step multiplies them."""

    def __init__(self, now: int, step: int, growth: float) -> None:
        super().__init__(now, step, growth)
        self.now, self.step, self.growth = now, step, growth


class Finished:
    """Endings of all inputs: recorded as arrays, sorted once."""

    def __init__(self, inputs: int, plan: Plan) -> None:
        self.plan = plan
        self.best = np.full((inputs, plan.nbest), -np.inf)
        self._records: list[tuple[Ints, ...]] = []
        self._scores: list[tuple[Any, ...]] = []

    def record(self, step: int, owner: Ints, score: Any, log_prob: Any, gains: Gains) -> None:
        """Note every row that may end after `step` units."""
        rows = np.flatnonzero(gains.end > -np.inf)
        if not len(rows):
            return
        total = score[rows] + gains.end[rows]
        keys = total / self.plan.normalizer(step + 1)
        short = gains.short[rows]
        self._records.append((owner[rows], np.full(len(rows), step), rows, short))
        self._scores.append((keys, total, log_prob[rows] + gains.end_log_probs[rows]))
        complete = short == 0
        if complete.any():
            self._update_best(owner[rows[complete]], keys[complete])

    def _update_best(self, owner: Ints, keys: Any) -> None:
        if self.plan.nbest == 1:
            np.maximum.at(self.best[:, 0], owner, keys)
            return
        first, counts = runs(owner)
        table = np.full((len(first), int(counts.max())), -np.inf)
        table[np.repeat(np.arange(len(first)), counts), np.arange(len(owner)) - np.repeat(first, counts)] = keys
        merged = np.concatenate([self.best[owner[first]], table], axis=1)
        self.best[owner[first]] = -np.sort(-merged, axis=1)[:, : self.best.shape[1]]

    def ranking(self, inputs: int) -> list[list[tuple[int, int, float, float, float, int]]]:
        """For each input its endings, best first: (step, row, key, score, log_prob, short)."""
        ranked: list[list[tuple[int, int, float, float, float, int]]] = [[] for _ in range(inputs)]
        if not self._records:
            return ranked
        owner, step, row, short = (np.concatenate(parts) for parts in zip(*self._records, strict=True))
        key, score, log_prob = (np.concatenate(parts) for parts in zip(*self._scores, strict=True))
        order = np.lexsort((row, step, -key, short, owner))
        columns = (owner, step, row, key, score, log_prob, short)
        for o, *rest in zip(*(column[order].tolist() for column in columns), strict=True):
            ranked[o].append(tuple(rest))  # type: ignore[arg-type]
        return ranked


@dataclass
class Trail:
    """Back-pointers: for each step the parents and columns of the rows it made, and the parents' attention."""

    parents: list[Ints]
    columns: list[Ints]
    attention: list[Floats]

    def path(self, step: int, row: int) -> tuple[Ints, Floats]:
        """Columns (step,) and attention (step, M) of the hypothesis at `row` after `step` units."""
        columns, attention = [], []
        for at in range(step - 1, -1, -1):
            columns.append(int(self.columns[at][row]))
            row = int(self.parents[at][row])
            attention.append(self.attention[at][row])
        width = self.attention[0].shape[1] if self.attention else 0
        stacked = np.stack(attention[::-1]) if attention else np.zeros((0, width), np.float32)
        return np.array(columns[::-1], np.int64), stacked


def beam_search(scorer: Scorer, lexicon: Lexicon, plan: Plan) -> list[Endings]:
    """Every input's finished hypotheses, best first."""
    inputs = len(lexicon.inputs)
    finished, trail = Finished(inputs, plan), Trail([], [], [])
    context: int | None = getattr(scorer, "C", None)
    state, rows_state = scorer.start(lexicon.inputs, lexicon.candidates), lexicon.start()
    owner = np.arange(inputs)
    score, log_prob, pruned = np.zeros(inputs), np.zeros(inputs), np.zeros(inputs, bool)
    last = np.full(inputs, scorer.start_id)
    for step in range(lexicon.max_steps + 1):
        scored = scorer.step(state, last)
        gains = lexicon.gains(rows_state, scored)
        finished.record(step, owner, score, log_prob, gains)
        if step == lexicon.max_steps:
            break
        totals = gains.words
        totals += score.astype(np.float32)[:, None]
        if plan.recombine and context is not None and step > 0:
            merge_equal_futures(totals, owner, lexicon.futures(rows_state, context))
        rows, columns = best_columns(totals, owner, plan.width, pruned)
        new_score = totals[rows, columns].astype(np.float64)
        if plan.to_beat is None:
            going = _worth_going_on(plan, finished, pruned, owner[rows], new_score, step + 1)
        else:
            going = _able_to_win(plan, owner[rows], new_score, step + 1, lexicon.max_steps)
            _check_size(plan, int(going.sum()), len(owner), totals.shape[1], step + 1)
        rows, columns, score = rows[going], columns[going], new_score[going]
        if not len(rows):
            break
        log_prob = log_prob[rows] + gains.log_probs(rows, columns)
        trail.parents.append(rows)
        trail.columns.append(columns)
        trail.attention.append(scored.attention)
        rows_state = lexicon.advance(rows_state, rows, columns)
        state, owner, last = scorer.select(scored.state, rows), owner[rows], lexicon.ids(rows_state)
    return [Endings(trail, ranked) for ranked in finished.ranking(inputs)]


def _worth_going_on(plan: Plan, finished: Finished, pruned: Flags, owner: Ints, score: Any, units: int) -> Flags:
    """(rows,) False for the rows of pruned inputs whose best hypothesis cannot catch up any more."""
    if not len(owner):
        return np.zeros(0, bool)
    best = np.full(len(pruned), -np.inf)
    np.maximum.at(best, owner, score)
    hope = (best + LOOKAHEAD * plan.bonus) / plan.normalizer(units + 1 + LOOKAHEAD)
    stop = pruned & (finished.best[:, -1] > hope)
    return np.asarray(~stop[owner])


def _able_to_win(plan: Plan, owner: Ints, score: Any, units: int, steps: int) -> Flags:
    """(rows,) whether a hypothesis can still reach the key to beat: every unit to come gains at most the bonus."""
    best = score + plan.bonus * (steps - units)
    hope = np.where(best < 0, best / plan.normalizer(steps + 1), best / plan.normalizer(units + 1))
    return np.asarray(hope >= np.asarray(plan.to_beat)[owner] - 1e-4)


def _check_size(plan: Plan, now: int, before: int, columns: int, step: int) -> None:
    if plan.most is not None and now * columns > plan.most:
        raise TooLargeError(now, step, now / max(before, 1))


class Endings:
    """One input's finished hypotheses, best first; paths are traced when they are read."""

    def __init__(self, trail: Trail, ranked: Sequence[tuple[int, int, float, float, float, int]]) -> None:
        self.trail, self.ranked = trail, ranked

    def __len__(self) -> int:
        return len(self.ranked)

    def short(self, index: int) -> int:
        """By how much an ending misses what was asked."""
        return self.ranked[index][5]

    def __getitem__(self, index: int) -> Path:
        if index >= len(self.ranked):
            raise IndexError(index)
        step, row, key, score, log_prob, short = self.ranked[index]
        columns, attention = self.trail.path(step, row)
        return Path(columns, attention, score, log_prob, key, short)
