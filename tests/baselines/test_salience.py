"""Chances of words counted from pairs, and the regression over what a parse says about a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lead_trees import tree_of, trees

from hedline.baselines.salience import STRENGTH, Salience, WordChances, stem_word, word_features
from hedline.corpora.pairs import Pair
from hedline.text.tokenize import normalize, normalize_word


def test_word_chances_are_counts_of_pairs() -> None:
    pairs = [Pair("Boats sank in the storm", "Storm sinks boats"), Pair("The boats left", "Ships leave")]
    assert WordChances.count(pairs, fewest=1).counts["boats"] == (2, 1)
    assert WordChances.count(pairs, fewest=1).counts["the"] == (2, 0)
    assert set(WordChances.count(pairs, fewest=2).counts) == {"boats", "the"}


def test_a_rare_word_has_the_chance_of_its_part_of_speech() -> None:
    name = next(word for word in tree_of("Marta").words if word.text == "Ilves")
    assert WordChances({}).chance(name) == pytest.approx(0.5)
    assert WordChances({"ilves": (95, 0)}).chance(name) == pytest.approx(0.025)


def test_features_name_the_place_in_the_tree() -> None:
    tree = tree_of("Three smugglers")
    names = word_features(tree, WordChances({}))[1]
    assert "relation=nsubjpass" in names and "depth=1" in names and "word=smugglers" in names


def test_salience_learns_which_words_headlines_take(tmp_path: Path) -> None:
    """Subjects and roots are always taken, all else never: the learnt odds must say so."""
    pytest.importorskip("scipy", reason="the regression needs scipy (the extra `baselines`)")
    sample = list(trees()) * 4
    taken = [" ".join(w.text for w in tree.words if w.relation in {"nsubj", "nsubjpass", "ROOT"}) for tree in sample]
    salience = Salience.learn(WordChances({}), sample, taken)
    tree = tree_of("The council")
    odds = dict(zip((word.text for word in tree.words), salience.scores(tree), strict=True))
    assert min(odds["council"], odds["raised"]) > 0 > max(odds["taxes"], odds["strike"], odds["The"])
    salience.save(tmp_path)
    assert Salience.load(tmp_path).scores(tree) == pytest.approx(salience.scores(tree))


def test_the_regression_is_at_its_optimum() -> None:
    """For each feature the pull to zero balances what the words it holds for still miss, summed word by word."""
    pytest.importorskip("scipy", reason="the regression needs scipy (the extra `baselines`)")
    sample = list(trees())[:6] * 3
    salience = Salience.learn(WordChances({}), sample, [tree.text.split()[-3] for tree in sample])
    missed = dict.fromkeys(salience.features, 0.0)
    for tree in sample:
        taken = stem_word(normalize(tree.text.split()[-3])[0])
        odds = zip(tree.words, word_features(tree, WordChances({})), salience.scores(tree), strict=True)
        for word, names, score in odds:
            if not word.is_punctuation:
                error = 1 / (1 + np.exp(-score)) - (stem_word(normalize_word(word.text)) == taken)
                missed |= {name: missed[name] + error for name in names if name in missed}
    balance = [missed[name] + STRENGTH * salience.table[name] for name in salience.features]
    assert np.abs(list(missed.values())).max() > 0.1 > np.abs(balance).max()
