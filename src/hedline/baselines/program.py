"""Integer programs over the words of a sentence, solved by HiGHS through `scipy.optimize.milp`.

`choose` picks the best set of items under linear rules. `choose_path` also scores how the chosen words follow one
another: a unit of flow runs through *bigram states* (i, j), "word j follows word i", along edges (i, j, k) that
carry a trigram's score. Only the words are integral: once each word is in or out, one path is left for the flow.
With integral edges the solver does not finish.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hedline.arrays import Doubles, Ints

INFINITE = float("inf")
SECONDS = 5.0  # most for one program; the best found so far is taken then
NEAR = 0.5  # values come back as near-integers


@dataclass(frozen=True)
class Rule:
    """low ≤ Σ weight · chosen ≤ high, over the items named."""

    weights: Mapping[int, float]
    low: float = -INFINITE
    high: float = INFINITE

    def holds(self, chosen: Sequence[int] | frozenset[int]) -> bool:
        """Tell whether a set of items keeps the rule."""
        found = set(chosen)
        total = sum(weight for item, weight in self.weights.items() if item in found)
        return self.low - 1e-6 <= total <= self.high + 1e-6


def needs(item: int, other: int) -> Rule:
    """An item is chosen only together with another."""
    return Rule({item: 1.0, other: -1.0}, high=0.0) if item != other else Rule({})


def together(item: int, other: int) -> Rule:
    """Both or none."""
    return Rule({item: 1.0, other: -1.0}, 0.0, 0.0) if item != other else Rule({})


def some_of(items: Sequence[int], least: float = 1.0) -> Rule:
    """At least one of the items (or another number)."""
    return Rule(dict.fromkeys(items, 1.0), low=least)


def never(item: int) -> Rule:
    """An item that may not be chosen."""
    return Rule({item: 1.0}, high=0.0)


def choose(scores: Sequence[float], rules: Sequence[Rule], seconds: float = SECONDS) -> list[int] | None:
    """The set of items with the highest sum of scores that keeps the rules; None when there is none (in time)."""
    count = len(scores)
    matrix, low, high = _rows(rules, count)
    values = _solve(np.asarray(scores, float), matrix, low, high, count, seconds)
    return None if values is None else np.flatnonzero(values > NEAR).tolist()


@dataclass(frozen=True)
class Chain:
    """How words may follow one another. Places: 0 is the beginning, 1 … n the words, n + 1 the end.

    edges: (e, 3) places i < j < k; the first word's edges have i = j = 0. scores: (e,) each edge's score;
    sizes: (e,) what its last word adds to the length, 0 for the end's.
    """

    count: int
    edges: Ints
    scores: Doubles
    sizes: Doubles


def chain_edges(count: int, gap: int | None = None) -> Ints:
    """(e, 3) all edges over `count` words; gap: most words left out between two that follow each other."""
    end, most = count + 1, count if gap is None else gap
    first = [(0, 0, k) for k in range(1, end)]
    inner = [
        (i, j, k)
        for i in range(end)
        for j in range(i + 1, end)
        for k in range(j + 1, end + 1)
        if (i == 0 or j - i - 1 <= most) and (k == end or k - j - 1 <= most)
    ]
    return np.array(first + inner, np.int64).reshape(-1, 3)


@dataclass
class PathProgram:
    """The program of one sentence: flow rows built once, solved under several length limits.

    word_scores: (n,) added for each chosen word; rules: over words numbered from 0.
    """

    chain: Chain
    word_scores: Doubles
    rules: Sequence[Rule]
    seconds: float = SECONDS
    _parts: tuple[Any, Doubles, Doubles] = field(init=False)

    def __post_init__(self) -> None:
        self._parts = self._flow()

    def solve(self, least: float, most: float) -> list[int] | None:
        """The best words whose sizes sum to between `least` and `most`; None when there are none (in time)."""
        from scipy.sparse import csr_array, vstack

        n = self.chain.count
        sizes = csr_array(np.concatenate([np.zeros(n), self.chain.sizes])[None])
        matrix, low, high = self._parts
        scores = np.concatenate([self.word_scores, self.chain.scores])
        values = _solve(scores, vstack([matrix, sizes]), np.append(low, least), np.append(high, most), n, self.seconds)
        return None if values is None else np.flatnonzero(values[:n] > NEAR).tolist()

    def _flow(self) -> tuple[Any, Doubles, Doubles]:
        """Rows over words and edges: flow out of each state equals flow in, a word is the flow into it, one path."""
        from scipy.sparse import coo_array, vstack

        n, edges = self.chain.count, self.chain.edges
        states, where = np.unique(np.concatenate([edges[:, :2], edges[:, 1:]]), axis=0, return_inverse=True)
        leaves, enters = np.split(where.reshape(-1), 2)
        columns = n + np.arange(len(edges))
        inner = edges[:, 2] <= n
        begins = edges[:, 1] == 0
        rows = len(states)
        row = np.concatenate([leaves[~begins], enters[inner], rows + edges[inner, 2] - 1, rows + np.arange(n)])
        column = np.concatenate([columns[~begins], columns[inner], columns[inner], np.arange(n)])
        value = np.concatenate([np.ones((~begins).sum()), -np.ones(inner.sum()), np.ones(inner.sum()), -np.ones(n)])
        start = rows + n
        row = np.concatenate([row, np.full(begins.sum(), start)])
        column, value = np.concatenate([column, columns[begins]]), np.concatenate([value, np.ones(begins.sum())])
        flow = coo_array((value, (row, column)), shape=(rows + n + 1, n + len(edges))).tocsr()
        bounds = np.zeros(rows + n + 1)
        bounds[start] = 1.0
        matrix, low, high = _rows(self.rules, n + len(edges))
        return vstack([flow, matrix]).tocsr(), np.concatenate([bounds, low]), np.concatenate([bounds, high])


def _rows(rules: Sequence[Rule], width: int) -> tuple[Any, Doubles, Doubles]:
    """The rules as a sparse matrix (rules, width) with lower and upper bounds."""
    from scipy.sparse import coo_array

    cells = [(row, item, weight) for row, rule in enumerate(rules) for item, weight in rule.weights.items()]
    row, column, value = (np.array(part) for part in zip(*cells, strict=True)) if cells else (np.zeros(0, int),) * 3
    matrix = coo_array((value, (row, column)), shape=(len(rules), width)).tocsr()
    return matrix, np.array([rule.low for rule in rules]), np.array([rule.high for rule in rules])


def _solve(scores: Doubles, matrix: Any, low: Doubles, high: Doubles, integral: int, seconds: float) -> Doubles | None:
    """Maximise scores · x with 0 ≤ x ≤ 1 and low ≤ matrix · x ≤ high; the first `integral` of x are whole."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    whole = np.zeros(len(scores))
    whole[:integral] = 1
    found = milp(
        -scores,
        integrality=whole,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, low, high) if matrix.shape[0] else None,
        options={"time_limit": seconds, "mip_rel_gap": 1e-6},
    )
    return None if found.x is None else np.asarray(found.x, float)
