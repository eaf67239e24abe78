"""Phrase extraction against NLTK's, and the aligner on words it cannot miss."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.baselines.fitting import Texts
from hedline.baselines.phrases import align, extract

LONGEST = 4


def random_sentences(count: int, rng: np.random.Generator) -> tuple[Texts, Texts, np.ndarray]:
    """Leads, headlines and random links between them."""
    sides = []
    for _ in range(2):
        lengths = rng.integers(1, 8, count)
        sides.append(Texts(np.arange(lengths.sum(), dtype=np.int32), np.concatenate([[0], np.cumsum(lengths)])))
    links = [
        (number, int(i), int(j))
        for number in range(count)
        for i in range(sides[0].lengths[number])
        for j in range(sides[1].lengths[number])
        if rng.random() < 0.18
    ]
    return sides[0], sides[1], np.array(links, np.int32).reshape(-1, 3)


def found_by_nltk(leads: Texts, headlines: Texts, links: np.ndarray) -> set[tuple[int, ...]]:
    """All phrase pairs of up to LONGEST words, as NLTK finds them, in flat places."""
    nltk = pytest.importorskip("nltk.translate.phrase_based", reason="NLTK is the oracle; pip install 'hedline[dev]'")
    found = set()
    for number in range(len(leads)):
        inside = [(int(i), int(j)) for s, i, j in links if s == number]
        texts = [" ".join("w" * each) for each in (int(leads.lengths[number]), int(headlines.lengths[number]))]
        for (a, b), (c, d), *_ in nltk.phrase_extraction(*texts, inside) if inside else ():
            if b - a <= LONGEST and d - c <= LONGEST:
                found.add((int(leads.offsets[number]) + a, b - a, int(headlines.offsets[number]) + c, d - c))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_all_consistent_phrase_pairs_are_found(seed: int) -> None:
    leads, headlines, links = random_sentences(12, np.random.default_rng(seed))
    spans = extract(leads, headlines, links, LONGEST)
    ours = list(zip(*(each.tolist() for each in vars(spans).values()), strict=True))
    assert len(set(ours)) == len(ours)
    assert set(ours) == found_by_nltk(leads, headlines, links)


def test_tight_pairs_are_those_with_linked_ends() -> None:
    leads, headlines, links = random_sentences(30, np.random.default_rng(7))
    linked = {int(leads.offsets[s]) + int(i) for s, i, _ in links}
    spans = extract(leads, headlines, links, LONGEST, loose=False)
    ours = set(zip(*(each.tolist() for each in vars(spans).values()), strict=True))
    theirs = {
        each for each in found_by_nltk(leads, headlines, links) if each[0] in linked and each[0] + each[1] - 1 in linked
    }
    assert ours == theirs


def test_words_that_always_stand_together_are_aligned() -> None:
    pytest.importorskip("thot", reason="the aligner is sil-thot; pip install 'hedline[baselines]'")
    rng = np.random.default_rng(3)
    rows = [rng.choice(30, 6, replace=False) for _ in range(400)]
    leads = Texts(np.concatenate(rows).astype(np.int32), np.arange(0, 6 * 401, 6))
    # The headline keeps words 1, 3 and 4 of its lead, under names of their own.
    kept = np.concatenate([row[[1, 3, 4]] + 100 for row in rows])
    headlines = Texts(kept.astype(np.int32), np.arange(0, 3 * 401, 3))
    links = align(leads, headlines)
    right = leads.flat[6 * links[:, 0] + links[:, 1]] + 100 == headlines.flat[3 * links[:, 0] + links[:, 2]]
    assert right.mean() > 0.95
    assert len(set(map(tuple, links[right].tolist()))) > 0.95 * 3 * 400
    assert np.array_equal(align(leads, headlines), links)
