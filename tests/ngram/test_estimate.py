"""The estimator against numbers worked out by hand and against the formula written out with dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hand_models import SPECIALS, encode, model_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hedline.errors import UserError
from hedline.ngram.estimate import FALLBACK, adjust_counts, count_ngrams, estimate, estimate_discount
from hedline.ngram.model import NgramModel, lay_out


def probability(model: NgramModel, sentence: str) -> list[float]:
    return [round(float(10**log), 6) for log in model.score(sentence.split())]


def test_hand_computed_bigram() -> None:
    # Bigrams: <s> a (2), a b, a c, b </s>, c </s> (1 each). Kinds to the left: a 1, b 1, c 1, </s> 2; all 5.
    # Too small to estimate discounts, so 0.5, 1, 1.5. Freed by unigrams: (3 x 0.5 + 1) / 5 = 0.5, over five
    # words (<unk> </s> a b c): 0.1 each. p(a) = p(b) = p(c) = 0.5/5 + 0.1 = 0.2; p(</s>) = 1/5 + 0.1 = 0.3.
    model = model_of("a b / a c", order=2)
    # p(a | <s>) = (2-1)/2 + (1/2) 0.2; p(b | a) = 0.5/2 + (1/2) 0.2; p(</s> | b) = 0.5/1 + 0.5 x 0.3
    assert probability(model, "a b") == [0.6, 0.35, 0.65]
    # c b was never seen: back off, 0.5 p(b); so was <s> c: 0.5 p(c)
    assert probability(model, "c b") == [0.1, 0.1, 0.65]
    # an unknown word has its uniform share, and no context to back off from after it
    assert probability(model, "a zzz") == [0.6, 0.05, 0.3]


def test_unknown_words_in_the_text_count_as_a_word() -> None:
    # Kinds to the left: a 1, <unk> 2 (a, b), b 1, </s> 1 (<unk>); 5 in all, freed (3 x 0.5 + 1) / 5 over 4 words.
    model = model_of("a <unk> / b <unk>", order=2)
    assert probability(model, "zzz")[0] == pytest.approx(1 * (1 / 5 + 0.5 / 4) * 0.5, abs=1e-6)


class Plain:
    """Modified Kneser-Ney with dictionaries, straight from Chen & Goodman, for comparison."""

    def __init__(self, sentences: list[list[str]], vocabulary: list[str], order: int) -> None:
        self.order, self.predicted = order, [word for word in vocabulary if word not in {"<pad>", "<s>"}]
        wrapped = [["<s>", *sentence, "</s>"] for sentence in sentences]
        self.counts = [self.adjusted(wrapped, n) for n in range(1, order + 1)]
        self.discounts = [estimate_discount(np.array(list(counts.values()), dtype=np.int64)) for counts in self.counts]

    def adjusted(self, wrapped: list[list[str]], n: int) -> Counter[tuple[str, ...]]:
        grams = Counter(tuple(s[i : i + n]) for s in wrapped for i in range(len(s) - n + 1))
        left = defaultdict(set)
        for s in wrapped:
            for i in range(1, len(s) - n + 1):
                left[tuple(s[i : i + n])].add(s[i - 1])
        if n < self.order:
            grams = Counter({g: count if g[0] == "<s>" else len(left[g]) for g, count in grams.items()})
        if n == 1:
            del grams["<s>",]
        return grams

    def probability(self, context: tuple[str, ...], word: str) -> float:
        n = len(context) + 1
        lower = self.probability(context[1:], word) if context else 1 / len(self.predicted)
        followers = {g: c for g, c in self.counts[n - 1].items() if g[:-1] == context}
        total = sum(followers.values())
        if not total:
            return lower
        table = self.discounts[n - 1].table()
        own = followers.get((*context, word), 0)
        freed = sum(table[min(c, 3)] for c in followers.values()) / total
        return (own - table[min(own, 3)]) / total + freed * lower


WORDS = [*SPECIALS, "the", "mayor", "bridge", "opens", "closes"]


SENTENCES = st.lists(st.lists(st.sampled_from([*WORDS[4:], "<unk>"]), max_size=6), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(SENTENCES, SENTENCES, st.integers(1, 5))
def test_equals_the_formula(training: list[list[str]], held_out: list[list[str]], order: int) -> None:
    model = estimate(*encode(training, WORDS), WORDS, order)
    plain = Plain(training, WORDS, order)
    for sentence in held_out:
        wrapped = ["<s>", *sentence, "</s>"]
        for i, log in enumerate(model.score(sentence), start=1):
            context = tuple(wrapped[max(0, i - order + 1) : i])
            assert 10**log == pytest.approx(plain.probability(context, wrapped[i]), rel=1e-5)


@settings(max_examples=40, deadline=None)
@given(SENTENCES, st.lists(st.sampled_from(WORDS[4:]), max_size=5), st.integers(1, 5))
def test_every_context_sums_to_one(training: list[list[str]], context: list[str], order: int) -> None:
    model = estimate(*encode(training, WORDS), WORDS, order)
    last = len(context)
    sums = sum(10 ** model.score([*context, word])[last] for word in [*WORDS[4:], "<unk>"])
    assert sums + 10 ** model.score(context)[last] == pytest.approx(1.0, rel=1e-5)


def test_sentences_shorter_than_the_order() -> None:
    model = model_of("a / b", order=5)
    assert [len(keys) for keys in model.keys] == [6, 4, 2, 0, 0]
    assert probability(model, "a")[0] == pytest.approx(0.5 / 2 + 0.5 * 2 / 2 * (0.5 / 4 + 0.5 / 4), abs=1e-6)


@pytest.mark.parametrize(("order", "offsets"), [(0, [0, 1]), (11, [0, 1]), (2, [0])])
def test_impossible_requests_are_one_sentence(order: int, offsets: list[int]) -> None:
    with pytest.raises(UserError):
        estimate(np.array([4]), np.array(offsets), [*SPECIALS, "a"], order)


def test_counts_adjusted_except_after_the_start() -> None:
    words = [*SPECIALS, "a", "b"]
    sentences = [["a", "b"], ["a", "b"], ["b", "a", "b"]]
    levels = count_ngrams(lay_out(*encode(sentences, words)), 3, len(words))
    assert levels[1].counts.sum() == 10 and levels[2].counts.sum() == 7
    adjust_counts(levels)
    by_words = {}
    for key, count in zip(levels[1].keys, levels[1].counts, strict=True):
        by_words[words[key // len(words)], words[key % len(words)]] = count
    assert by_words == {
        ("<s>", "a"): 2,  # occurrences: nothing stands left of <s>
        ("<s>", "b"): 1,
        ("a", "b"): 2,  # after <s> and after b
        ("b", "a"): 1,
        ("b", "</s>"): 1,  # three times, always after a
    }
    assert dict(zip(words, levels[0].counts, strict=True)) == {
        "<pad>": 0, "<unk>": 0, "<s>": 0, "</s>": 1, "a": 2, "b": 2,
    }  # fmt: skip


def test_discounts_by_hand() -> None:
    counts = np.array([0, 1, 1, 1, 1, 2, 2, 3, 4, 9])
    discount = estimate_discount(counts)  # t = 4, 2, 1, 1; Y = 4 / (4 + 2 x 2) = 0.5
    assert (discount.once, discount.twice, discount.more) == (0.5, 1.25, 1.0)
    assert discount.estimated


@pytest.mark.parametrize("counts", [[], [1, 1, 2], [2, 3, 3], [1, 1, 1, 1, 1, 2, 3, 4]])
def test_discounts_that_cannot_be_estimated_fall_back(counts: list[int]) -> None:
    discount = estimate_discount(np.array(counts, dtype=np.int64))
    assert (discount.once, discount.twice, discount.more) == FALLBACK
    assert not discount.estimated


def test_ids_beyond_the_vocabulary_are_refused() -> None:
    with pytest.raises(UserError, match="beyond the 5 words"):
        estimate(np.array([4, 5]), np.array([0, 2]), [*SPECIALS, "a"], 2)
