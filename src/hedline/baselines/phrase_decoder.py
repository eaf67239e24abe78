"""The stack decoder of MOSES+: phrases in any order, words left over deleted.

One stack per number of output words. Each hypothesis is extended by every option that it can take; the promising
extensions are found with an estimate, and only those are put to the language model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array, Doubles
from hedline.baselines.fitting import LanguageModel
from hedline.baselines.phrases import LONGEST
from hedline.baselines.system import Limit
from hedline.ngram.model import NO_ROW
from hedline.text.vocab import END

# The first six are an option's own; the deletions count down from a lead whose words are all deleted.
FEATURES = (
    "forward",  # log p(target phrase | source phrase)
    "backward",  # log p(source phrase | target phrase)
    "lexical_forward",  # the same, word by word
    "lexical_backward",
    "phrases",  # used
    "words",  # written
    "deletions",  # words of the lead that are not covered
    "deletion",  # Σ log p(nothing | word) over them
    "back",  # words gone back between two phrases, as a negative number
    "skip",  # words passed over between two phrases, likewise; those behind the last phrase are not counted
    "language",  # log p(headline)
)
BACK, SKIP, LANGUAGE = (FEATURES.index(name) for name in ("back", "skip", "language"))
MOST_OUTPUT = 22
MOST_SOURCE = 64  # words of a lead; the coverage is one 64-bit number


@dataclass(frozen=True)
class Options:
    """The phrases that a lead offers, fewest output words first.

    start, length: (n,) the covered words; words: (n, LONGEST) output ids, 0 behind the last; count: (n,) output words;
    features: (n, features) all but the last three; bytes, spaces: (n,) bytes and white-space words that the phrase
    adds inside a headline; spaced: (n,) 1 where it begins with a space.
    """

    start: Array
    length: Array
    words: Array
    count: Array
    features: Doubles
    bytes: Array
    spaces: Array
    spaced: Array

    @property
    def masks(self) -> npt.NDArray[np.uint64]:
        """(n,) the covered words as bits."""
        ones = (np.uint64(1) << self.length.astype(np.uint64)) - np.uint64(1)
        return ones << self.start.astype(np.uint64)


class Derivation(NamedTuple):
    """A headline: the options in order, its features and its score."""

    options: tuple[int, ...]
    features: Doubles
    score: float


@dataclass(frozen=True)
class Stack:
    """Hypotheses as parallel arrays, n in each."""

    features: Doubles  # (n, features)
    score: Doubles
    coverage: npt.NDArray[np.uint64]
    end: Array  # where the last phrase ended in the lead
    states: Array  # (n, width) of the language model
    size: Array  # (n, 2) bytes and white-space words
    paths: Array  # (n, MOST_OUTPUT + 1) options so far, -1 behind

    def take(self, rows: Array) -> Stack:
        """Return some of the hypotheses."""
        return Stack(*(column[rows] for column in vars(self).values()))

    def pruned(self, width: int) -> Stack:
        """Keep the best; of those that differ in nothing the future can see, the best one alone."""
        order = np.argsort(-self.score, kind="stable")
        futures = np.column_stack([self.coverage.astype(np.int64), self.end, self.states])[order]
        seen: set[bytes] = set()
        rows = []
        for row, future in zip(order.tolist(), futures, strict=True):
            key = future.tobytes()
            if key not in seen:
                seen.add(key)
                rows.append(row)
                if len(rows) == width:
                    break
        return self.take(np.array(rows, np.int64))


def joined(stacks: list[Stack]) -> Stack:
    """Put the hypotheses of several stacks into one."""
    return Stack(*(np.concatenate(columns) for columns in zip(*(vars(each).values() for each in stacks), strict=True)))


class PhraseDecoder:
    """Searches under one set of weights."""

    def __init__(self, language: LanguageModel, weights: Doubles, width: int = 60, spare: int = 2) -> None:
        """weights: (features,); width: hypotheses kept per stack; spare: how many times as many the model is asked."""
        self.language, self.weights = language, weights
        self.width, self.asked = width, width * spare

    def decode(self, options: Options, deleted: Doubles, limit: Limit, nbest: int = 1) -> list[Derivation]:
        """Return the best headlines, best first; deleted: (features,) of the lead with all its words deleted."""
        estimates = options.features @ self.weights + self.weights[LANGUAGE] * self._inside(options)
        groups = [np.flatnonzero(options.count == count) for count in range(1, LONGEST + 1)]
        pools: list[list[Stack]] = [[] for _ in range(MOST_OUTPUT + 1)]
        pools[0].append(self._start(deleted))
        finished: list[tuple[Stack, Doubles, Doubles]] = []
        for written in range(MOST_OUTPUT + 1):
            if not pools[written]:
                continue
            stack = joined(pools[written]).pruned(self.width)
            pools[written] = []
            if written:
                finished.append(self._ended(stack))
            rows, columns = self._promising(stack, options, estimates, groups, limit)
            if len(rows):
                longer = self._extended(stack.take(rows), options, columns, step=written)
                counts = np.unique(options.count[columns])
                for count in counts[counts <= MOST_OUTPUT - written].tolist():
                    pools[written + count].append(longer.take(np.flatnonzero(options.count[columns] == count)))
        return _best(finished, nbest)

    def _start(self, deleted: Doubles) -> Stack:
        paths = np.full((1, MOST_OUTPUT + 1), -1, np.int32)
        score = np.array([deleted @ self.weights])
        zero = np.zeros(1, np.int64)
        states, size = self.language.begin(), np.zeros((1, 2), np.int64)
        return Stack(deleted[None, :], score, zero.astype(np.uint64), zero, states, size, paths)

    def _inside(self, options: Options) -> Doubles:
        """(n,) log p of each option's words after nothing: what the language model will say, roughly."""
        states = np.full((len(options.count), self.language.width), NO_ROW, np.int64)
        return self._language(states, options.words, options.count)[0]

    def _language(self, states: Array, words: Array, count: Array) -> tuple[Doubles, Array]:
        """Score phrases (n, LONGEST) after histories; returns (n,) log p and the new histories."""
        total, states = np.zeros(len(count)), states.copy()
        for place in range(LONGEST):
            rows = np.flatnonzero(count > place)
            if not len(rows):
                break
            scores, states[rows] = self.language.extend(states[rows], words[rows, place])
            total[rows] += scores
        return total, states

    def _promising(
        self, stack: Stack, options: Options, estimates: Doubles, groups: list[Array], limit: Limit
    ) -> tuple[Array, Array]:
        """Choose (hypothesis, option) pairs: the best by estimate for each number of output words."""
        first = int(stack.size[0, 1] == 0)  # an empty headline stands alone in its stack
        score = stack.score[:, None] + estimates
        gone = stack.end[:, None] - options.start
        score -= np.where(gone > 0, self.weights[BACK], -self.weights[SKIP]) * gone
        barred = (stack.coverage[:, None] & options.masks) != 0
        if limit.bytes is not None:
            barred |= stack.size[:, :1] + options.bytes - first * options.spaced > limit.bytes
        if limit.words is not None:
            barred |= stack.size[:, 1:] + options.spaces + first * (1 - options.spaced) > limit.words
        score[barred] = -np.inf
        rows, columns = [], []
        for group in groups:
            if len(group):
                flat = score[:, group].ravel()
                best = (
                    np.argpartition(-flat, self.asked)[: self.asked] if len(flat) > self.asked else np.arange(len(flat))
                )
                row, column = np.divmod(best[np.isfinite(flat[best])], len(group))
                rows.append(row)
                columns.append(group[column])
        return np.concatenate([*rows, np.empty(0, np.int64)]), np.concatenate([*columns, np.empty(0, np.int64)])

    def _extended(self, parents: Stack, options: Options, chosen: Array, step: int) -> Stack:
        """Append one option to each parent; step: output words of the parents."""
        first = int(step == 0)
        features = parents.features + options.features[chosen]
        gone = parents.end - options.start[chosen]
        features[:, BACK] -= np.maximum(gone, 0)
        features[:, SKIP] += np.minimum(gone, 0)
        scores, states = self._language(parents.states, options.words[chosen], options.count[chosen])
        features[:, LANGUAGE] += scores
        spaced = options.spaced[chosen]
        size = parents.size + np.column_stack([
            options.bytes[chosen] - first * spaced,
            options.spaces[chosen] + first * (1 - spaced),
        ])  # fmt: skip
        paths = parents.paths.copy()
        paths[np.arange(len(chosen)), np.minimum((paths >= 0).sum(axis=1), MOST_OUTPUT)] = chosen
        coverage = parents.coverage | options.masks[chosen]
        end = options.start[chosen] + options.length[chosen]
        return Stack(features, features @ self.weights, coverage, end, states, size, paths)

    def _ended(self, stack: Stack) -> tuple[Stack, Doubles, Doubles]:
        """End every headline of a stack here: the stack, and the features and scores with `</s>`."""
        scores, _ = self.language.extend(stack.states, np.full(len(stack.score), END))
        features = stack.features.copy()
        features[:, LANGUAGE] += scores
        return stack, features, features @ self.weights


def _best(finished: list[tuple[Stack, Doubles, Doubles]], nbest: int) -> list[Derivation]:
    if not finished:
        return []
    scores = np.concatenate([each for _, _, each in finished])
    features = np.concatenate([each for _, each, _ in finished])
    paths = np.concatenate([stack.paths for stack, _, _ in finished])
    found = []
    for row in np.argsort(-scores, kind="stable")[:nbest].tolist():
        path = paths[row]
        found.append(Derivation(tuple(path[path >= 0].tolist()), features[row], float(scores[row])))
    return found
