"""The noisy channel: its search against brute force, its models against counting by hand, its limits."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines.banko import Banko, Choices, content_probabilities, length_probabilities, search
from hedline.baselines.fitting import Corpus, Texts
from hedline.baselines.system import Limit, open_baseline
from hedline.corpora.sets import EvaluationItem


def random_choices(m: int, rng: np.random.Generator) -> Choices:
    draw = lambda *shape: -rng.random(shape) * 4  # noqa: E731
    sizes = rng.integers(1, 9, (m + 1, m))
    return Choices(draw(m), draw(m), draw(m), draw(m, m), sizes, np.ones((m + 1, m), np.int64))


def brute_force(choices: Choices, lengths: np.ndarray, weights: np.ndarray, limit: Limit) -> tuple[float, tuple]:
    m, best = len(choices.content), (-np.inf, ())
    for n in range(1, min(m, len(lengths) - 1) + 1):
        for path in permutations(range(m), n):
            size = choices.bytes[m, path[0]] + sum(choices.bytes[a, b] for a, b in pairwise(path))
            if (limit.bytes and size > limit.bytes) or (limit.words and n > limit.words):
                continue
            content = sum(choices.content[i] for i in path)
            order = choices.first[path[0]] + choices.last[path[-1]]
            order += sum(choices.follows[a, b] for a, b in pairwise(path))
            score = float(weights @ np.array([content, order, lengths[n]]))
            best = max(best, (score, path), key=lambda each: each[0])
    return best


@pytest.mark.parametrize("seed", range(12))
def test_the_search_is_exhaustive_on_short_leads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices, lengths = random_choices(5, rng), np.log(rng.random(5))
    weights = rng.random(3) * np.array([1.0, 1.0, 20.0])
    for limit in (Limit(), Limit(bytes=14), Limit(words=2)):
        score, path = brute_force(choices, lengths, weights, limit)
        found = search(choices, lengths, weights, limit, beam=10_000, nbest=3)
        assert found[0].indices == path
        assert found[0].score == pytest.approx(score)
        assert found[0].score == pytest.approx(float(weights @ found[0].features))
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_probabilities_are_counted_by_pair() -> None:
    leads = Texts(np.array([4, 5, 4, 5, 6, 4], np.int32), np.array([0, 3, 5, 6]))
    headlines = Texts(np.array([4, 4, 7, 6, 5], np.int32), np.array([0, 3, 4, 5]))
    corpus = Corpus(["<pad>", "<unk>", "<s>", "</s>", "a", "b", "c", "d"], leads, headlines)
    found = content_probabilities(corpus)
    # Word 4 stands in leads 0 and 2 and in headline 0; word 5 in leads 0 and 1 alone; word 6 in lead 1, headline 1.
    mean = 2 / 5
    expected = [(1 + 5 * mean) / 7, (0 + 5 * mean) / 7, (1 + 5 * mean) / 6, mean]
    assert found[4:].tolist() == pytest.approx(expected)
    assert length_probabilities(headlines.lengths)[[1, 3]].tolist() == pytest.approx([2.5 / 18, 1.5 / 18])


def test_fitted_it_keeps_every_limit_and_uses_the_leads_words(tmp_path: Path) -> None:
    valid = write_pairs(tmp_path / "valid.jsonl", 6, seed=9)
    options = {"tune": [valid], "tune_limit": 6}
    folder = Banko.fit([write_pairs(tmp_path / "pairs.jsonl", 300)], tmp_path / "banko", options)
    system = open_baseline(folder)
    assert set(system.weights) == {"gigaword", "duc"}
    items = [EvaluationItem(str(i), lead, ()) for i, (lead, _) in enumerate(pairs(12, seed=5))]
    items.append(EvaluationItem("blank", "   ", ()))
    for limit in (Limit(), Limit(bytes=30), Limit(words=3), Limit(bytes=9, words=1)):
        for item, headline in zip(items, system.headlines(items, limit), strict=True):
            assert limit.fits(headline)
            assert set(headline.lower().replace(",", "").split()) <= set(item.lead.lower().replace(",", "").split())
    assert system.headlines(items[-1:], Limit()) == [""]
