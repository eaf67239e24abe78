"""Fits a finished model's doubt about its own headlines to verdicts, on a CPU: see hedline.runtime.doubt.

    python scripts/gpu/fit_doubt.py MODEL --judged FILE.tsv [FILE.tsv …] [--held FILE.tsv …]

Writes MODEL/doubt.safetensors. FILE.tsv: verdicts (hedline.training.verdicts); an untrue or broken headline is to be
doubted, a good or weak one not. One lead in ten, the same that judges do not learn from, is left out, and how its
headlines are ranked is printed for each file; --held: verdicts on other leads, of which the same is printed.
80,000 verdicts take about 15 minutes on two cores and 3 GB.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from truth_data import as_used

from hedline.models.batch import END, PAD, START
from hedline.models.transformer import Transformer
from hedline.runtime.doubt import MEASURES, Doubt, measures
from hedline.runtime.folder import ModelFolder
from hedline.text.subword import LENGTH_NAMES, Subwords
from hedline.training.judge import ranking
from hedline.training.labelling import open_transformer, padded
from hedline.training.verdicts import Judged, held_out, read_judged

INNER, HIDDEN, EPOCHS, RATE, DECAY, SIZE = 64, 128, 6, 1e-3, 0.05, 512
DROPPED = (0.1, 0.3)  # share of the states and of the hidden layer that is dropped while it learns
BLOCK, LONGEST = 48, 40  # leads whose headlines are read at once; pieces that are read of a headline
SAMPLE = 50_000  # states of which the mean and the deviation are taken
UNSOUND = ("untrue", "broken")


class Told(NamedTuple):
    """What a model had in mind of n judged headlines, their pieces end to end.

    states: (pieces, width) in half precision; places: (n,) where each headline's pieces begin; lengths: (n,);
    measures: (n, MEASURES); wrong: (n,) whether it is unsound; spared: (n,) whether its lead is one not to learn from.
    """

    states: Tensor
    places: Tensor
    lengths: Tensor
    measures: Tensor
    wrong: Tensor
    spared: Tensor

    def rows(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """States (b, L, width) of some headlines, and which of them are there."""
        lengths = self.lengths[chosen]
        steps = torch.arange(int(lengths.max()))
        places = (self.places[chosen][:, None] + steps).clamp_max(len(self.states) - 1)
        return self.states[places].float(), steps < lengths[:, None]


def read_told(model: Path, judged: Sequence[Judged]) -> Told:
    """Read every headline with its lead as it is used."""
    subwords, network = Subwords.load(model), open_transformer(model, "cpu").eval()
    rows = []
    for each in judged:
        ids = [*(subwords.ids[name] for name in as_used(each.lead, LENGTH_NAMES[-1])), *subwords.encode(each.lead)]
        headlines = [np.array([*subwords.encode(text), END][:LONGEST]) for _, text in each.headlines]
        rows.append((np.array(ids), headlines, each))
    rows.sort(key=lambda row: len(row[0]))
    states, log_probs, lengths, wrong, spared = [], [], list[int](), list[bool](), list[bool]()
    for first in range(0, len(rows), BLOCK):
        part = rows[first : first + BLOCK]
        owners = [place for place, row in enumerate(part) for _ in row[1]]
        found, said, counts = written(network, [row[0] for row in part], owners, [h for row in part for h in row[1]])
        states.append(found.half())
        log_probs.append(said)
        lengths += counts
        wrong += [verdict in UNSOUND for row in part for verdict, _ in row[2].headlines]
        spared += [held_out(part[owner][2].lead) for owner in owners]
    sizes = torch.tensor(lengths)
    measured = measures(torch.cat(log_probs).double().numpy(), lengths)
    return Told(
        torch.cat(states),
        sizes.cumsum(0) - sizes,
        sizes,
        torch.from_numpy(measured).float(),
        torch.tensor(wrong).float(),
        torch.tensor(spared),
    )


@torch.inference_mode()
def written(
    network: Transformer, leads: Sequence[np.ndarray], owners: Sequence[int], headlines: Sequence[np.ndarray]
) -> tuple[Tensor, Tensor, list[int]]:
    """States (pieces, width) and log-probabilities (pieces,) of headlines while they are written; pieces of each."""
    memory, mask = network.encode(torch.from_numpy(padded(leads)))
    rows = torch.from_numpy(padded(headlines))
    before = torch.cat([torch.full_like(rows[:, :1], START), rows[:, :-1]], dim=1)
    real = rows != PAD
    states = network.decode(before, memory[owners], mask[owners])[real]
    said = torch.log_softmax(network.logits(states), dim=-1).gather(1, rows[real][:, None])[:, 0]
    return states, said, real.sum(1).tolist()


class Network(nn.Module):
    """What becomes a Doubt: over states and measures that are standardised."""

    def __init__(self, told: Sequence[Told], seed: int = 1) -> None:
        super().__init__()
        torch.manual_seed(seed)
        states = torch.cat([each.states[:: 1 + len(each.states) // SAMPLE] for each in told]).float()
        measured = torch.cat([each.measures for each in told])
        self.mean, self.scale = states.mean(0), states.std(0) + 1e-3
        self.middle, self.spread = measured.mean(0), measured.std(0) + 1e-3
        self.piece = nn.Linear(states.shape[1], INNER)
        self.within = nn.Linear(2 * INNER + states.shape[1] + MEASURES, HIDDEN)
        self.out = nn.Linear(HIDDEN, 1)

    def forward(self, states: Tensor, real: Tensor, measured: Tensor) -> Tensor:
        """(n, L, width), (n, L) and (n, MEASURES) to (n,)."""
        states, counts = (states - self.mean) / self.scale, real.sum(1)
        seen = F.relu(self.piece(F.dropout(states, DROPPED[0], self.training)))
        seen = F.dropout(seen, DROPPED[0], self.training) * real[..., None]
        ends = states[torch.arange(len(states)), counts - 1]
        told = [seen.sum(1) / counts[:, None], seen.amax(1), ends, (measured - self.middle) / self.spread]
        hidden = F.relu(self.within(F.dropout(torch.cat(told, dim=1), DROPPED[0], self.training)))
        found: Tensor = self.out(F.dropout(hidden, DROPPED[1], self.training))[:, 0]
        return found

    @torch.no_grad()
    def doubt(self) -> Doubt:
        """The same for states and measures as they are."""
        piece, within = self.piece.weight / self.scale, self.within.weight.clone()
        plain = torch.cat([torch.zeros(2 * INNER), self.mean, self.middle])
        within /= torch.cat([torch.ones(2 * INNER), self.scale, self.spread])
        parts = piece, self.piece.bias - piece @ self.mean, within, self.within.bias - within @ plain
        return Doubt(*(np.asarray(part, np.float32) for part in (*parts, self.out.weight[0], self.out.bias)))


def parts_of(told: Sequence[Told]) -> list[tuple[Told, Tensor]]:
    """Headlines to learn from, a batch at a time, in random order."""
    taught = [(each, (~each.spared).nonzero()[:, 0]) for each in told]
    parts = [(each, part) for each, chosen in taught for part in chosen[torch.randperm(len(chosen))].split(SIZE)]
    return [parts[place] for place in torch.randperm(len(parts))]


def learn(network: Network, told: Sequence[Told]) -> Iterator[float]:
    """Teach it to tell unsound headlines; gives the mean loss of each epoch. The rate falls to zero."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps, done = EPOCHS * len(parts_of(told)), 0
    for _ in range(EPOCHS):
        losses = []
        for each, part in parts_of(told):
            optimizer.param_groups[0]["lr"] = RATE * (1 - done / steps)
            loss = F.binary_cross_entropy_with_logits(
                network.train()(*each.rows(part), each.measures[part]), each.wrong[part]
            )
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            losses.append(loss.item())
            done += 1
        yield float(np.mean(losses))


@torch.inference_mode()
def report(network: Network, told: Told, chosen: Tensor, name: str) -> None:
    """Print how the network ranks verdicts it has not learnt, and how many were unsound by doubt."""
    network.eval()
    doubt = torch.cat([network(*told.rows(part), told.measures[part]) for part in chosen.split(SIZE)]).sigmoid()
    wrong, parts = told.wrong[chosen], []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        part = wrong[(doubt >= low) & (doubt < low + 0.2)]
        parts.append(f"from {low:.1f} {int(part.sum())} of {len(part)}")
    print(f"{name}: {len(wrong):,} headlines, ranked right {ranking(doubt.numpy(), wrong.numpy()):.3f}; unsound "
          + ", ".join(parts), flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--judged", type=Path, nargs="+", required=True)
    parser.add_argument("--held", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    told = []
    for path in asked.judged:
        told.append(read_told(asked.model, read_judged(path)))
        print(
            f"{path}: {len(told[-1].lengths):,} headlines, {100 * float(told[-1].wrong.mean()):.1f} % unsound",
            flush=True,
        )
    network = Network(told)
    for epoch, loss in enumerate(learn(network, told), 1):
        print(f"epoch {epoch} of {EPOCHS}: loss {loss:.4f}", flush=True)
    for path, each in zip(asked.judged, told, strict=True):
        report(network, each, each.spared.nonzero()[:, 0], f"held out of {path}")
    for path in asked.held:
        other = read_told(asked.model, read_judged(path))
        report(network, other, torch.arange(len(other.lengths)), str(path))
    folder = ModelFolder.open(asked.model)
    network.doubt().save(folder)
    print(folder.file("doubt.safetensors"))


if __name__ == "__main__":
    main()
