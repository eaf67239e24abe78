"""A judge of headlines: a transformer that has learnt from verdicts how likely a headline is to have a fault.

The rules of the meaning guard know what was written down; a judge generalises from examples. It begins as a trained
headline model, whose attention already finds what each word of a headline stands for, reads a lead and a headline, and
tells four faults apart. `altered` is learnt from headlines that a program spoilt, of which there are any number; the
others from verdicts that were given one by one. Training for risk (risk.py) asks it about every headline drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from hedline.errors import UserError
from hedline.files import read_json, write_json
from hedline.models.batch import PAD, START
from hedline.models.model import build_model
from hedline.models.transformer import Transformer
from hedline.training.sampling import first_piece
from hedline.training.verdicts import FAULTS, Block, Verdict, blocks

COUNTED = {"untrue": 1.0, "broken": 1.0, "weak": 0.4}  # how much of a headline's worth each fault takes
WEIGHTS, CONFIG = "judge.safetensors", "judge.json"


class AnyJudge(Protocol):
    """What learning and asking need of a judge: this one, or one that reads with another model (panel.py)."""

    @property
    def device(self) -> torch.device:
        """Where the judge is."""

    @property
    def first(self) -> int:
        """The first id that is a piece of text."""

    def __call__(self, inputs: Tensor, headlines: Tensor) -> Tensor:
        """inputs (B, M) and headlines (B, S, L) to logits (B, S, faults)."""

    def unsound(self, headlines: Tensor, inputs: Tensor) -> Tensor:
        """(B, S) in 0..1: how much of each headline's worth its likely faults take."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """What learning changes."""

    def train(self, mode: bool = True) -> Any:
        """Get ready to learn."""

    def eval(self) -> Any:
        """Get ready to be asked."""


class Judge(nn.Module):
    """Logits of the faults of a headline, from the states of a transformer that has read lead and headline.

    joint: the encoder reads the headline too, behind the lead, so that each word of the one sees those of the other.
    """

    def __init__(self, body: Transformer, joint: bool = False) -> None:
        super().__init__()
        width = body.config.width
        self.body, self.joint = body, joint
        self.head = nn.Linear(2 * width, len(FAULTS))

    @property
    def device(self) -> torch.device:
        """Where the judge is."""
        return self.head.weight.device

    @property
    def first(self) -> int:
        """The first id that is a piece of text."""
        return first_piece(self.body)

    def forward(self, inputs: Tensor, headlines: Tensor) -> Tensor:
        """inputs (B, M) with control tokens; headlines (B, S, L) that end in `</s>`, then `<pad>`: (B, S, faults)."""
        found: Tensor = self.head(self.pooled(inputs, headlines))
        return found

    def pooled(self, inputs: Tensor, headlines: Tensor) -> Tensor:
        """(B, S, 2 * width): the state that ends each headline, and the mean of its states."""
        count = headlines.shape[1]
        rows = headlines.flatten(0, 1)
        leads = self.plain(inputs)
        if self.joint:
            leads = side_by_side(leads.repeat_interleave(count, dim=0), rows)
            memory, mask = self.body.encode(leads)
        else:
            memory, mask = (part.repeat_interleave(count, dim=0) for part in self.body.encode(leads))
        start = torch.full_like(rows[:, :1], START)
        states = self.body.decode(torch.cat([start, rows[:, :-1]], dim=1), memory, mask)  # the last one predicts `</s>`
        return ends_and_means(states, rows).view(len(inputs), count, -1)

    def plain(self, inputs: Tensor) -> Tensor:
        """Inputs with every control token hidden: a verdict must not depend on what was asked for."""
        count = self.body.config.controls
        if not count:
            return inputs
        anything = torch.tensor(self.body.config.control_any, device=inputs.device).expand(len(inputs), count)
        return torch.cat([anything.to(inputs.dtype), inputs[:, count:]], dim=1)

    @torch.no_grad()
    def unsound(self, headlines: Tensor, inputs: Tensor) -> Tensor:
        """(B, S) in 0..1: how much of each headline's worth its likely faults take."""
        return worth_taken(self(inputs, headlines))

    def save(self, folder: Path) -> None:
        """Write the judge; the body's shape goes into the config."""
        folder.mkdir(parents=True, exist_ok=True)
        save_file(
            {name: value.detach().cpu().contiguous() for name, value in self.state_dict().items()}, folder / WEIGHTS
        )
        write_json(folder / CONFIG, {"joint": self.joint, "architecture": self.body.config.architecture()})

    @classmethod
    def open(cls, folder: Path, device: torch.device | str) -> Judge:
        """A saved judge, ready to be asked."""
        if not (folder / CONFIG).is_file():
            raise UserError(f"{folder} holds no judge; make one with scripts/gpu/train_judge.py")
        record = read_json(folder / CONFIG)
        size = int(record["architecture"]["vocabulary"])
        judge = cls(build_model("transformer", record["architecture"], [""] * size, [""] * size), bool(record["joint"]))
        judge.load_state_dict(load_file(folder / WEIGHTS))
        return judge.to(device).eval()


def ends_and_means(states: Tensor, headlines: Tensor) -> Tensor:
    """(…, 2 * width): of states (…, L, width) the one that ends each headline (…, L), and the mean of them.

    >>> ends_and_means(torch.tensor([[1.0], [3.0], [9.0]]), torch.tensor([7, 3, PAD])).tolist()
    [3.0, 2.0]
    """
    real = (headlines != PAD).to(states.dtype)
    count = real.sum(-1, keepdim=True).clamp(min=1)
    mean = (states * real[..., None]).sum(-2) / count
    last = (count.long() - 1)[..., None].expand(*mean.shape[:-1], 1, states.shape[-1])
    return torch.cat([states.gather(-2, last).squeeze(-2), mean], dim=-1)


def worth_taken(logits: Tensor) -> Tensor:
    """(…,) in 0..1: how much of a headline's worth the faults of logits (…, faults) take."""
    chances = logits.float().sigmoid()
    left = torch.ones_like(chances[..., 0])
    for name, share in COUNTED.items():
        left = left * (1 - share * chances[..., FAULTS.index(name)])
    return 1 - left


def side_by_side(leads: Tensor, headlines: Tensor) -> Tensor:
    """(R, M + L): each lead's pieces with its headline's right behind them, then padding."""
    joined = torch.cat([leads, headlines], dim=1)
    order = (joined == PAD).to(torch.int8).argsort(dim=1, stable=True)
    return joined.gather(1, order)


def surprise(logits: Tensor, faults: Tensor) -> Tensor:
    """Mean binary cross-entropy over what is known."""
    known = ~faults.isnan()
    return F.binary_cross_entropy_with_logits(logits[known].float(), faults[known])


def drop_words(inputs: Tensor, share: float, first: int) -> Tensor:
    """Inputs with a share of their pieces, not controls, replaced by random ones, lest leads be known by heart."""
    hit = (torch.rand(inputs.shape, device=inputs.device) < share) & (inputs >= first)
    other = inputs.flatten()[torch.randint(inputs.numel(), inputs.shape, device=inputs.device)]
    return torch.where(hit & (other >= first), other, inputs)


def learn(
    judge: AnyJudge, verdicts: Sequence[Verdict], epochs: int, rate: float, size: int = 64, seed: int = 1
) -> Iterator[float]:
    """Train a judge; gives the mean loss of each epoch. The rate falls linearly to zero after a short warm-up."""
    device = judge.device
    optimizer = torch.optim.AdamW(judge.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.02)
    steps, done = epochs * -(-len(verdicts) // size), 0
    for epoch in range(epochs):
        total, count = 0.0, 0
        for block in blocks(verdicts, size, device, seed + epoch):
            for group in optimizer.param_groups:
                group["lr"] = rate * min((done + 1) / (0.05 * steps + 1), (steps - done) / steps)
            loss = _loss(judge.train(), block)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimizer.step()
            done, count, total = done + 1, count + 1, total + float(loss.detach())
        yield total / max(count, 1)


class Tutor:
    """Verdicts that a model learns beside its headlines, so that its states tell sound headlines from others.

    The head that reads the states is not kept: one is fitted to the finished model (scripts/gpu/train_judge.py).
    """

    def __init__(
        self, model: Transformer, verdicts: Sequence[Sequence[Verdict]], size: int = 48, seed: int = 1
    ) -> None:
        """verdicts: kinds of them, each as often as the others."""
        self.judge = Judge(model).to(model.bias.device)
        self.optimizer = torch.optim.AdamW(self.judge.head.parameters(), lr=5e-4, weight_decay=0.01)
        self.turns = [_forever(each, size, model.bias.device, seed) for each in verdicts]
        self.done = 0

    def teach(self, weight: float) -> None:
        """Add `weight` times the gradient of one block of verdicts; the head makes its own step."""
        block = next(self.turns[self.done % len(self.turns)])
        self.done += 1
        self.optimizer.zero_grad()
        torch.autograd.backward(weight * _loss(self.judge, block))
        self.optimizer.step()


class Echo:
    """What judges say of headlines that a model draws, learnt by the model itself: its states come to know it.

    So a finished model can doubt what it wrote (Doubt in runtime/layers.py) nearly as judges do that are many times its
    size and far from it. The head is not kept, as that of the Tutor is not.
    """

    def __init__(self, width: int, device: torch.device) -> None:
        self.head = nn.Linear(2 * width, 1, device=device)
        nn.init.zeros_(self.head.weight)  # so that models trained side by side learn it alike and can be averaged
        nn.init.zeros_(self.head.bias)
        self.optimizer = torch.optim.AdamW(self.head.parameters(), lr=5e-4, weight_decay=0.01)

    def surprise(self, states: Tensor, headlines: Tensor, unsound: Tensor) -> Tensor:
        """Mean cross-entropy with what the judges say (b, S) of headlines (b, S, L) with states (b, S, L, width)."""
        said = self.head(ends_and_means(states, headlines))[..., 0]
        return F.binary_cross_entropy_with_logits(said.float(), unsound.float())

    def step(self) -> None:
        """Move the head by the gradients that the model's step has left it."""
        self.optimizer.step()
        self.optimizer.zero_grad()


def _forever(verdicts: Sequence[Verdict], size: int, device: torch.device, seed: int) -> Iterator[Block]:
    for epoch in itertools.count(seed):
        yield from blocks(verdicts, size, device, epoch)


def _loss(judge: AnyJudge, block: Block) -> Tensor:
    kind = block.inputs.device.type
    inputs = drop_words(block.inputs, 0.02, judge.first)
    with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
        return surprise(judge(inputs, block.headlines), block.faults)


@torch.no_grad()
def verdicts_of(judge: AnyJudge, verdicts: Sequence[Verdict], size: int = 64) -> tuple[Any, Any]:
    """What a judge says (n, F) and what is known (n, F) of all headlines, as numpy arrays."""
    judge.eval()
    said, known = [], []
    for block in blocks(verdicts, size, judge.device):
        said.append(judge(block.inputs, block.headlines).float().sigmoid().flatten(0, 1).cpu().numpy())
        known.append(block.faults.flatten(0, 1).cpu().numpy())
    return np.concatenate(said), np.concatenate(known)


def ranking(scores: Any, wrong: Any) -> float:
    """The chance that a random wrong headline gets a higher score than a random right one; ties count half.

    >>> ranking(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]))
    0.75
    """
    order = np.argsort(scores, kind="stable")
    _, inverse, counts = np.unique(scores[order], return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    bad = wrong[order] > 0
    many, few = int(bad.sum()), int((~bad).sum())
    if not many or not few:
        return float("nan")
    return float((ranks[bad].sum() - many * (many + 1) / 2) / (many * few))
