"""The bit-parallel longest common subsequence against the textbook's."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from hedline.metrics.bulk import lcs_length, position_masks, union_hits

letters = st.lists(st.sampled_from("abcd"), max_size=12)


@given(letters, letters)
def test_bit_parallel_lcs_is_the_lcs(left, right):
    @lru_cache(None)
    def lcs(i: int, j: int) -> int:
        if i == len(left) or j == len(right):
            return 0
        return lcs(i + 1, j + 1) + 1 if left[i] == right[j] else max(lcs(i + 1, j), lcs(i, j + 1))

    assert lcs_length(position_masks(left), len(left), right) == lcs(0, 0)
    counts = [Counter(left), Counter(right)]
    assert union_hits([left], [right], *counts) == lcs(0, 0), "one sentence a side: clipping never bites"
