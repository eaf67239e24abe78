"""Longest common subsequences as ROUGE-1.5.5 counts them, plain (ROUGE-L) and weighted (ROUGE-W).

A reference sentence is compared with every sentence of the summary; the union of its matched positions is
counted, clipped by the words' frequencies in both texts. With one sentence on each side that is the LCS length,
which bit operations on Python integers give in one pass.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

Sentence = Sequence[str]


def position_masks(tokens: Sentence) -> dict[str, int]:
    """token -> integer whose bit i is set when the token stands at position i."""
    masks: dict[str, int] = {}
    for position, token in enumerate(tokens):
        masks[token] = masks.get(token, 0) | 1 << position
    return masks


def lcs_length(masks: Mapping[str, int], length: int, tokens: Sentence) -> int:
    """LCS length of `tokens` and the sentence of `length` tokens behind `masks` (Hyyrö 2004, bit-parallel)."""
    full = (1 << length) - 1
    row = full
    for token in tokens:
        mask = masks.get(token)
        if mask is not None:
            matched = row & mask
            row = ((row + matched) | (row - matched)) & full
    return length - row.bit_count()


def union_hits(
    reference: Sequence[Sentence],
    candidate: Sequence[Sentence],
    reference_counts: Mapping[Hashable, int],
    candidate_counts: Mapping[Hashable, int],
) -> int:
    """ROUGE-L hits of several sentences, each word's hits clipped by its count in both texts."""
    left, right = dict(reference_counts), dict(candidate_counts)
    hits = 0
    for sentence in reference:
        for token, matched in zip(sentence, _union_mask(sentence, candidate, 1.0), strict=True):
            if matched and left.get(token, 0) > 0 and right.get(token, 0) > 0:
                hits += 1
                left[token] -= 1
                right[token] -= 1
    return hits


def weighted_union_hits(
    reference: Sequence[Sentence],
    candidate: Sequence[Sentence],
    reference_counts: Mapping[Hashable, int],
    candidate_counts: Mapping[Hashable, int],
    weight: float,
) -> float:
    """ROUGE-W hits: a run of k consecutive matches is worth k ** weight.

    Odd but so in the script: a run is only paid out at a word that survives clipping, so a run whose last word is
    clipped is carried into the next run, or lost at the sentence's end.
    """
    left, right = dict(reference_counts), dict(candidate_counts)
    hits = 0.0
    for sentence in reference:
        mask = [*_union_mask(sentence, candidate, weight), False]
        run = 0
        for position, token in enumerate(sentence):
            if mask[position] and left.get(token, 0) > 0 and right.get(token, 0) > 0:
                run += 1
                if not mask[position + 1]:
                    hits += run**weight
                    run = 0
                left[token] -= 1
                right[token] -= 1
    return hits


def _union_mask(sentence: Sentence, candidate: Sequence[Sentence], weight: float) -> list[bool]:
    """Positions of `sentence` matched in a (weighted) LCS with any of the candidate's sentences."""
    mask = [False] * len(sentence)
    if sentence:
        for other in candidate:
            _mark(mask, _moves(sentence, other, weight), len(other))
    return mask


_DIAGONAL, _UP, _LEFT = 0, 1, 2


def _moves(sentence: Sentence, other: Sentence, weight: float) -> list[list[int]]:
    """Back pointers (len(sentence), len(other)) of the weighted LCS; ties go up, as in the script."""
    width = len(other)
    value = [k**weight for k in range(min(len(sentence), width) + 2)]
    scores, runs = [0.0] * (width + 1), [0] * (width + 1)
    moves = []
    for token in sentence:
        new_scores, new_runs, row = [0.0] * (width + 1), [0] * (width + 1), [_UP] * width
        for j in range(1, width + 1):
            if token == other[j - 1]:
                k = runs[j - 1]
                new_scores[j] = scores[j - 1] + value[k + 1] - value[k]
                new_runs[j] = k + 1
                row[j - 1] = _DIAGONAL
            elif scores[j] >= new_scores[j - 1]:
                new_scores[j] = scores[j]
            else:
                new_scores[j] = new_scores[j - 1]
                row[j - 1] = _LEFT
        scores, runs = new_scores, new_runs
        moves.append(row)
    return moves


def _mark(mask: list[bool], moves: list[list[int]], width: int) -> None:
    """Follow the back pointers from the end and set the matched positions."""
    i, j = len(moves), width
    while i and j:
        move = moves[i - 1][j - 1]
        if move == _DIAGONAL:
            i, j = i - 1, j - 1
            mask[i] = True
        elif move == _UP:
            i -= 1
        else:
            j -= 1
