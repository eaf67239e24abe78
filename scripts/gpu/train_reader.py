"""Teaches a reader (hedline.models.reader) to write headlines, so that it can teach and judge ours.

    python scripts/gpu/train_reader.py READER OUT DATA [DATA …] --seconds 240 [--truth FILE.tsv] [--judged FILE.tsv …]

DATA: subword data folders with one vocabulary; their pairs' pieces become text and then the reader's own tokens.
--truth and --judged: written headlines, see truth_data.py. Each row: control tokens (a quarter hidden), lead, headline;
only the headline is predicted. The rate rises for 40 steps and then falls with the time that is left. At the end the
mean surprise of a validation headline in nats is printed, which does not depend on tokens, and ROUGE of greedy
headlines.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from truth_data import judged_lessons, truth_lessons

from hedline.data.dataset import Dataset
from hedline.files import read_json
from hedline.metrics.rouge import RougeScorer
from hedline.models.model import usable_device
from hedline.models.reader import CONFIG, TOKENS, Reader, Tokens
from hedline.models.softmax import linear_cross_entropy
from hedline.text.subword import ANY, LENGTH_NAMES, SUPPORT_NAMES, Subwords
from hedline.training.panel import control_token
from hedline.training.sampling import read_on
from hedline.training.verdicts import held_out

A_TASK, WARM_UP, HIDDEN = 4000, 40, 0.25
TIMES = 2  # how often a written headline is learnt
VALID, SHOWN = 2000, 12  # validation headlines that are scored and shown
Pair = tuple[list[int], list[int]]  # control tokens and lead; headline


def vocabulary_of(reader: Path) -> int:
    """How many tokens a reader has; the last ones stand for control tokens of ours."""
    return int(read_json(reader / CONFIG)["vocabulary"])


def read_part(job: tuple[Path, Path, str, int, int]) -> list[Pair]:
    """Some pairs of a data folder in the reader's tokens."""
    data, reader, split, first, last = job
    subwords, tokens, pairs = Subwords.load(data), Tokens(reader), Dataset.open(data).split(split)
    size, count = vocabulary_of(reader), sum(name in subwords.ids for name in ANY)
    rows = []
    for at in range(first, last):
        start, end = pairs.input_offsets[at : at + 2]
        given, wanted = pairs.output_offsets[at : at + 2]
        rows.append((pairs.inputs[start:end].tolist(), pairs.outputs[given:wanted].tolist()))
    leads = tokens.encode([subwords.decode(lead) for lead, _ in rows])
    titles = tokens.encode([subwords.decode(title) for _, title in rows])
    return [
        ([*(control_token(each, size) for each in row[0][:count]), *lead], title)
        for row, lead, title in zip(rows, leads, titles, strict=True)
    ]


def read_pairs(data: Path, reader: Path, split: str, most: int | None = None) -> list[Pair]:
    """The pairs of a split, by several processes."""
    count = len(Dataset.open(data).split(split).input_offsets) - 1
    count = min(count, most or count)
    jobs = [(data, reader, split, first, min(first + A_TASK, count)) for first in range(0, count, A_TASK)]
    with ProcessPoolExecutor() as pool:
        return [pair for part in pool.map(read_part, jobs) for pair in part]


def written_pairs(truth: Path | None, judged: Sequence[Path], data: Path, reader: Path) -> list[Pair]:
    """The written headlines as pairs, each several times, but for the leads by which judges are judged."""
    lessons = [] if truth is None else truth_lessons(truth, own=True)
    lessons += [lesson for path in judged for lesson in judged_lessons(path, own=True)]
    lessons = [lesson for lesson in lessons if not held_out(lesson.lead)]
    subwords, tokens = Subwords.load(data), Tokens(reader)
    size = vocabulary_of(reader)
    leads = tokens.encode([each.lead for each in lessons])
    titles = tokens.encode([each.headline for each in lessons])
    return TIMES * [
        ([*(control_token(subwords.ids[name], size) for name in lesson.controls), *lead], title)
        for lesson, lead, title in zip(lessons, leads, titles, strict=True)
    ]


def batches(pairs: Sequence[Pair], room: int, seed: int) -> Iterator[list[Pair]]:
    """All pairs once in random batches of rows of about one length, at most `room` tokens each."""
    rng = random.Random(seed)
    sizes = [len(lead) + len(title) + 2 for lead, title in pairs]
    order = sorted(range(len(pairs)), key=lambda at: (sizes[at], rng.random()))
    cuts, first = [], 0
    while first < len(order):
        last = first + 1
        while last < len(order) and (last + 1 - first) * sizes[order[last]] <= room:
            last += 1
        cuts.append(order[first:last])
        first = last
    rng.shuffle(cuts)
    for cut in cuts:
        yield [pairs[at] for at in cut]


class Block(NamedTuple):
    """Padded rows (B, T), the places (n, counted through) that predict a headline's tokens, and these tokens (n,)."""

    ids: Tensor
    places: Tensor
    targets: Tensor


def block(pairs: Sequence[Pair], reader: Reader, controls: Sequence[int], hide: bool) -> Block:
    """Pairs as tensors, a share of their control tokens hidden."""
    config = reader.config
    width = -(-max(len(lead) + len(title) + 2 for lead, title in pairs) // 8) * 8
    ids = np.full((len(pairs), width), config.pad)
    places, targets = [], []
    for row, (lead, title) in enumerate(pairs):
        whole = [*lead, config.after, *title, config.end]
        ids[row, : len(whole)] = whole
        places += range(row * width + len(lead), row * width + len(whole) - 1)
        targets += whole[len(lead) + 1 :]
    if hide:
        hidden = np.random.random((len(pairs), len(controls))) < HIDDEN
        ids[:, : len(controls)] = np.where(hidden, np.array(controls), ids[:, : len(controls)])
    device = reader.embedding.weight.device
    return Block(*(torch.from_numpy(np.asarray(part)).to(device) for part in (ids, places, targets)))


def loss_of(reader: Reader, made: Block) -> Tensor:
    """Sum of -log p over what is predicted."""
    device = made.ids.device
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        states = reader(made.ids, torch.arange(made.ids.shape[1], device=device).expand(made.ids.shape))
        bias = torch.zeros(len(reader.embedding.weight), device=device)
        return linear_cross_entropy(states.flatten(0, 1)[made.places], reader.embedding.weight, bias, made.targets)


def train(reader: Reader, pairs: Sequence[Pair], controls: Sequence[int], asked: argparse.Namespace) -> None:
    """Until the time is over."""
    optimizer = torch.optim.AdamW(
        reader.parameters(), lr=asked.rate, betas=(0.9, 0.95), weight_decay=0.01, fused=reader.norm.weight.is_cuda
    )
    began, step, epoch, shown, seen = time.monotonic(), 0, 0, 0.0, 0
    while True:
        for batch in batches(pairs, asked.tokens, asked.seed + epoch):
            gone = (time.monotonic() - began) / asked.seconds
            if gone >= 1:
                return
            for group in optimizer.param_groups:
                group["lr"] = asked.rate * min((step + 1) / WARM_UP, 1.0) * (1 - gone)
            made = block(batch, reader, controls, hide=True)
            loss, count = loss_of(reader, made), len(made.targets)
            optimizer.zero_grad()
            torch.autograd.backward(loss / count)
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimizer.step()
            step, seen = step + 1, seen + len(batch)
            if time.monotonic() - began >= shown:
                shown = time.monotonic() - began + 15
                print(
                    f"{shown - 15:.0f} s: step {step}, {seen:,} pairs, {float(loss.detach()) / count:.3f} nats a token",
                    flush=True,
                )
        epoch += 1


@torch.no_grad()
def surprise(reader: Reader, pairs: Sequence[Pair], controls: Sequence[int]) -> float:
    """Mean of -log p of a whole headline, in nats."""
    total = 0.0
    for batch in batches(pairs, 16384, 1):
        total += float(loss_of(reader, block(batch, reader, controls, hide=False)))
    return total / len(pairs)


@torch.no_grad()
def greedy(reader: Reader, pairs: Sequence[Pair], usual: Sequence[int], tokens: Tokens) -> list[str]:
    """Greedy headlines of the leads of pairs, asked for with the control tokens of use."""
    found, device = {}, reader.embedding.weight.device
    by_length = defaultdict(list)
    for at, (lead, _) in enumerate(pairs):
        by_length[len(lead)].append(at)
    for places in by_length.values():
        prompts = [[*usual, *pairs[at][0][len(usual) :], reader.config.after] for at in places]
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            rows = read_on(reader, torch.tensor(prompts, device=device), 1, 0.0).tolist()
        found |= dict(zip(places, rows, strict=True))
    return tokens.decode([[each for each in found[at] if each > reader.config.end] for at in range(len(pairs))])


def show(reader: Reader, pairs: Sequence[Pair], usual: Sequence[int], tokens: Tokens) -> None:
    """ROUGE of greedy headlines, and some of them."""
    texts, wanted = greedy(reader, pairs, usual, tokens), tokens.decode([title for _, title in pairs])
    scores = 100 * RougeScorer().score_all(texts, [[text] for text in wanted])[:, :, 2].mean(0)
    print(f"greedy, ROUGE F1 of {len(pairs):,} validation pairs:", " / ".join(f"{score:.2f}" for score in scores))
    for (lead, _), text, other in list(zip(pairs, texts, wanted, strict=True))[:SHOWN]:
        print("  | ".join([*tokens.decode([lead[len(usual) :]]), text, other]))


def usual_tokens(subwords: Subwords, size: int) -> list[int]:
    """The reader's tokens for the control tokens that labels are asked with."""
    wanted = (LENGTH_NAMES[-1], SUPPORT_NAMES[2], "<case:sentence>", ANY[3])
    return [control_token(subwords.ids[name], size) for name in wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("reader", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--judged", type=Path, nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--tokens", type=int, default=32768)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, help="of the pairs of each folder")
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    pairs = [pair for data in asked.data for pair in read_pairs(data, asked.reader, "train", asked.most)]
    valid = read_pairs(asked.data[0], asked.reader, "valid", VALID)
    written = written_pairs(asked.truth, asked.judged, asked.data[0], asked.reader)
    print(f"{len(pairs):,} pairs read, {len(written):,} written ones", flush=True)
    reader = Reader.open(asked.reader).to(usable_device("auto"))
    subwords, size = Subwords.load(asked.data[0]), reader.config.vocabulary
    anything = [control_token(subwords.ids[name], size) for name in ANY]
    train(reader.train(), pairs + written, anything, asked)
    reader.save(asked.out, asked.reader / TOKENS)
    print(f"a validation headline: {surprise(reader.eval(), valid, anything):.2f} nats with its control tokens")
    show(reader, valid, usual_tokens(subwords, size), Tokens(asked.reader))
    print(asked.out)


if __name__ == "__main__":
    main()
