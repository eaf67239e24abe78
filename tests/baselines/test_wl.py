"""W&L: the program against every subset of its items, each rewrite rule in a headline, limits, fitting."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="integer programs need scipy (the extra `baselines`)")

from lead_trees import FILE, parsed, tree_of, trees

from hedline.baselines.program import Rule
from hedline.baselines.rewrites import Rewrites
from hedline.baselines.salience import Salience, WordChances
from hedline.baselines.system import Limit, open_baseline
from hedline.baselines.trees import NO_HEAD, Tree, Word
from hedline.baselines.wl import Phrases, WoodsendLapata
from hedline.corpora.sets import EvaluationItem

RULES = Rewrites(
    {
        ("lift", "ccomp"): {"": 0.8},
        ("lift", "conj"): {"": 0.5},
        ("front", "of"): {"bare": 0.6},
        ("replace", "aux", "will"): {"to": 0.7},
        ("inflect", "VBD", "signed"): {"sign": 0.9},
    }
)


@pytest.fixture
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedline.baselines.wl.FLOORS", (0.0,))


def wanted(tree: Tree, *words: str) -> list[float]:
    """Log odds that want just these words."""
    return [3.0 if word.text in words else -3.0 for word in tree.words]


def headline(beginning: str, *words: str, rules: Rewrites = RULES) -> str | None:
    """The headline of a lead whose other words are not wanted, however short."""
    tree = tree_of(beginning)
    return Phrases(tree, wanted(tree, *words), rules, 0.0).solve(Limit(bytes=75))


@pytest.mark.usefixtures("no_floor")
def test_a_clause_is_lifted_out_of_the_verb_of_saying() -> None:
    words = ("talks", "failed")
    assert headline("The minister said", *words) == "Talks failed"
    assert headline("The minister said", *words, rules=Rewrites()) == "Minister said talks failed"


@pytest.mark.usefixtures("no_floor")
def test_the_object_of_a_preposition_moves_in_front_of_its_noun() -> None:
    words = ("mayor", "Larkhaven", "closed", "bridges")
    assert headline("In a surprise", *words) == "Larkhaven mayor closed bridges"
    assert headline("In a surprise", *words, "of", rules=Rewrites()) == "Mayor of Larkhaven closed bridges"


@pytest.mark.usefixtures("no_floor")
def test_a_word_is_replaced() -> None:
    assert headline("Finance Minister", "Ana", "Duarte", "visit", "Brazil") == "Ana Duarte to visit Brazil"


@pytest.mark.usefixtures("no_floor")
def test_a_verb_takes_the_form_of_headlines() -> None:
    assert headline("The northern", "rebels", "signed", "peace", "deal") == "Rebels sign peace deal"


@pytest.mark.parametrize("seed", range(6))
def test_the_program_finds_the_best_of_all_subsets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = tree_of(("Three smugglers", "The minister said")[seed % 2])
    phrases = Phrases(tree, rng.normal(size=len(tree)).tolist(), RULES, 0.3)
    sizes, scores = phrases.choice.sizes, np.array(phrases.choice.scores)
    rules = [*phrases.rules, Rule(dict(enumerate(map(float, sizes))), 0, 41)]
    best = max(
        (
            scores[list(items)].sum()
            for size in range(len(sizes) + 1)
            for items in combinations(range(len(sizes)), size)
            if all(rule.holds(items) for rule in rules)
        ),
    )
    from hedline.baselines.program import choose

    found = choose(phrases.choice.scores, rules)
    assert found is not None and all(rule.holds(found) for rule in rules)
    assert scores[found].sum() == pytest.approx(best)


@pytest.mark.parametrize("tree", trees(), ids=lambda tree: tree.text[:20])
@pytest.mark.parametrize("limit", [Limit(bytes=75), Limit(bytes=35), Limit(words=5)])
def test_limits_hold_and_negations_stay(tree: Tree, limit: Limit) -> None:
    text = Phrases(tree, [0.5] * len(tree), RULES).solve(limit)
    assert text is None or limit.fits(text)
    if text and "sell" in text.split():
        assert "not" in text.split()


def test_a_fitted_folder_writes_headlines_within_limits(tmp_path: Path) -> None:
    data = tmp_path / "pairs.jsonl"
    texts = [tree.text for tree in parsed()]
    data.write_text("".join(json.dumps({"lead": text, "headline": texts[0]}) + "\n" for text in texts + texts))
    options = {"sample": len(texts), "limit": 2 * len(texts), "parser": str(FILE)}
    opened = open_baseline(WoodsendLapata.fit([data], tmp_path / "wl", options))
    assert isinstance(opened, WoodsendLapata)
    opened.parser = str(FILE)
    found = opened.headlines([EvaluationItem(str(n), text, ()) for n, text in enumerate(texts)], Limit(bytes=50))
    assert len(found) == len(texts) and all(found)
    assert all(Limit(bytes=50).fits(text) for text in found)
    assert not (tmp_path / "wl" / "work").exists()


@pytest.mark.parametrize(("marks", "written"), [("", "Storm over"), ("⚠ ", "Storm over"), ("⚠ … ", "Storm over")])
def test_a_sentence_of_marks_is_passed_over(marks: str, written: str) -> None:
    """A lead that begins with a sign: the parser makes a sentence of it that holds no word."""
    storm = tree_of("Storm over")
    signs = [
        Word(text, text, "PUNCT", ":", NO_HEAD, "ROOT", start, start + 1)
        for start, text in enumerate(marks)
        if text.strip()
    ]
    words = [
        replace(
            word,
            head=word.head + len(signs) if word.head != NO_HEAD else NO_HEAD,
            start=word.start + len(marks),
            end=word.end + len(marks),
        )
        for word in storm.words
    ]
    tree = Tree(marks + storm.text, (*signs, *words))
    assert tree.main_sentence() == list(range(len(signs), len(tree.words)))
    system = WoodsendLapata(Salience(WordChances({}), (), np.ones(1)), RULES)
    assert system.headline(tree, Limit(bytes=40)).startswith(written)
    only = Tree(marks, tuple(signs))
    assert only.main_sentence() == [] and system.headline(only, Limit(bytes=40)) == marks.strip()
