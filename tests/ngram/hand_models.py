"""Sentences as the estimator reads them, and models of a few words."""

from __future__ import annotations

import numpy as np

from hedline.ngram.estimate import estimate
from hedline.ngram.model import NgramModel

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]


def encode(sentences: list[list[str]], words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    flat = [words.index(word) for sentence in sentences for word in sentence]
    return np.array(flat, dtype=np.uint16), np.cumsum([0, *map(len, sentences)])


def model_of(text: str, order: int) -> NgramModel:
    sentences = [line.split() for line in text.split(" / ")]
    words = SPECIALS + sorted({word for sentence in sentences for word in sentence} - {"<unk>"})
    return estimate(*encode(sentences, words), words, order)
