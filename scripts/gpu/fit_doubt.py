"""Fits a finished model's doubt about its own headlines to verdicts, on a CPU: see Doubt in hedline.runtime.layers.

    python scripts/gpu/fit_doubt.py MODEL --judged FILE.tsv [FILE.tsv …] [--held FILE.tsv]

Writes MODEL/doubt.safetensors. FILE.tsv: verdicts (hedline.training.verdicts); an untrue or broken headline is to be
doubted, a good or weak one not.
--held: verdicts on other leads, whose ranking is printed; without it every fifth lead is held out for that, and all are
learnt in the end.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import Doubt
from hedline.training.judge import Judge, ranking
from hedline.training.labelling import open_transformer
from hedline.training.verdicts import Verdict, blocks, read_verdicts

EPOCHS, RATE, DECAY, SIZE = 12, 1e-3, 1.0, 128


@torch.no_grad()
def states(judge: Judge, verdicts: Sequence[Verdict]) -> tuple[Tensor, Tensor]:
    """What the model had in mind of each judged headline, (n, 2 * width), and whether it is unsound, (n,)."""
    found, wrong = [], []
    for block in blocks(verdicts, 32, torch.device("cpu")):
        known = ~block.faults[..., :3].isnan().all(2)
        found.append(judge.pooled(block.inputs, block.headlines)[known])
        wrong.append((block.faults[known][:, :2] == 1).any(1).float())
    return torch.cat(found), torch.cat(wrong)


def fit(x: Tensor, y: Tensor, seed: int = 1) -> tuple[Tensor, float]:
    """Weight (2 * width,) and bias of a logistic regression on standardised states."""
    torch.manual_seed(seed)
    mean, scale = x.mean(0), x.std(0) + 1e-3
    z, linear = (x - mean) / scale, torch.nn.Linear(x.shape[1], 1)
    optimizer = torch.optim.AdamW(linear.parameters(), lr=RATE, weight_decay=DECAY)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(z)).split(SIZE):
            optimizer.zero_grad()
            torch.autograd.backward(F.binary_cross_entropy_with_logits(linear(z[part])[:, 0], y[part]))
            optimizer.step()
    weight = linear.weight.detach()[0] / scale
    return weight, float(linear.bias.detach()[0] - weight @ mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--judged", type=Path, nargs="+", required=True)
    parser.add_argument("--held", type=Path)
    asked = parser.parse_args()
    judge = Judge(open_transformer(asked.model, "cpu")).eval()
    verdicts = [each for path in asked.judged for each in read_verdicts(asked.model, path)]
    random.Random(1).shuffle(verdicts)
    held = read_verdicts(asked.model, asked.held) if asked.held else verdicts[: len(verdicts) // 5]
    (x, y), (other, wrong) = states(judge, verdicts if asked.held else verdicts[len(held) :]), states(judge, held)
    weight, bias = fit(x, y)
    said = (other @ weight + bias).sigmoid()
    print(f"{len(y):,} headlines, {100 * float(y.mean()):.1f} % unsound; held out {len(wrong):,}: ", end="")
    print(f"ranked right {ranking(said.numpy(), wrong.numpy()):.3f}, mean doubt {float(said.mean()):.3f}, "
          f"unsound {float(wrong.mean()):.3f}")  # fmt: skip
    if not asked.held:
        weight, bias = fit(torch.cat([x, other]), torch.cat([y, wrong]))
    folder = ModelFolder.open(asked.model)
    Doubt(np.asarray(weight.view(2, -1)), bias).save(folder)
    print(folder.file("doubt.safetensors"))


if __name__ == "__main__":
    main()
