"""Tiny models for tests of the search: random tables that behave like a trained scorer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hedline.arrays import Ints
from hedline.runtime import Step


class FakeState(NamedTuple):
    owner: Ints
    history: tuple[tuple[int, ...], ...]


class TableScorer:
    """Scores are a fixed random function of the input and the last `context` units (None: of all units).

    spread: how far apart log-probabilities are.
    """

    start_id, end_id, unknown_id = 2, 3, 1

    def __init__(self, vocabulary: int, context: int | None = 2, seed: int = 0, spread: float = 2.0) -> None:
        self.size, self.seed, self.spread = vocabulary, seed, spread
        self.context = context
        if context is not None:
            self.C = context
        self._memory: dict[Any, tuple[Any, Any]] = {}

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> FakeState:
        self.inputs = [np.asarray(ids) for ids in inputs]
        self.candidates = candidates
        self.longest = max(len(ids) for ids in inputs)
        return FakeState(np.arange(len(inputs)), ((),) * len(inputs))

    def step(self, state: FakeState, last: Ints) -> Step:
        history = tuple((*past, int(word)) for past, word in zip(state.history, last, strict=True))
        scores = [self.scores(int(owner), past) for owner, past in zip(state.owner, history, strict=True)]
        width = max(len(row) for row, _ in scores)
        log_probs = np.full((len(scores), width), -np.inf, np.float32)
        attention = np.zeros((len(scores), self.longest), np.float32)
        for row, (values, weights) in enumerate(scores):
            log_probs[row, : len(values)] = values
            attention[row, : len(weights)] = weights
        return Step(log_probs, attention, FakeState(state.owner, history))

    def scores(self, owner: int, history: tuple[int, ...]) -> tuple[Any, Any]:
        seen = history if self.context is None else history[-self.context :]
        ids = self.inputs[owner]
        chosen = None if self.candidates is None else self.candidates[owner]
        key = (ids.tobytes(), seen, None if chosen is None else chosen.tobytes())
        if key not in self._memory:
            numbers = [self.seed, len(ids), *ids.tolist(), 7, *(word + 1 for word in seen)]
            random = np.random.default_rng(numbers)
            logits = random.normal(size=self.size) * self.spread
            attention = random.dirichlet(np.full(len(ids), 0.5))
            logits = logits if chosen is None else logits[chosen]
            self._memory[key] = (logits - np.logaddexp.reduce(logits), attention)
        return self._memory[key]

    def select(self, state: FakeState, rows: Ints) -> FakeState:
        return FakeState(state.owner[rows], tuple(state.history[int(row)] for row in rows))
