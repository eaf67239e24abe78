"""How likely a lead's words are to stand in its headline: counted for single words, learnt for words in a parse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Doubles
from hedline.baselines.fitting import load_array, save_array
from hedline.baselines.trees import Tree, Word
from hedline.corpora.pairs import Pair
from hedline.errors import UserError
from hedline.files import read_entries, write_text
from hedline.metrics.tokens import STEMMER
from hedline.text.tokenize import normalize, normalize_word

PRIOR_LEADS = 5.0  # how many leads the part of speech's chance weighs against a word's own counts
PRIOR_CHANCE = {"PROPN": 0.5, "NOUN": 0.3, "NUM": 0.3, "VERB": 0.25, "ADJ": 0.2}
OTHER_CHANCE = 0.1
RARE = 8  # a feature seen on fewer words of the sample is left out
STRENGTH = 3.0  # of the pull towards zero


@dataclass(frozen=True)
class WordChances:
    """For words (normalised): in how many leads they stood, and in how many of those leads' headlines too."""

    counts: Mapping[str, tuple[int, int]]

    @classmethod
    def count(cls, pairs: Iterable[Pair], fewest: int = 2) -> WordChances:
        """Count training pairs; fewest: words in fewer leads are left to their part of speech."""
        leads: Counter[str] = Counter()
        both: Counter[str] = Counter()
        for pair in pairs:
            words = set(normalize(pair.lead))
            leads.update(words)
            both.update(words.intersection(normalize(pair.headline)))
        return cls({word: (count, both[word]) for word, count in leads.items() if count >= fewest})

    def chance(self, word: Word) -> float:
        """P(in the headline | in the lead), from the word's counts and its part of speech."""
        leads, both = self.counts.get(normalize_word(word.text), (0, 0))
        prior = PRIOR_CHANCE.get(word.pos, OTHER_CHANCE)
        return (both + PRIOR_LEADS * prior) / (leads + PRIOR_LEADS)

    def save(self, folder: Path) -> None:
        """Write `chances.txt` (one word per line) and `chances.npy` (words, 2)."""
        words = sorted(self.counts)
        write_text(folder / "chances.txt", "".join(f"{word}\n" for word in words))
        save_array(folder / "chances.npy", np.array([self.counts[word] for word in words], np.int64).reshape(-1, 2))

    @classmethod
    def load(cls, folder: Path) -> WordChances:
        """Read what `save` wrote."""
        counts: NDArray[np.int64] = load_array(folder / "chances.npy")
        try:
            words = read_entries(folder / "chances.txt")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{folder}/chances.txt cannot be read ({error}); fit the baseline again") from None
        if len(words) != len(counts):
            raise UserError(f"{folder}: chances.txt and chances.npy differ in length; fit the baseline again")
        return cls({word: (int(leads), int(both)) for word, (leads, both) in zip(words, counts, strict=True)})


@dataclass(frozen=True)
class Salience:
    """A logistic regression over what a parse says about a word: P(a headline takes it), as log odds."""

    chances: WordChances
    features: Sequence[str]
    weights: Doubles  # (features,), the bias last

    @cached_property
    def table(self) -> dict[str, float]:
        """Each feature's weight."""
        return dict(zip(self.features, self.weights.tolist(), strict=False))

    def scores(self, tree: Tree) -> list[float]:
        """The log odds of each of the tree's words."""
        bias, table = float(self.weights[-1]), self.table
        return [bias + sum(table.get(name, 0.0) for name in names) for names in word_features(tree, self.chances)]

    @classmethod
    def learn(cls, chances: WordChances, trees: Sequence[Tree], headlines: Sequence[str]) -> Salience:
        """Fit the weights; a word counts as taken when its headline has it, in any form with the same stem."""
        rows: list[list[str]] = []
        taken: list[bool] = []
        for tree, headline in zip(trees, headlines, strict=True):
            stems = set(map(stem_word, normalize(headline)))
            for names, word in zip(word_features(tree, chances), tree.words, strict=True):
                if not word.is_punctuation:
                    rows.append(names)
                    taken.append(stem_word(normalize_word(word.text)) in stems)
        counts = Counter(name for names in rows for name in names)
        features = sorted(name for name, count in counts.items() if count >= RARE)
        return cls(chances, features, _fit_weights(rows, np.array(taken, float), features))

    def save(self, folder: Path) -> None:
        """Write `salience.txt` (one feature per line), `salience.npy` and the word chances."""
        self.chances.save(folder)
        write_text(folder / "salience.txt", "".join(f"{name}\n" for name in self.features))
        save_array(folder / "salience.npy", self.weights)

    @classmethod
    def load(cls, folder: Path) -> Salience:
        """Read what `save` wrote."""
        weights = load_array(folder / "salience.npy")
        try:
            features = read_entries(folder / "salience.txt")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{folder}/salience.txt cannot be read ({error}); fit the baseline again") from None
        if len(weights) != len(features) + 1:
            raise UserError(f"{folder}: salience.txt and salience.npy differ in length; fit the baseline again")
        return cls(WordChances.load(folder), features, weights)


def stem_word(word: str) -> str:
    """The stem of a normalised word as ROUGE sees it; names with accents and numbers stay as they are.

    >>> stem_word("arrested"), stem_word("said"), stem_word("#,###")
    ('arrest', 'say', '#,###')
    """
    return STEMMER[word] if word.isascii() and word.isalpha() else word


def word_features(tree: Tree, chances: WordChances) -> list[list[str]]:
    """Names of the features that hold, for each word: its tags, its place in the tree and the text, its chance."""
    counts = Counter(normalize_word(word.text) for word in tree.words)
    sentence = np.searchsorted([max(tree.below(root)) for root in tree.roots], np.arange(len(tree)))
    found = []
    for position, word in enumerate(tree.words):
        above = [tree.words[each] for each in tree.above(position)]
        path = [word.relation, *(each.relation for each in above)]
        chance = chances.chance(word)
        found.append(
            [
                f"relation={word.relation}",
                f"tag={word.tag}",
                f"tag,relation={word.tag},{word.relation}",
                f"path={'<'.join(path[:3])}",
                f"long path={'<'.join(path[:5])}",
                f"head={above[0].lemma.lower() if above else ''},{word.relation}",
                f"head tag={above[0].tag if above else ''},{word.relation}",
                f"entity={word.entity}",
                f"entity,relation={word.entity_kind},{word.relation}",
                f"depth={min(len(above), 8)}",
                f"place={min(position, 12)}",
                f"part={10 * position // len(tree)}",
                f"sentence={min(int(sentence[position]), 2)}",
                f"words={min(len(tree) // 5, 10)}",
                f"chance={round(float(np.log(chance / (1 - chance))) * 2)}",
                f"chance,pos={round(float(np.log(chance / (1 - chance))) * 2)},{word.pos}",
                f"chance,part={round(float(np.log(chance / (1 - chance))))},{5 * position // len(tree)}",
                f"repeated={min(counts[normalize_word(word.text)], 3)},{word.pos}",
                f"word={normalize_word(word.text)}",
                *(f"inside={relation}" for relation in sorted(set(path[1:]))),
            ]
        )
    return found


def _fit_weights(rows: Sequence[Sequence[str]], taken: Doubles, features: Sequence[str]) -> Doubles:
    """(features + 1,) weights of the regression with a pull to zero, the bias last and free of it."""
    from scipy.optimize import minimize
    from scipy.sparse import csr_array

    ids = {name: number for number, name in enumerate(features)}
    columns = [[ids[name] for name in names if name in ids] + [len(ids)] for names in rows]
    ends = np.cumsum([0, *map(len, columns)])
    flat = np.fromiter((column for row in columns for column in row), np.int32, int(ends[-1]))
    matrix: Any = csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(rows), len(ids) + 1))
    pull = np.full(len(ids) + 1, STRENGTH)
    pull[-1] = 0.0

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        odds = matrix @ weights
        value = np.logaddexp(0, odds).sum() - odds @ taken + pull @ weights**2 / 2
        return float(value), matrix.T @ (1 / (1 + np.exp(-odds)) - taken) + pull * weights

    found = minimize(loss, np.zeros(len(ids) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 120})
    return np.asarray(found.x, float)
