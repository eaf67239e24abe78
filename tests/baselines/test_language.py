"""The language model asked word by word for many histories gives what the n-gram model gives for whole headlines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedline.baselines.corpus import Texts
from hedline.baselines.language import LanguageModel

WORDS = ["<pad>", "<unk>", "<s>", "</s>", *"abcdef"]


@pytest.fixture(scope="module", params=[1, 2, 3], ids=lambda order: f"order {order}")
def language(request: pytest.FixtureRequest) -> LanguageModel:
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 6, 200)
    flat = rng.integers(4, len(WORDS), lengths.sum()).astype(np.int32)
    return LanguageModel.of(Texts(flat, np.concatenate([[0], np.cumsum(lengths)])), WORDS, request.param)


def scores(language: LanguageModel, sentences: np.ndarray) -> np.ndarray:
    """(sentences, words + 1) natural logarithms, all sentences extended together, `</s>` last."""
    states, found = language.begin(len(sentences)), []
    for column in [*sentences.T, np.full(len(sentences), WORDS.index("</s>"))]:
        each, states = language.extend(states, column)
        found.append(each)
    return np.array(found).T


def test_histories_together_score_like_sentences_alone(language: LanguageModel) -> None:
    sentences = np.random.default_rng(4).integers(4, len(WORDS), (20, 5))
    expected = [language.model.score([WORDS[word] for word in row]) * np.log(10) for row in sentences]
    assert scores(language, sentences) == pytest.approx(np.array(expected), rel=1e-5)


def test_a_saved_model_scores_the_same(language: LanguageModel, tmp_path: Path) -> None:
    language.save(tmp_path)
    opened = LanguageModel.load(tmp_path)
    sentences = np.random.default_rng(5).integers(4, len(WORDS), (8, 4))
    assert opened.model.order == language.model.order and opened.model.words == language.model.words
    assert scores(opened, sentences).tolist() == scores(language, sentences).tolist()
