"""Perplexity with and without unknown words, and `hedline perplexity`: a model folder against a data folder.

It is always measured in float32 and without smoothing or dropout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.models.batch import UNKNOWN, Batch
from hedline.models.model import open_model, read_words, usable_device
from hedline.training.batches import DeviceSplit, plan_epoch
from hedline.training.options import PerplexitySettings

AS_USUAL = PerplexitySettings()


@dataclass(frozen=True)
class Perplexity:
    """How surprised a model is by the headlines of a split.

    closed: over all words and `</s>`, `<unk>` counted as a word like any other (the paper's way); known: over the
    words that are not `<unk>`; words, unknown: how many were scored, and how many of them are `<unk>`.
    """

    closed: float
    known: float
    words: int
    unknown: int

    def __str__(self) -> str:
        share = 100 * self.unknown / max(self.words, 1)
        return f"{self.closed:.2f} ({self.known:.2f} without the {share:.1f} % unknown words)"


def measure_perplexity(model: Any, split: DeviceSplit, batch: int = 256) -> Perplexity:
    """Perplexity of a model over a split, in the model's present weights."""
    was_training = model.training
    model.eval()
    plan = plan_epoch(split.input_lengths, split.output_lengths, batch, "headlines", 0, 0, pool=1 << 20)
    placed = split.place(plan)
    device = next(iter(model.parameters())).device
    totals = torch.zeros(2, dtype=torch.float64, device=device)
    unknown = 0
    with torch.inference_mode():
        for step in range(plan.steps):
            one = placed.batch(step).to(device)
            totals[0] += model.loss(one)[0].double()
            odd = unknown_only(one)
            if odd.count:
                totals[1] += model.loss(odd)[0].double()
            unknown += odd.count
    model.train(was_training)
    words, odd_words = split.words, unknown
    both, rare = (float(value) for value in totals)
    return Perplexity(exp(both, words), exp(both - rare, words - odd_words), words, odd_words)


def unknown_only(batch: Batch) -> Batch:
    """The same batch with only the `<unk>` words scored."""
    odd = batch.targets == UNKNOWN
    rows, positions = batch.token_rows[odd], batch.token_positions[odd]
    return Batch(batch.inputs, batch.input_lengths, batch.outputs, batch.output_lengths, rows, positions, len(rows))


def exp(total: float, count: int) -> float:
    """exp(total / count), infinite instead of an overflow, not a number when there is nothing to count."""
    if count == 0:
        return math.nan
    mean = total / count
    return math.exp(mean) if mean < 700 else math.inf


def perplexity_of_folder(model: Path, data: Path, settings: PerplexitySettings = AS_USUAL) -> Perplexity:
    """Perplexity of a saved model on a split; the data must have been encoded with the model's vocabularies."""
    device = usable_device(settings.device)
    dataset = Dataset.open(data)
    network, folder = open_model(model, device)
    for name in ("vocab.input.txt", "vocab.output.txt"):
        if read_words(folder.file(name)) != read_words(dataset.folder / name):
            raise UserError(f"{name} of {data} is not the model's; prepare the data with --vocabulary-from {model}")
    pairs = dataset.split(settings.split)
    if len(pairs) == 0:
        raise UserError(f"the {settings.split} split of {data} is empty")
    return measure_perplexity(network, DeviceSplit(pairs, device))
