"""Which split each pair goes to, and the raw text of the held-out ones (`valid.jsonl`, `test.jsonl`).

Duplicates, shares, dates and leakage are decided over the whole corpus, on the chunks' keys alone and in passes of
bounded size, so that memory does not grow with the corpus. The raw text is for samples, tuning and scoring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.data.chunks import AUTOMATIC_SHARE, BUCKETS, Summary, date_number, open_chunk
from hedline.data.settings import ROLES, TRAIN, VALID, PrepareSettings, SplitSettings

PASS_PAIRS = 500_000
HELD_OUT_PAIRS = 2000  # the paper's size of a held-out set
REMOVED = 255

Codes = npt.NDArray[np.uint8]


@dataclass
class Division:
    """The split of every pair of every chunk (codes of `ROLES`, or REMOVED), what was removed, and what leaked."""

    codes: list[Codes]
    removed: dict[str, int]
    shares: dict[str, float]
    leaks: dict[str, int] = field(default_factory=dict)

    def sizes(self) -> dict[str, int]:
        """Pairs in each split."""
        return {role: sum(int((codes == i).sum()) for codes in self.codes) for i, role in enumerate(ROLES)}


def divide(chunks: Sequence[tuple[Path, Summary]], settings: PrepareSettings) -> Division:
    """Decide every pair's split."""
    codes = [np.full(summary["kept"], ROLES.index(summary["role"]), np.uint8) for _, summary in chunks]
    division = Division(codes, {}, {})
    names = {"keep": [], "exact": ["pair"], "near": ["pair", "bands"]}[settings.duplicates]
    for name in names:
        _drop_repeats(chunks, division, name)
    if settings.splits.by == "hash":
        _split_by_hash(chunks, division, settings.splits)
    elif settings.splits.by == "date":
        _split_by_date(chunks, division, settings.splits)
    _drop_leaks(chunks, division, remove=settings.leakage == "remove")
    return division


def _drop_repeats(chunks: Sequence[tuple[Path, Summary]], division: Division, name: str) -> None:
    """Keep the first of the training pairs that share a key; in several passes over slices of the key space."""
    total = sum(len(codes) for codes in division.codes)
    passes = -(-total // PASS_PAIRS)
    columns = 1
    column = 0
    removed = 0
    while column < columns:
        for part in range(passes):
            keys, places, columns = _slice_of_keys(chunks, division, name, column, part, passes)
            order = np.argsort(keys, kind="stable")
            repeats = places[order[1:][keys[order[1:]] == keys[order[:-1]]]]
            for chunk, pair in repeats:
                division.codes[chunk][pair] = REMOVED
            removed += len(repeats)
        column += 1
    if removed:
        division.removed["near-duplicate" if name == "bands" else "duplicate"] = removed


def _slice_of_keys(
    chunks: Sequence[tuple[Path, Summary]], division: Division, name: str, column: int, part: int, passes: int
) -> tuple[Array, Array, int]:
    """Keys (m,) of the training pairs whose key falls in this pass, their (chunk, pair) places (m, 2), and columns."""
    keys, places, columns = [], [], 1
    for index, ((path, _), codes) in enumerate(zip(chunks, division.codes, strict=True)):
        with open_chunk(path) as chunk:
            if name == "pair":
                held = chunk["lead_keys"] * np.uint64(3) ^ chunk["headline_keys"]
            else:
                bands = chunk["bands"]
                columns = bands.shape[1]
                held = bands[:, column]
        wanted = np.flatnonzero((codes == ROLES.index(TRAIN)) & (held % np.uint64(passes) == part))
        keys.append(held[wanted])
        places.append(np.stack([np.full(len(wanted), index, np.int32), wanted.astype(np.int32)], axis=1))
    return np.concatenate(keys), np.concatenate(places), columns


def _split_by_hash(chunks: Sequence[tuple[Path, Summary]], division: Division, splits: SplitSettings) -> None:
    """The lowest buckets of the lead's key: equal leads share a split, whatever the order of the corpus."""
    histogram = np.zeros(BUCKETS, np.int64)
    for (path, _), codes in zip(chunks, division.codes, strict=True):
        with open_chunk(path) as chunk:
            histogram += np.bincount(
                (chunk["lead_keys"] % np.uint64(BUCKETS)).astype(np.int64)[codes == 0], minlength=BUCKETS
            )
    total = int(histogram.sum())
    automatic = min(AUTOMATIC_SHARE, HELD_OUT_PAIRS / max(total, 1))
    shares = [automatic if share is None else share for share in (splits.valid_share, splits.test_share)]
    division.shares = dict(zip(("valid", "test"), shares, strict=True))
    wanted = np.cumsum([max(round(share * total), share > 0) for share in shares])
    ends = [int(np.searchsorted(np.cumsum(histogram), want)) + 1 if want else 0 for want in wanted]
    for (path, _), codes in zip(chunks, division.codes, strict=True):
        with open_chunk(path) as chunk:
            buckets, raw_index = chunk["lead_keys"] % np.uint64(BUCKETS), chunk["raw_index"]
        free = np.zeros(len(codes), bool)
        free[raw_index] = True
        free &= codes == 0
        codes[free & (buckets < ends[1])] = 2
        codes[free & (buckets < ends[0])] = 1


def _split_by_date(chunks: Sequence[tuple[Path, Summary]], division: Division, splits: SplitSettings) -> None:
    """Training pairs dated on or after the first days go to valid and test; undated ones stay."""
    starts = sorted((date_number(day), code) for code, day in ((1, splits.valid_from), (2, splits.test_from)) if day)
    for (path, _), codes in zip(chunks, division.codes, strict=True):
        with open_chunk(path) as chunk:
            dates = chunk["dates"]
        train = codes == 0
        for start, code in starts:
            codes[train & (dates >= start)] = code


def _drop_leaks(chunks: Sequence[tuple[Path, Summary]], division: Division, remove: bool) -> None:
    """A training pair whose lead or headline stands in valid or test, and a valid pair that stands in test."""
    for role, held_out in ((VALID, (2,)), (TRAIN, (1, 2))):
        held = {name: _held_out_keys(chunks, division, name, held_out) for name in ("lead_keys", "headline_keys")}
        if not len(held["lead_keys"]):
            continue
        leaks = 0
        for (path, _), codes in zip(chunks, division.codes, strict=True):
            with open_chunk(path) as chunk:
                shared = np.isin(chunk["lead_keys"], held["lead_keys"])
                shared |= np.isin(chunk["headline_keys"], held["headline_keys"])
            leaking = shared & (codes == ROLES.index(role))
            leaks += int(leaking.sum())
            if remove:
                codes[leaking] = REMOVED
        if leaks:
            division.leaks[role] = leaks
            if remove:
                division.removed[f"leakage-{role}"] = leaks


def _held_out_keys(
    chunks: Sequence[tuple[Path, Summary]], division: Division, name: str, codes_wanted: tuple[int, ...]
) -> Array:
    keys = [np.zeros(0, np.uint64)]
    for (path, _), codes in zip(chunks, division.codes, strict=True):
        wanted = np.isin(codes, codes_wanted)
        if wanted.any():
            with open_chunk(path) as chunk:
                keys.append(chunk[name][wanted])
    return np.unique(np.concatenate(keys))


def write_held_out(path: Path, chunks: Sequence[tuple[Path, Summary]], division: Division, code: int) -> None:
    """Write the texts of a split in the order of its arrays; no file when it is empty."""
    if not any((codes == code).any() for codes in division.codes):
        return
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for (chunk_path, _), codes in zip(chunks, division.codes, strict=True):
            if (codes == code).any():
                with open_chunk(chunk_path) as chunk:
                    texts = zip(chunk["raw_index"].tolist(), chunk.lines("raw"), strict=True)
                    stream.writelines(f"{text}\n" for index, text in texts if codes[index] == code)
