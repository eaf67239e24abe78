"""Each of Trimmer's rules with its example, and what holds for every headline."""

from __future__ import annotations

import itertools

import pytest
from lead_trees import tree_of, trees

from hedline.baselines import trimmer
from hedline.baselines.trees import Tree


def after(rule: str, beginning: str, number: int = 0) -> str:
    """The main clause of a lead after one rule; number: which of a shortening rule's proposals."""
    tree = tree_of(beginning)
    kept = trimmer.choose_clause(tree)
    found = getattr(trimmer, rule)(tree, kept)
    dropped = found if isinstance(found, frozenset) else list(found)[number]
    return tree.headline(trimmer.without_stray_marks(tree, kept - dropped))


def test_the_lowest_leftmost_clause_is_chosen() -> None:
    tree = tree_of("Rebels agreed")
    assert tree.headline(trimmer.choose_clause(tree)) == "Rebels agreed to talks with government officials"


def test_of_two_sentences_the_first_is_chosen() -> None:
    tree = tree_of("Engineers found")
    assert tree.headline(trimmer.choose_clause(tree)) == "Engineers found a crack"


@pytest.mark.parametrize(
    ("rule", "beginning", "headline"),
    [
        ("determiners", "The council", "Council raised taxes and unions called strike"),
        ("time_expressions", "The northern", "The northern rebels signed a peace deal in the capital"),
        ("time_expressions", "Marta", "Marta Ilves, who won the rally, retired from racing after the crash"),
        ("complementisers", "The minister", "The minister said the talks with the unions had failed"),
        ("asides", "The World Grain", "The World Grain Fund has approved a loan of $40 million"),
        ("auxiliaries", "Three smugglers", "Three smugglers arrested near the old harbour"),
        ("preposed_adjuncts", "In a surprise", "The mayor of Larkhaven closed two bridges over the river"),
        ("attributions", "The city", "The city closed the harbour after a storm"),
        ("clause_modifiers", "Marta", "Marta Ilves retired from racing after the crash"),
        ("clause_modifiers", "The World Grain", "The World Grain Fund has approved a loan of $40 million"),
        ("clause_modifiers", "The head", 'The head of the island\'s fishery said "prices will rise"'),
        ("later_conjuncts", "The firm", "The firm did not sell its wooden toys, lamps or chairs in Norway"),
        ("trailing_phrases", "Rebels", "Rebels agreed to talks"),
        ("modifiers", "Three smugglers", "Three smugglers have been arrested near the harbour"),
    ],
)
def test_a_rule_does_what_its_example_says(rule: str, beginning: str, headline: str) -> None:
    assert after(rule, beginning) == headline


def test_a_negated_verb_keeps_its_auxiliary() -> None:
    assert "did not sell" in after("auxiliaries", "The firm")


def test_the_longest_headline_that_fits_is_kept() -> None:
    """Of the conjuncts that could go, the one whose loss leaves most."""
    tree = tree_of("The firm")
    kept = trimmer.trim(tree, lambda positions: len(tree.headline(positions)) <= 60)
    assert tree.headline(kept) == "Firm did not sell its wooden toys, lamps or chairs in Norway"


@pytest.mark.parametrize("tree", trees(), ids=lambda tree: tree.text[:20])
@pytest.mark.parametrize("most", [20, 40, 60, 200])
def test_a_trimmed_headline_is_part_of_the_lead_and_marks_are_paired(tree: Tree, most: int) -> None:
    kept = trimmer.trim(tree, lambda positions: len(tree.headline(positions)) <= most)
    texts = [tree.words[i].text for i in sorted(kept)]
    assert kept <= set(range(len(tree))) and kept
    assert texts.count("(") == texts.count(")") and texts.count("``") == texts.count("''")
    assert texts[0] not in {",", "."} and texts[-1] not in {",", "."}
    assert not any(left == right == "," for left, right in itertools.pairwise(texts))


def test_rules_not_needed_are_not_used() -> None:
    tree = tree_of("In a surprise")
    kept = trimmer.trim(tree, lambda positions: True)
    assert tree.headline(kept) == "In surprise move, mayor of Larkhaven closed two bridges over river"
