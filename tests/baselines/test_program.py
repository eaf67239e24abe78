"""Integer programs against enumeration of all subsets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hedline.baselines.program import Chain, PathProgram, Rule, chain_edges, choose, needs, never, some_of, together

pytest.importorskip("scipy", reason="integer programs need scipy (the extra `baselines`)")


def random_rules(rng: np.random.Generator, count: int) -> list[Rule]:
    """A few rules of every kind."""
    pairs = rng.integers(0, count, (3, 2)).tolist()
    rules = [needs(*pairs[0]), together(*pairs[1]), never(int(rng.integers(count))), some_of(sorted({*pairs[2]}))]
    return [rule for rule in rules if rng.random() < 0.7]


def subsets(count: int) -> list[tuple[int, ...]]:
    return [each for size in range(count + 1) for each in combinations(range(count), size)]


@pytest.mark.parametrize("seed", range(30))
def test_the_chosen_set_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    scores, sizes = rng.normal(size=count), rng.integers(1, 9, count)
    rules = [*random_rules(rng, count), Rule(dict(enumerate(sizes.tolist())), 3, 15)]
    allowed = [each for each in subsets(count) if all(rule.holds(each) for rule in rules)]
    found = choose(scores.tolist(), rules)
    if not allowed:
        assert found is None
    else:
        assert found is not None and all(rule.holds(found) for rule in rules)
        assert scores[found].sum() == pytest.approx(max(scores[list(each)].sum() for each in allowed))


@pytest.mark.parametrize("seed", range(40))
def test_the_chosen_path_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    count = int(rng.integers(1, 8))
    trigrams = rng.normal(size=(count + 2,) * 3)
    sizes = rng.integers(1, 9, (count + 2, count + 2)).astype(float)
    sizes[:, -1] = 0
    edges = chain_edges(count)
    chain = Chain(count, edges, trigrams[tuple(edges.T)], sizes[edges[:, 1], edges[:, 2]])
    words, rules = rng.normal(size=count), random_rules(rng, count)

    def value(chosen: tuple[int, ...]) -> tuple[float, float]:
        places = [0, 0, *(word + 1 for word in chosen), count + 1]
        steps = list(zip(places, places[1:], places[2:], strict=False))
        return sum(trigrams[step] for step in steps) + words[list(chosen)].sum(), sum(sizes[j, k] for _, j, k in steps)

    allowed = {}
    for each in subsets(count)[1:]:
        score, size = value(each)
        if 3 <= size <= 18 and all(rule.holds(each) for rule in rules):
            allowed[each] = score
    found = PathProgram(chain, words, rules).solve(3, 18)
    if not allowed:
        assert found is None
    else:
        assert found is not None and tuple(found) in allowed
        assert allowed[tuple(found)] == pytest.approx(max(allowed.values()))


def test_a_gap_limits_how_many_words_are_left_out() -> None:
    edges = {tuple(edge) for edge in chain_edges(4, gap=1).tolist()}
    assert (1, 3, 4) in edges and (1, 4, 5) not in edges and (0, 4, 5) in edges and (0, 1, 5) in edges
    assert len(chain_edges(4)) == 4 + 20


def test_a_rule_with_one_word_on_both_sides_says_nothing() -> None:
    assert needs(2, 2).holds([]) and together(2, 2).holds([2])


def test_no_time_gives_nothing_or_something_allowed() -> None:
    rng = np.random.default_rng(5)
    edges = chain_edges(14)
    chain = Chain(14, edges, rng.normal(size=len(edges)), np.ones(len(edges)) * (edges[:, 2] <= 14))
    found = PathProgram(chain, np.zeros(14), [], seconds=1e-3).solve(4, 6)
    assert found is None or 4 <= len(found) <= 6
