"""Counts of n-grams, adjusted as Kneser-Ney wants them."""

from __future__ import annotations

from hand_models import SPECIALS, encode

from hedline.ngram.count import adjust_counts, count_ngrams, lay_out


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
