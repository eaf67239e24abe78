"""Pairs whose headlines the shipped default wrote, for a student such as ABS.

    python scripts/teach.py OUT.jsonl LEADS.jsonl.xz... [--part 0 --parts 2] [--count 80000]

Takes leads of 12 to 55 words in a random order that the seed fixes. Seven of ten blocks are written as the model is
shipped, guards on; three at up to 85 bytes, filled, so that a student sees longer headlines too. A headline that came
with a note (own words, another language) is left out. The same command goes on after an interruption: several
processes (--part) share the work and write a file each.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Iterable
from pathlib import Path

import hedline

BLOCK, BATCH = 512, 64
LONGER = {"bytes": 85, "fill": 0.8}


def leads(paths: Iterable[Path], seed: int) -> list[str]:
    """All leads of 12 to 55 words, in a random order."""
    found = []
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            found += [lead for line in lines if 12 <= len((lead := json.loads(line)["lead"]).split()) <= 55]
    random.Random(seed).shuffle(found)
    return found


def teach(texts: list[str], out: Path, count: int) -> None:
    """Append headlines to `out`, from the block after the last finished one."""
    model = hedline.load("default")
    done = out.with_suffix(".blocks")
    first = int(done.read_text()) if done.is_file() else 0
    for block in range(first, min(count, len(texts)) // BLOCK):
        chunk = sorted(texts[block * BLOCK : (block + 1) * BLOCK], key=len)
        options = {} if block % 10 < 7 else LONGER
        with out.open("a", encoding="utf-8") as lines:
            for start in range(0, BLOCK, BATCH):
                part = chunk[start : start + BATCH]
                for lead, summary in zip(part, model.summarize(part, **options), strict=True):
                    if not summary.notes:
                        lines.write(json.dumps({"lead": lead, "headline": summary.text}) + "\n")
        done.write_text(str(block + 1))
        print(f"{out}: {(block + 1) * BLOCK:,} leads", flush=True)


def main() -> None:
    """Read the arguments and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("leads", type=Path, nargs="+")
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--count", type=int, default=80_000)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    teach(leads(asked.leads, asked.seed)[asked.part :: asked.parts], asked.out, asked.count)


if __name__ == "__main__":
    main()
