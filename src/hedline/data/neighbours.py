"""Near-duplicate leads by MinHash: keys that two leads share when about four fifths of their content words are common.

Four bands of six minima each: leads whose content words have Jaccard similarity 0.9 share a band with probability
0.95, at 0.8 with 0.70, at 0.5 with 0.06.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.corpora.candidate import is_content

BANDS, ROWS = 4, 6
_SEED = 20150902

Keys = npt.NDArray[np.uint64]


def band_keys(words: Sequence[str], ids: npt.NDArray[Any], lengths: npt.NDArray[Any], plain: Keys) -> Keys:
    """Keys (n, BANDS) of n leads given as flat indices into `words`.

    plain (n,): keys of the whole leads, which stand in for leads without any content word.
    """
    if len(lengths) == 0:
        return np.zeros((0, BANDS), np.uint64)
    hashes = np.array([_word_hash(word) if is_content(word) else 0 for word in words], np.uint64)
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
    token_hashes = hashes[ids]
    generator = np.random.Generator(np.random.PCG64(_SEED))
    multipliers = generator.integers(1, 1 << 63, size=(BANDS, ROWS), dtype=np.uint64) | np.uint64(1)
    keys = np.zeros((len(lengths), BANDS), np.uint64)
    for band in range(BANDS):
        for multiplier in multipliers[band]:
            mixed = _mix(token_hashes * multiplier)
            mixed[token_hashes == 0] = np.iinfo(np.uint64).max
            minima = np.minimum.reduceat(mixed, starts)
            keys[:, band] = _mix(keys[:, band] * np.uint64(0x9E3779B97F4A7C15) + minima)
    without_content = np.maximum.reduceat(token_hashes, starts) == 0
    keys[without_content] = plain[without_content, None]
    return keys


def _word_hash(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


def _mix(values: Keys) -> Keys:
    """The finalising steps of splitmix64: every input bit reaches every output bit."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
