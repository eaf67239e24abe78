"""Beam search (Algorithm 1 of the paper) over many inputs at once, for any model and any units.

Each input keeps at most K live hypotheses; all of them are rows of one batch. At every step a row may end, which is
recorded, or take one more unit; hypotheses with equal futures are merged before the best K are kept. Greedy search is
K = 1; a beam that never has to drop anything is an exact search.

Length. A finished headline is ranked by its key = weights · features + length_reward(length_penalty, units). Nothing is
divided: the model's log-probability falls with every unit, and two terms that only grow with the length work against
it. The feature `length` (weight times words) pays the same for every word; the length penalty pays 10 a ln((5 + units)
/ 6), much for the first units and less for each further one, as dividing by ((5 + units) / 6)^a would. Both are added
to sums that do not know them, so of the same candidates a larger weight or penalty never chooses a shorter headline.
Units are words or pieces, the end included. A limit is hard; `fill` puts the headlines that use that share of it before
all others, whatever their keys, and `exact_words` does so with headlines of exactly that number of words.

Exact search is Viterbi over everything a hypothesis' future depends on. With a finite context the hypotheses that share
their last C words (and what is left of limits, places and repeats) are one state, and only the best of each is kept:
the paper's O(N · V^C) dynamic program. It is the beam search with nothing dropped but what provably cannot win: a beam
search first finds a headline to beat, and a hypothesis whose score could not reach it even if all units to come were
certain is left out. A search that grows too large is refused with an estimate, as soon as that is clear; a step that
takes more than a moment is announced.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedline.arrays import Doubles, Flags, Floats, Ints
from hedline.decoding import Gains, Lexicon, Route
from hedline.errors import UserError
from hedline.progress import duration
from hedline.runtime import Scorer
from hedline.runtime.kernels import best_columns, runs

_MIX = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9], np.uint64).view(np.int64)


def merge_equal_futures(totals: Floats, owner: Ints, futures: Ints) -> None:
    """Hypothesis recombination, in place: of the extensions that no future can tell apart only the best stays.

    futures: (rows, n); rows of one input with equal numbers compete column by column. The first row wins a tie.
    """
    if len(owner) < 2:
        return
    hashes = _hash(owner, futures)
    ordered = np.sort(hashes)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    for group in np.flatnonzero(counts > 1):
        rows = np.flatnonzero(inverse == group)
        winner = totals[rows].argmax(axis=0)
        losing = np.arange(len(rows))[:, None] != winner[None, :]
        totals[rows] = np.where(losing, -np.inf, totals[rows])


def _hash(owner: Ints, futures: Ints) -> Ints:
    """(rows,) a number for each row's input and future; that two different ones meet is as likely as 1 in 2^64."""
    mixed = np.concatenate([owner[:, None], futures], axis=1) * _MIX[0]
    mixed = (mixed ^ (mixed >> 31)) * _MIX[1] ** np.arange(1, mixed.shape[1] + 1)  # a factor of its own for each column
    return np.asarray((mixed ^ (mixed >> 29)).sum(axis=1))


# An input whose beam was pruned stops when no live hypothesis would win even after this many more free units.
LOOKAHEAD = 2
# Nats that a length penalty of 1 pays where the length grows e-fold: penalties then have the size of usual exponents.
LENGTH_SCALE = 10.0


def length_reward(penalty: float, units: int) -> float:
    """What the length penalty adds to the score of a headline of `units` units; 0 for a single unit."""
    return penalty * LENGTH_SCALE * math.log((5.0 + units) / 6.0)


@dataclass(frozen=True)
class Plan:
    """How to search.

    width: hypotheses kept per input; nbest: results wanted per input; penalty: the length penalty (see above); bonus:
    the most a unit can gain; recombine: whether to merge equal futures; slack: how far a hypothesis may be behind the
    best one. For exact searches only: to_beat: keys that
    hypotheses must be able to reach, one for each input; effort: what watches how large the search grows.
    """

    width: int = 5
    nbest: int = 1
    penalty: float = 0.0
    bonus: float = 0.0
    recombine: bool = True
    slack: float = np.inf
    to_beat: tuple[float, ...] | None = None
    effort: Effort | None = None

    def reward(self, units: int) -> float:
        """What a headline of `units` units gains by its length."""
        return length_reward(self.penalty, units)


class Finished:
    """Endings of all inputs: recorded as arrays, sorted once."""

    def __init__(self, inputs: int, plan: Plan) -> None:
        self.plan = plan
        self.best = np.full((inputs, plan.nbest), -np.inf)
        self._records: list[tuple[Any, ...]] = []

    def record(self, step: int, owner: Ints, score: Any, log_prob: Any, gains: Gains) -> None:
        """Note what ending after `step` units would give every row, -inf where it may not."""
        total = score + gains.end
        keys = total + self.plan.reward(step + 1)
        self._records.append((step, owner, gains.short, keys, total, log_prob + gains.end_log_probs))
        complete = (gains.short == 0) & (gains.end > -np.inf)
        if complete.any():
            self._update_best(owner[complete], keys[complete])

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
        steps, *parts = zip(*self._records, strict=True)
        owner, short, key, score, log_prob = map(np.concatenate, parts)
        sizes = list(map(len, parts[0]))
        step, row = np.repeat(steps, sizes), np.concatenate([np.arange(size) for size in sizes])
        ends = np.flatnonzero(score > -np.inf)
        order = ends[np.lexsort((row[ends], step[ends], -key[ends], short[ends], owner[ends]))]
        columns = (owner, step, row, key, score, log_prob, short)
        for o, *rest in zip(*(column[order].tolist() for column in columns), strict=True):
            ranked[o].append(tuple(rest))  # type: ignore[arg-type]
        return ranked


@dataclass
class Trail:
    """Back-pointers: for each step the parents and columns of the rows it made, and the parents' attention.

    log_probs: of all units of each row so far.
    """

    parents: list[Ints]
    columns: list[Ints]
    attention: list[Floats]
    log_probs: list[Any]

    def columns_of(self, step: int, row: int) -> Ints:
        """Columns (step,) of the hypothesis at `row` after `step` units."""
        found = np.empty(step, np.int64)
        for at in range(step - 1, -1, -1):
            found[at], row = self.columns[at][row], int(self.parents[at][row])
        return found

    def sums_of(self, step: int, row: int) -> list[float]:
        """The log-probabilities of the hypothesis at `row` after each of its `step` units, before them 0."""
        found = [0.0] * (step + 1)
        for at in range(step, 0, -1):
            found[at], row = self.log_probs[at - 1][row], int(self.parents[at - 1][row])
        return found

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


def beam_search(scorer: Scorer, lexicon: Lexicon, plan: Plan, start: Any = None) -> list[Endings]:
    """Every input's finished hypotheses, best first; start: the scorer's state of these inputs, if there is one."""
    inputs = len(lexicon.inputs)
    finished, trail = Finished(inputs, plan), Trail([], [], [], [])
    context: int | None = getattr(scorer, "C", None)
    state = scorer.start(lexicon.inputs, lexicon.candidates) if start is None else start
    rows_state = lexicon.start()
    widest = None if lexicon.candidates is None else max(map(len, lexicon.candidates))
    owner = np.arange(inputs)
    score, log_prob, pruned = np.zeros(inputs), np.zeros(inputs), np.zeros(inputs, bool)
    last = np.full(inputs, scorer.start_id)
    for step in range(lexicon.max_steps + 1):
        scored = scorer.step(state, last)
        if widest is not None and scored.log_probs.shape[1] > widest:  # a larger batch was begun
            scored = scored._replace(log_probs=np.ascontiguousarray(scored.log_probs[:, :widest]))
        gains = lexicon.gains(rows_state, scored)
        finished.record(step, owner, score, log_prob, gains)
        if step == lexicon.max_steps:
            break
        totals, base = gains.words, score
        if plan.recombine and context is not None and step > 0:
            totals += score.astype(np.float32)[:, None]
            base = np.zeros(len(score))
            merge_equal_futures(totals, owner, lexicon.futures(rows_state, context))
        rows, columns, new_score = best_columns(totals, owner, plan.width, pruned, base)
        if plan.to_beat is None:
            going = _worth_going_on(plan, finished, pruned, owner[rows], new_score, step + 1)
        else:
            going = _able_to_win(plan, owner[rows], new_score, step + 1, lexicon.max_steps)
            assert plan.effort is not None
            plan.effort.check(int(going.sum()), totals.shape[1])
        score = new_score
        if not going.all():
            rows, columns, score = rows[going], columns[going], new_score[going]
        if not len(rows):
            break
        log_prob = log_prob[rows] + gains.log_probs(rows, columns)
        trail.parents.append(rows)
        trail.columns.append(columns)
        trail.attention.append(scored.attention)
        trail.log_probs.append(log_prob)
        rows_state = lexicon.advance(rows_state, rows, columns)
        state, owner, last = scorer.select(scored.state, rows), owner[rows], lexicon.ids(rows_state)
    return [Endings(trail, ranked) for ranked in finished.ranking(inputs)]


def _worth_going_on(plan: Plan, finished: Finished, pruned: Flags, owner: Ints, score: Any, units: int) -> Flags:
    """(rows,) False for rows of pruned inputs whose best hypothesis cannot catch up any more, and for stragglers."""
    if not len(owner):
        return np.zeros(0, bool)
    gain = LOOKAHEAD * plan.bonus + plan.reward(units + 1 + LOOKAHEAD)
    if len(pruned) == 1:  # the best one comes first
        if pruned[0] and finished.best[0, -1] > score[0] + gain:
            return np.zeros(len(owner), bool)
        return np.asarray(score >= score[0] - plan.slack)
    best = np.full(len(pruned), -np.inf)
    np.maximum.at(best, owner, score)
    stop = pruned & (finished.best[:, -1] > best + gain)
    return np.asarray(~stop[owner] & (score >= best[owner] - plan.slack))


def _able_to_win(plan: Plan, owner: Ints, score: Any, units: int, steps: int) -> Flags:
    """(rows,) whether a hypothesis can still reach the key to beat: every unit to come gains at most the bonus."""
    hope = score + plan.bonus * (steps - units) + max(plan.reward(units + 1), plan.reward(steps + 1))
    return np.asarray(hope >= np.asarray(plan.to_beat)[owner] - 1e-4)


class Endings:
    """One input's finished hypotheses, best first; paths are traced when they are read."""

    def __init__(self, trail: Trail, ranked: Sequence[tuple[int, int, float, float, float, int]]) -> None:
        self.trail, self.ranked = trail, ranked

    def __len__(self) -> int:
        return len(self.ranked)

    def columns(self, index: int) -> Ints:
        """(T,) the columns of an ending, without its attention."""
        return self.trail.columns_of(*self.ranked[index][:2])

    def log_probs(self, index: int) -> Doubles:
        """(T + 1,) the log-probabilities of an ending's units, that of ending there last."""
        step, row, _, _, total, _ = self.ranked[index]
        sums = np.array([*self.trail.sums_of(step, row), total])
        return np.asarray(sums[1:] - sums[:-1])

    def key(self, index: int) -> float:
        """What an ending is ranked by."""
        return self.ranked[index][2]

    def short(self, index: int) -> int:
        """By how much an ending misses what was asked."""
        return self.ranked[index][5]

    def __getitem__(self, index: int) -> Route:
        if index >= len(self.ranked):
            raise IndexError(index)
        step, row, key, score, log_prob, short = self.ranked[index]
        columns, attention = self.trail.path(step, row)
        return Route(columns, attention, score, log_prob, key, short)


MOST_TOTALS = 40_000_000  # scores held at once, about 160 MB
HOPELESS = 100.0  # times as many, where the growth so far points to it
MOMENT = 2.0  # seconds
FIRST_WIDTH = 20
EVERYTHING = 1 << 40


class Effort:
    """How an exact search grows. inputs, steps: of the search; rows: hypotheses after each step so far."""

    def __init__(self, inputs: int, steps: int) -> None:
        self.steps, self.rows, self.begin = steps, [inputs], time.monotonic()

    def check(self, now: int, columns: int) -> None:
        """Before `now` hypotheses are extended by `columns` units each: refuse, or say how long it will take."""
        seconds = time.monotonic() - self.begin
        expected = seconds * now / sum(self.rows)
        self.rows.append(now)
        most = self.projected()
        if now * columns > MOST_TOTALS or most * columns > HOPELESS * MOST_TOTALS:
            raise UserError(
                f"an exact search here would have to follow {_rounded(most)} hypotheses; use the beam decoder, fewer "
                "words, extractive or compressive mode, or a shorter input"
            )
        if seconds + expected > MOMENT and expected >= MOMENT / 4:
            step = f"step {len(self.rows)} of at most {self.steps + 1}"
            print(f"exact search: {step}, {now:,} hypotheses, about {duration(expected)}", file=sys.stderr, flush=True)

    def projected(self) -> float:
        """The most hypotheses of a step to come, if their growth goes on falling as it did in the last two steps."""
        now = most = float(self.rows[-1])
        if len(self.rows) < 4:
            return most
        growth, before = (after / max(first, 1) for first, after in ((self.rows[-2], self.rows[-1]), self.rows[-3:-1]))
        falling = min(growth / max(before, 1e-9), 1.0)
        for _ in range(self.steps + 1 - len(self.rows)):
            growth *= falling
            now = min(now * growth, 1e300)
            most = max(most, now)
        return most


def exact_search(scorer: Scorer, lexicon: Lexicon, plan: Plan, start: Any = None) -> list[Endings]:
    """Every input's finished headlines, the best ones certainly among them; refuses what would not finish."""
    start = scorer.start(lexicon.inputs, lexicon.candidates) if start is None else start
    found = beam_search(scorer, lexicon, replace(plan, width=max(plan.width, FIRST_WIDTH)), start)
    to_beat = tuple(_to_beat(endings, plan.nbest) for endings in found)
    effort = Effort(len(lexicon.inputs), lexicon.max_steps)
    return beam_search(scorer, lexicon, replace(plan, width=EVERYTHING, to_beat=to_beat, effort=effort), start)


def _to_beat(endings: Endings, nbest: int) -> float:
    """The key that the last wanted headline must reach; nothing while some miss what was asked."""
    if len(endings) < nbest or endings.short(nbest - 1):
        return -np.inf
    return endings[nbest - 1].key


def _rounded(hypotheses: float) -> str:
    power = math.log10(max(hypotheses, 1))
    return f"about 10^{round(power)}" if power >= 6 else f"more than {int(hypotheses):,}"
