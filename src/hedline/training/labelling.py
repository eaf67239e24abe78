"""What teachers write for the inputs of a data folder: greedy, by beam, or the draw nearest to all other draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hedline.arrays import Array
from hedline.errors import UserError
from hedline.models.batch import END, PAD
from hedline.models.model import open_model, usable_device
from hedline.models.transformer import Transformer
from hedline.text.subword import Subwords
from hedline.training.folder_writer import vocabulary_fingerprint
from hedline.training.options import LabelSettings
from hedline.training.reward import MOST_REFERENCE_WORDS, Reward, Words, rouge
from hedline.training.risk import SENTENCE, Dial
from hedline.training.run import usual_controls
from hedline.training.sampling import beam_search, generate

BATCH = {True: 1024, False: 32}  # inputs at a time, on a GPU or not


class Teachers:
    """One model or several whose probabilities are averaged, on a device."""

    def __init__(self, folders: Sequence[Path], settings: LabelSettings, device: str = "auto") -> None:
        wanted = usable_device(device)
        self.device, self.settings = torch.device(wanted), settings
        self.models: list[Transformer] = [open_transformer(folder, wanted) for folder in folders]
        self.subwords = Subwords.load(folders[0])
        sentence = self.subwords.ids.get(SENTENCE)
        self.reward = Reward(self.subwords, self.device, sentence=sentence)
        self.dial = Dial(self.models[0], self.subwords.names, usual_controls(folders[0]), 1.0)

    def write(self, inputs: Sequence[Array], batch: int = 0) -> list[list[int] | None]:
        """A headline (ids without `</s>`) for each input; None where no end was found."""
        size = batch or BATCH[self.device.type == "cuda"]
        order = np.argsort([len(row) for row in inputs], kind="stable")
        found: list[list[int] | None] = [None] * len(inputs)
        for first in range(0, len(order), size):
            part = order[first : first + size]
            block = torch.from_numpy(padded([inputs[index] for index in part])).to(self.device)
            for index, ids in zip(part.tolist(), self.write_batch(block).tolist(), strict=True):
                found[index] = ids[: ids.index(END)] if END in ids else None
        return found

    def write_batch(self, inputs: Tensor) -> Tensor:
        """Headlines (B, L) for padded inputs (B, M)."""
        settings = self.settings
        asked = self.dial.as_used(inputs) if settings.controls == "usual" else inputs
        half = self.device.type == "cuda"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
            if settings.method == "beam":
                return beam_search(self.models, asked, settings.beam, settings.pieces, settings.length_penalty).ids[
                    :, 0
                ]
            if settings.method == "greedy":
                return generate(self.models, asked, most=settings.pieces).ids[:, 0]
            drawn = generate(self.models, asked, settings.samples, settings.temperature, settings.pieces).ids
        best = least_risk(self.reward, drawn, inputs)
        return drawn[torch.arange(len(drawn), device=drawn.device), best]


def open_transformer(folder: Path, device: str) -> Transformer:
    """The torch model of a folder, a transformer."""
    model, _ = open_model(folder, device)
    if not isinstance(model, Transformer):
        raise UserError(f"{folder} is no transformer; only transformers can be teachers")
    return model


def check_teachers(folders: Sequence[Path], data: Path) -> None:
    """Refuse teachers whose vocabularies are not the data's."""
    if not folders:
        raise UserError("name at least one teacher")
    for folder in folders:
        if vocabulary_fingerprint(folder) != vocabulary_fingerprint(data):
            raise UserError(
                f"{data} has other vocabularies than {folder}; prepare it with --vocabulary-from {folder.name}"
            )


def least_risk(reward: Reward, drawn: Tensor, inputs: Tensor) -> Tensor:
    """(B,): which of the draws (B, S, L) is best judged by all of them as references, less its faults."""
    count, samples = drawn.shape[:2]
    words = reward.reader.read(drawn.flatten(0, 1), MOST_REFERENCE_WORDS)
    faults = reward.faults(words, reward.reader.read(inputs), inputs, samples)
    total = -reward.penalty * samples * faults.float()
    for sample in range(samples):
        others = Words(*(part.view(count, samples, *part.shape[1:])[:, sample] for part in words))
        scores = rouge(words, others, samples)
        for weight, score in zip(reward.weights, scores, strict=True):
            total += weight * score
    ended = (drawn == END).any(dim=2)
    return torch.where(ended, total, -torch.inf).argmax(dim=1)


def padded(rows: Sequence[Array]) -> npt.NDArray[np.int64]:
    """Ragged ids to a block (B, longest)."""
    block = np.full((len(rows), max([1, *map(len, rows)])), PAD, np.int64)
    for index, row in enumerate(rows):
        block[index, : len(row)] = row
    return block
