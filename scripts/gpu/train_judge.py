"""A judge for training headlines that are true and well formed: see hedline.training.judge.

    python scripts/gpu/train_judge.py MODEL OUT --judged FILE.tsv [FILE.tsv …] --news PAIRS.jsonl [--joint] [--seed N]
    python scripts/gpu/train_judge.py MODEL OUT --judged FILE.tsv … --reader FOLDER   # see hedline.training.panel

FILE.tsv: verdicts, see hedline.training.verdicts. PAIRS: pairs of `lead` and `headline`, whose headlines are taken as
they are and spoilt by a program. MODEL: the transformer that the judge begins as, or, with --reader, the model
whose headlines are judged; FOLDER is one of take_reader.py or take_encoder.py. Every tenth lead is held out, and
how well the judge ranks its headlines is printed; --all learns from them too.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import torch

from hedline.models.model import usable_device
from hedline.models.reader import TOKENS
from hedline.text.subword import Subwords
from hedline.training.judge import COUNTED, AnyJudge, Judge, learn, ranking, verdicts_of
from hedline.training.labelling import open_transformer
from hedline.training.panel import PairJudge, ReaderJudge, begin_judge
from hedline.training.verdicts import FAULTS, Verdict, held_out, read_verdicts


def report(judge: AnyJudge, held: Sequence[Verdict]) -> str:
    """How well the held-out headlines are ranked, fault by fault and as training will see them."""
    said, known = verdicts_of(judge, held)
    parts = []
    for place, name in enumerate(FAULTS):
        told = known[:, place] == known[:, place]
        if told.any():
            parts.append(
                f"{name} {ranking(said[told, place], known[told, place]):.3f} ({int(known[told, place].sum())})"
            )
    told = (known[:, :2] == known[:, :2]).any(1)
    bad = (known[:, 0] == 1) | (known[:, 1] == 1)
    worth = 1.0
    for name, share in COUNTED.items():
        worth = worth * (1 - share * said[:, FAULTS.index(name)])
    if told.any():
        parts.append(f"untrue or broken {ranking(-worth[told], bad[told]):.3f} of {int(told.sum())}")
    return ", ".join(parts)


def begin(asked: argparse.Namespace, device: str) -> Judge | ReaderJudge | PairJudge:
    """The judge before it has learnt."""
    if asked.reader is None:
        return Judge(open_transformer(asked.model, device), asked.joint).to(device)
    return begin_judge(asked.reader, Subwords.load(asked.model)).to(device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--judged", type=Path, nargs="+", required=True)
    parser.add_argument("--news", type=Path)
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--joint", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--device", default="auto")
    asked = parser.parse_args()
    device = usable_device(asked.device)
    torch.manual_seed(asked.seed)
    verdicts = [each for path in asked.judged for each in read_verdicts(asked.model, path)]
    random.Random(1).shuffle(verdicts)
    subwords = Subwords.load(asked.model)
    spared = [held_out(subwords.decode(each.lead)) for each in verdicts]
    held = [each for each, out in zip(verdicts, spared, strict=True) if out]
    taught = [each for each, out in zip(verdicts, spared, strict=True) if asked.all or not out]
    judge = begin(asked, device)
    if asked.news:
        news = read_verdicts(asked.model, asked.news, asked.seed)
        spare = news[: min(500, len(news) // 10)]
        print(f"{len(news):,} headlines of news with spoilt ones, {len(taught):,} leads with verdicts", flush=True)
        for loss in learn(judge, news[len(spare) :], 1, asked.rate, size=256, seed=asked.seed):
            print(f"spoilt: loss {loss:.4f}; {report(judge, spare)}; verdicts: {report(judge, held)}", flush=True)
    for epoch, loss in enumerate(learn(judge, taught, asked.epochs, asked.rate / 2, seed=asked.seed), 1):
        print(f"verdicts {epoch}: loss {loss:.4f}; {report(judge, held)}", flush=True)
    if isinstance(judge, Judge):
        judge.save(asked.out)
    else:
        judge.save(asked.out, asked.reader / TOKENS)
    print(asked.out)


if __name__ == "__main__":
    main()
