"""Pairs of feeds that earlier stages of training did not learn by heart: those whose headlines say more than the lead.

    python scripts/gpu/fresh_pairs.py OPEN_NEWS OUT   # writes OUT/train-00.jsonl and so on, and prints the counts

The stages for ROUGE before took well supported pairs, again and again, until the model wrote their headlines from
memory: training on them further made headlines of new texts worse. A pair is taken when the share of its headline's
words that stand in the lead lies in the range of its set.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from hedline.text.subword import support

RANGES = dict.fromkeys(("rss2024", "rss2025"), (0.3, 0.6)) | dict.fromkeys(
    ("rss2020", "rss2021", "rss2022", "rss2023", "lk"), (0.3, 0.8)
)


def choose(out: Path, shard: Path) -> Counter[str]:
    """Write a shard's chosen pairs; how many of each set."""
    counts: Counter[str] = Counter()
    with (
        lzma.open(shard, "rt", encoding="utf-8") as lines,
        (out / shard.name.removesuffix(".xz")).open("w", encoding="utf-8") as chosen,
    ):
        for line in lines:
            pair = json.loads(line)
            low, high = RANGES.get(pair["set"], (1.0, 0.0))
            if low <= high and low <= support(pair["lead"], pair["headline"]) < high:
                chosen.write(line)
                counts[pair["set"]] += 1
    return counts


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    total: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        for found in pool.map(partial(choose, folder), sorted(Path(sys.argv[1]).glob("train-*.jsonl.xz"))):
            total += found
    print(", ".join(f"{name} {count:,}" for name, count in sorted(total.items())), f"in all {total.total():,}")
