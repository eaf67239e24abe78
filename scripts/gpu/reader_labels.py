"""Headlines that a reader writes for the leads of a data folder, the best of several by judges and by consensus.

    python scripts/gpu/reader_labels.py READER OUT.jsonl DATA [DATA …] --judges JUDGE,JUDGE --seconds 200

READER: as train_reader.py leaves it. For each lead of DATA, in random order, some headlines are drawn with the control
tokens of use; the one is taken that shares most with the others (minimum Bayes risk) and that the judges
(train_judge.py) find least unsound. A lead none of whose headlines is likely to be sound is left out. Stops after
--seconds with what it has.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor
from train_reader import Pair, read_pairs, usual_tokens

from hedline.models.model import usable_device
from hedline.models.reader import Reader, Tokens, rows_of
from hedline.text.subword import ANY, Subwords
from hedline.training.judge import worth_taken
from hedline.training.panel import ReaderJudge, control_token
from hedline.training.sampling import read_on

TRUTH, MOST_UNSOUND = 0.7, 0.6  # weight of soundness beside consensus; what is less sound is left out


def overlap(one: Counter[str], two: Counter[str]) -> float:
    """Dice's share of common entries."""
    return 2 * (one & two).total() / max(one.total() + two.total(), 1)


def bags(text: str) -> tuple[Counter[str], Counter[str]]:
    """Words and pairs of neighbours, in small letters."""
    words = text.lower().split()
    return Counter(words), Counter(f"{one} {two}" for one, two in pairwise(words))


def best_of(job: tuple[str, list[str], list[float]]) -> dict[str, object] | None:
    """The chosen headline of a lead as a pair; None where no headline is likely to be sound."""
    lead, texts, unsound = job
    known = [bags(text) for text in texts]
    scores = []
    for at, (words, pairs) in enumerate(known):
        others = [each for number, each in enumerate(known) if number != at]
        shared = sum(overlap(words, each[0]) + overlap(pairs, each[1]) for each in others) / (2 * max(len(others), 1))
        scores.append(shared - TRUTH * unsound[at])
    best = max(range(len(texts)), key=scores.__getitem__)
    if unsound[best] > MOST_UNSOUND or len(texts[best].split()) < 4:
        return None
    return {"lead": lead, "headline": texts[best], "unsound": round(unsound[best], 3)}


def same_length(pairs: Sequence[Pair], room: int, rng: random.Random) -> Iterator[list[Pair]]:
    """Batches of leads of exactly one length, at most `room` tokens each, in random order."""
    by_length = defaultdict(list)
    for pair in pairs:
        by_length[len(pair[0])].append(pair)
    cuts = []
    for length, group in by_length.items():
        size = max(room // length, 1)
        cuts += [group[first : first + size] for first in range(0, len(group), size)]
    rng.shuffle(cuts)
    yield from cuts


@torch.no_grad()
def faults(judges: Sequence[ReaderJudge], leads: list[list[int]], drawn: list[list[list[int]]]) -> Tensor:
    """(B, S): how unsound the judges find headlines of leads, in the reader's tokens."""
    rows = rows_of(leads, drawn, judges[0].body.config).to(judges[0].device)
    return torch.stack([worth_taken(judge.of_rows(rows, len(drawn[0]))) for judge in judges]).mean(0)


def label(asked: argparse.Namespace, pairs: Sequence[Pair]) -> Iterator[tuple[str, list[str], list[float]]]:
    """Leads with drawn headlines and how unsound they are, until the time is over."""
    device = usable_device("auto")
    reader, tokens = Reader.open(asked.reader).to(device).eval(), Tokens(asked.reader)
    subwords, size = Subwords.load(asked.data[0]), reader.config.vocabulary
    judges = [ReaderJudge.open(Path(name), device, subwords) for name in asked.judges.split(",")]
    usual, plain = usual_tokens(subwords, size), [control_token(subwords.ids[name], size) for name in ANY]
    began, done, samples = time.monotonic(), 0, asked.samples
    for batch in same_length(pairs, asked.tokens, random.Random(asked.seed)):
        if time.monotonic() - began > asked.seconds:
            return
        leads = [lead[len(usual) :] for lead, _ in batch]
        prompts = torch.tensor([[*usual, *lead, reader.config.after] for lead in leads], device=device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            rows = read_on(reader, prompts, samples, asked.temperature).tolist()
            drawn = [
                [each for each in row if each > reader.config.end] if reader.config.end in row else [] for row in rows
            ]
            groups = [drawn[first : first + samples] for first in range(0, len(drawn), samples)]
            unsound = faults(judges, [[*plain, *lead] for lead in leads], groups).tolist()
        texts = tokens.decode(drawn)
        for at, lead in enumerate(tokens.decode(leads)):
            yield lead, texts[at * samples : (at + 1) * samples], unsound[at]
        before, done = done, done + len(batch)
        if done // 20000 > before // 20000:
            print(f"{done:,} leads, {done / (time.monotonic() - began):.0f} a second", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("reader", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--judges", required=True)
    parser.add_argument("--split", default="train")
    parser.add_argument("--count", type=int, default=400000, help="leads of each folder at the most")
    parser.add_argument("--samples", type=int, default=6)
    parser.add_argument("--temperature", type=float, default=0.6)
    parser.add_argument("--tokens", type=int, default=80000)
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    pairs = [pair for data in asked.data for pair in read_pairs(data, asked.reader, asked.split, asked.count)]
    jobs = list(label(asked, pairs))
    with ProcessPoolExecutor() as pool, asked.out.open("w", encoding="utf-8") as out:
        kept = 0
        for row in pool.map(best_of, jobs, chunksize=2000):
            if row is not None:
                kept += 1
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{asked.out}: {kept:,} of {len(jobs):,} leads")


if __name__ == "__main__":
    main()
