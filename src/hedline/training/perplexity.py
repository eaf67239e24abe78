"""`hedline perplexity`: a model folder against a data folder."""

from __future__ import annotations

from pathlib import Path

import torch

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.models.model import open_model, read_words
from hedline.training.evaluate import Perplexity, measure_perplexity
from hedline.training.split import DeviceSplit


def perplexity_of_folder(model: Path, data: Path, split: str = "valid", device: str = "auto") -> Perplexity:
    """Perplexity of a saved model on a split; the data must have been encoded with the model's vocabularies."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    dataset = Dataset.open(data)
    network, folder = open_model(model, device)
    for name in ("vocab.input.txt", "vocab.output.txt"):
        if read_words(folder.file(name)) != read_words(dataset.folder / name):
            raise UserError(f"{name} of {data} is not the model's; prepare the data with --vocabulary-from {model}")
    pairs = dataset.split(split)
    if len(pairs) == 0:
        raise UserError(f"the {split} split of {data} is empty")
    return measure_perplexity(network, DeviceSplit(pairs, device))
