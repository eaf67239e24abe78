"""The stack decoder against exhaustive search on tiny tables."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from hedline.baselines.fitting import LanguageModel, Texts
from hedline.baselines.phrase_decoder import BACK, FEATURES, LANGUAGE, SKIP, Options, PhraseDecoder
from hedline.baselines.phrases import LONGEST
from hedline.baselines.system import Limit

WORDS = ["<pad>", "<unk>", "<s>", "</s>", *"abcdefg"]


@pytest.fixture(scope="module")
def language() -> LanguageModel:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 7, 300)
    flat = rng.integers(4, len(WORDS), lengths.sum()).astype(np.int32)
    return LanguageModel.of(Texts(flat, np.concatenate([[0], np.cumsum(lengths)])), WORDS, 3)


def random_options(source: int, count: int, rng: np.random.Generator) -> Options:
    length = rng.integers(1, 3, count)
    start = np.array([rng.integers(0, source - k + 1) for k in length])
    made = np.sort(rng.integers(1, 4, count))
    words = np.where(np.arange(LONGEST) < made[:, None], rng.integers(4, len(WORDS), (count, LONGEST)), 0)
    features = np.zeros((count, len(FEATURES)))
    features[:, :8] = -rng.random((count, 8)) * 2
    spaced = rng.integers(0, 2, count)
    return Options(start, length, words, made, features, rng.integers(1, 9, count) + made, made - 1 + spaced, spaced)


def exhaustive(options: Options, language: LanguageModel, weights: np.ndarray, limit: Limit) -> tuple[float, tuple]:
    """Try every order of every set of options that do not overlap; score the whole text with the model's own query."""
    best: tuple[float, tuple] = (-np.inf, ())
    numbers = range(len(options.start))
    for size in (1, 2, 3, 4):
        for chosen in combinations(numbers, size):
            covered = [p for o in chosen for p in range(options.start[o], options.start[o] + options.length[o])]
            if len(set(covered)) < len(covered):
                continue
            for path in permutations(chosen):
                first = options.spaced[path[0]]
                bytes = sum(options.bytes[o] for o in path) - first
                spaces = sum(options.spaces[o] for o in path) + 1 - first
                if (limit.bytes and bytes > limit.bytes) or (limit.words and spaces > limit.words):
                    continue
                features = options.features[list(path)].sum(axis=0)
                text = [WORDS[w] for o in path for w in options.words[o] if w]
                features[LANGUAGE] = language.model.score(text).sum() * np.log(10)
                end = 0
                for o in path:
                    features[BACK] -= max(end - options.start[o], 0)
                    features[SKIP] -= max(options.start[o] - end, 0)
                    end = options.start[o] + options.length[o]
                best = max(best, (float(features @ weights), path), key=lambda each: each[0])
    return best


@pytest.mark.parametrize("seed", range(8))
def test_nothing_better_exists(seed: int, language: LanguageModel) -> None:
    rng = np.random.default_rng(seed)
    options = random_options(4, 7, rng)
    weights = rng.random(len(FEATURES))
    weights[4:8] -= 2.0  # writing pays, so that headlines of several phrases win
    for limit in (Limit(), Limit(bytes=12), Limit(words=3)):
        score, path = exhaustive(options, language, weights, limit)
        found = PhraseDecoder(language, weights, width=5000).decode(options, np.zeros(len(FEATURES)), limit, nbest=4)
        assert found[0].score == pytest.approx(score)
        assert found[0].options == path
        assert found[0].score == pytest.approx(float(found[0].features @ weights))
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_a_narrow_search_never_claims_more(language: LanguageModel) -> None:
    rng = np.random.default_rng(42)
    options, weights = random_options(12, 60, rng), rng.random(len(FEATURES)) - 0.3
    zero = np.zeros(len(FEATURES))
    scores = [PhraseDecoder(language, weights, w).decode(options, zero, Limit())[0].score for w in (1, 10, 300)]
    assert scores[0] <= scores[2] + 1e-9 and scores[1] <= scores[2] + 1e-9
