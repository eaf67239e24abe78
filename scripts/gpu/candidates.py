"""Headlines of a model for leads that somebody will judge: one JSON line a lead, with up to five candidates.

    python scripts/gpu/candidates.py MODEL LEADS.txt OUT.jsonl [--seed N]

A model is to be judged by what it would print, by what training makes it draw and by what it writes in a tight limit:
the headline with all guards; without them the best and the one of six that differs most from it; two draws; one of at
most seven words. Equal ones are taken once, and the order says nothing.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from truth_data import Lesson, as_used, encoded

import hedline
from hedline.models.batch import END
from hedline.models.model import usable_device
from hedline.text.subword import LENGTH_NAMES, Subwords
from hedline.training.labelling import open_transformer, padded
from hedline.training.sampling import generate

MOST = 5
UNGUARDED = {"guard_numbers": False, "guard_names": False, "guard_meaning": False}


def drawn(model: Path, leads: Sequence[str], count: int, temperature: float, size: int = 64) -> list[list[str]]:
    """`count` headlines for each lead, drawn as training draws them; those without an end are left out."""
    device = usable_device("auto")
    network, subwords = open_transformer(model, device).eval(), Subwords.load(model)
    rows = [
        np.array(ids)
        for ids, _ in encoded(model, [Lesson(lead, "", as_used(lead, LENGTH_NAMES[-1])) for lead in leads])
    ]
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    found: list[list[str]] = [[] for _ in rows]
    for first in range(0, len(order), size):
        part = order[first : first + size]
        block = torch.from_numpy(padded([rows[place] for place in part])).to(device)
        for place, samples in zip(part, generate(network, block, count, temperature).ids.tolist(), strict=True):
            found[place] = [subwords.decode(ids[: ids.index(END)]) for ids in samples if END in ids]
    return found


def farthest(texts: Sequence[str]) -> str:
    """The text that shares the smallest part of its words with the first one."""
    first = set(texts[0].lower().split())
    return min(texts, key=lambda text: len(first & set(text.lower().split())) / max(len(text.split()), 1))


def candidates(model: Path, leads: Sequence[str], seed: int) -> Iterator[list[str]]:
    """Up to five different headlines for each lead, in random order."""
    torch.manual_seed(seed)
    summarizer = hedline.load(model)
    printed = [each.text for each in summarizer.summarize(leads)]
    free = [[one.text for one in each.nbest] for each in summarizer.summarize(leads, nbest=6, **UNGUARDED)]
    short = [each.text for each in summarizer.summarize(leads, words=7, **UNGUARDED)]
    mixed = random.Random(seed)
    for text, nbest, few, draws in zip(printed, free, short, drawn(model, leads, 3, 0.7), strict=True):
        found = list(
            dict.fromkeys([text, *nbest[:1], *([farthest(nbest)] if nbest else []), *draws[:2], few, *draws[2:]])
        )
        chosen = [each for each in found if each][:MOST]
        mixed.shuffle(chosen)
        yield chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "leads", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    leads = asked.leads.read_text(encoding="utf-8").splitlines()
    with asked.out.open("w", encoding="utf-8") as out:
        for lead, chosen in zip(leads, candidates(asked.model, leads, asked.seed), strict=True):
            out.write(json.dumps({"lead": lead, "candidates": chosen}, ensure_ascii=False) + "\n")
    print(f"{asked.out}: {len(leads):,} leads")


if __name__ == "__main__":
    main()
