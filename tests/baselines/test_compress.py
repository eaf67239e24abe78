"""COMPRESS: its rules against every deletion of short sentences, the trigrams against the model, limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="integer programs need scipy (the extra `baselines`)")

from lead_trees import FILE, parsed, tree_of, trees

from hedline.baselines.compress import Compress, Sentence, significance, syntax_rules
from hedline.baselines.system import Limit, open_baseline
from hedline.baselines.trees import Tree
from hedline.corpora.sets import EvaluationItem
from hedline.text.tokenize import normalize_word

HEADLINES = [
    "Rebels sign peace deal in capital",
    "Storm closes harbour",
    "Minister says talks failed",
    "Fund approves loan of $40 million",
    "Mayor closes two bridges over river",
    "Smugglers arrested near harbour",
    "Council raises taxes and unions call strike",
]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Compress:
    folder = tmp_path_factory.mktemp("compress")
    data = folder / "pairs.jsonl"
    rows = [{"lead": tree.text, "headline": headline} for tree, headline in zip(parsed(), HEADLINES * 2, strict=False)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows * 3))
    opened = open_baseline(Compress.fit([data], folder / "fitted", {}))
    assert isinstance(opened, Compress)
    opened.parser = str(FILE)
    return opened


def allowed(tree: Tree) -> Iterator[set[str]]:
    """The words of every deletion that the rules allow."""
    sentence = Sentence.of(tree)
    rules = syntax_rules(sentence)
    for size in range(1, len(sentence.positions) + 1):
        for items in combinations(range(len(sentence.positions)), size):
            if all(rule.holds(items) for rule in rules):
                yield {sentence.texts[item] for item in items}


@pytest.mark.parametrize(
    ("beginning", "word", "companions"),
    [
        ("Three smugglers", "Three", {"smugglers"}),  # a modifier needs its head
        ("Three smugglers", "arrested", {"smugglers"}),  # a verb needs its subject
        ("Three smugglers", "near", {"arrested", "harbour"}),  # a preposition needs its head and its object
        ("Three smugglers", "harbour", {"near"}),  # and the object its preposition
        ("The World Grain", "approved", {"Fund", "loan"}),  # a verb needs its object
        ("The World Grain", "$", {"40"}),  # an amount stays whole
    ],
)
def test_a_word_is_never_kept_without_what_it_needs(beginning: str, word: str, companions: set[str]) -> None:
    kept = [words for words in allowed(tree_of(beginning)) if word in words]
    assert kept and all(companions <= words for words in kept)


def test_brackets_go_and_a_verb_stays() -> None:
    for words in allowed(tree_of("The World Grain")):
        assert "WGF" not in words and "approved" in words


def test_a_conjunction_is_kept_exactly_with_both_its_sides() -> None:
    tree = tree_of("The firm did not sell")
    sentence = Sentence.of(tree)
    names = {text: item for item, text in enumerate(sentence.texts)}
    rules = [
        rule for rule in syntax_rules(sentence) if set(rule.weights) <= {names[w] for w in ("lamps", "or", "chairs")}
    ]
    assert rules
    for size in range(4):
        for kept in combinations([names[w] for w in ("lamps", "or", "chairs")], size):
            sides = names["lamps"] in kept and names["chairs"] in kept
            if all(rule.holds(kept) for rule in rules):
                assert (names["or"] in kept) == sides


def test_a_negation_goes_only_with_its_verb() -> None:
    sentence = Sentence.of(tree_of("The firm did not sell"))
    neg, verb = sentence.texts.index("not"), sentence.texts.index("sell")
    rules = [rule for rule in syntax_rules(sentence) if set(rule.weights) == {neg, verb}]
    assert not all(rule.holds([verb]) for rule in rules) and not all(rule.holds([neg]) for rule in rules)


def test_significance_is_the_papers_formula() -> None:
    tree = tree_of("The minister said")
    sentence = Sentence.of(tree)
    found = significance(sentence, np.full(len(sentence.positions), 0.01), Counter(talks=3))
    scores = dict(zip(sentence.texts, found.tolist(), strict=True))
    assert scores["talks"] == pytest.approx(2 / 2 * 3 * np.log(100))  # in the second clause of two
    assert scores["minister"] == pytest.approx(1 / 2 * 1 * np.log(100))
    assert scores["with"] == scores["the"] == 0


def test_trigram_scores_sum_to_the_models_own(system: Compress) -> None:
    tree = tree_of("Three smugglers")
    sentence = Sentence.of(tree)
    program, _ = system.program(sentence, Limit(bytes=75))
    table = {tuple(edge): score for edge, score in zip(program.chain.edges.tolist(), program.chain.scores, strict=True)}
    for items in [(1, 4), (0, 1, 4, 5, 7), (8,)]:
        places = [0, 0, *(item + 1 for item in items), len(sentence.positions) + 1]
        total = sum(table[step] for step in zip(places, places[1:], places[2:], strict=False))
        words = [normalize_word(sentence.texts[item]) for item in items]
        assert total == pytest.approx(system.language.model.score(words).sum() * np.log(10), abs=1e-4)


def test_sizes_are_the_bytes_of_the_printed_words(system: Compress) -> None:
    tree = tree_of("The World Grain")
    sentence = Sentence.of(tree)
    program, _ = system.program(sentence, Limit(bytes=75))
    table = {tuple(edge): size for edge, size in zip(program.chain.edges.tolist(), program.chain.sizes, strict=True)}
    items = range(len(sentence.positions) - 6, len(sentence.positions))
    places = [0, 0, *(item + 1 for item in items), len(sentence.positions) + 1]
    total = sum(table[step] for step in zip(places, places[1:], places[2:], strict=False))
    assert total == len(tree.headline(sentence.positions[item] for item in items).encode())


@pytest.mark.parametrize("tree", trees(), ids=lambda tree: tree.text[:20])
def test_every_rule_holds_on_real_output(system: Compress, tree: Tree) -> None:
    kept = system.compress(tree, Limit(bytes=60))
    assert kept
    sentence = Sentence.of(tree)
    assert all(rule.holds(sentence.items(kept)) for rule in syntax_rules(sentence))
    assert len(tree.headline(kept).encode()) <= 60


@pytest.mark.parametrize("limit", [Limit(), Limit(bytes=75), Limit(bytes=25), Limit(words=6), Limit(bytes=40, words=5)])
def test_limits_hold_on_every_output(system: Compress, limit: Limit) -> None:
    items = [EvaluationItem(str(number), tree.text, ()) for number, tree in enumerate(parsed())]
    found = system.headlines(items, limit)
    assert len(found) == len(items) and all(found)
    assert all((limit if limit != Limit() else Limit(bytes=75)).fits(text) for text in found)


def test_a_lead_of_marks_alone_gets_an_answer(system: Compress) -> None:
    assert system.headline(Tree("...", ()), Limit(bytes=75)) == "..."


def test_a_fitted_folder_holds_no_pickle(system: Compress, tmp_path: Path) -> None:
    assert system.lead_counts.sum() > 0 and system.language.model.order == 3
