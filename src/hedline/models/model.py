"""One door to all families: build a model from its architecture, open one from a folder, write one to a folder.

A checkpoint, from which its training goes on, is one safetensors file with every tensor of the training and, in its
header, the rest as JSON. It is written whole or not at all, so an interruption leaves the old one or the new one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

import hedline
from hedline.errors import UserError
from hedline.files import atomic_path, read_entries
from hedline.models.batch import Batch
from hedline.models.encoders import FeedForwardShape, RecurrentShape
from hedline.models.nnlm import FeedForward, Regularization
from hedline.models.recurrent import Recurrent
from hedline.runtime.folder import ModelFolder, save_folder

FAMILIES = ("feedforward", "recurrent", "transformer")
CHECKPOINT = "checkpoint.safetensors"
CHECKPOINT_FORMAT = 1


class Trainable(Protocol):
    """What the training loop asks of a model, besides being an nn.Module."""

    family: str

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Sum of the (in training: smoothed) negative log-likelihoods of the batch's words, and how many."""

    def folder_tensors(self) -> dict[str, Tensor]:
        """Tensors by the names of the model folder."""

    def load_folder_tensors(self, tensors: dict[str, Tensor]) -> None:
        """The inverse."""


def usable_device(wanted: str) -> str:
    """A device's name for torch, `auto` settled; one that is not here is the user's mistake."""
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "auto":
        return "cuda" if gpus else "cpu"
    match = re.fullmatch(r"cpu|cuda(?::(\d+))?", wanted)
    if match is None:
        raise UserError(f"--device is auto, cpu, cuda or cuda:N, not {wanted!r}")
    if wanted != "cpu" and int(match[1] or 0) >= gpus:
        raise UserError(f"torch finds {gpus or 'no'} GPU here, so --device cannot be {wanted}; leave it out")
    return wanted


def build_model(
    family: str,
    architecture: Mapping[str, Any],
    vocab_in: Sequence[str],
    vocab_out: Sequence[str],
    regularization: Regularization | None = None,
) -> Any:
    """A fresh model (an nn.Module that is `Trainable`). vocab_in, vocab_out: the words in id order."""
    if family == "transformer":
        return _transformer(architecture, len(vocab_out), regularization)
    if family not in FAMILIES:
        raise UserError(f"unknown model family {family!r}; known: {', '.join(FAMILIES)}")
    copies = torch.from_numpy(shared_words(vocab_in, vocab_out)) if architecture.get("share_copy") else None
    sizes = (len(vocab_in), len(vocab_out))
    if family == "recurrent":
        return Recurrent(RecurrentShape.read(architecture), *sizes, regularization, copies)
    return FeedForward(FeedForwardShape.read(architecture), *sizes, regularization, copies)


def _transformer(architecture: Mapping[str, Any], vocabulary: int, regularization: Regularization | None) -> nn.Module:
    from hedline.models.transformer import Transformer, TransformerConfig

    values = dict(architecture)
    values.setdefault("vocabulary", vocabulary)
    if "control_any" in values:
        values["control_any"] = tuple(values["control_any"])
    if regularization is not None:
        values |= regularization._asdict()
    try:
        return Transformer(TransformerConfig(**values))
    except TypeError as error:
        raise UserError(f"the transformer's architecture is wrong: {error}") from None


def shared_words(vocab_in: Sequence[str], vocab_out: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """(Vin,) the output id of each input word; -1 for words the output side lacks and for the four specials."""
    ids = {word: index for index, word in enumerate(vocab_out)}
    return np.array([ids.get(word, -1) if index >= 4 else -1 for index, word in enumerate(vocab_in)], np.int64)


def architecture_table(model: Any) -> dict[str, Any]:
    """What config.json records of a model's shape."""
    if model.family == "transformer":
        return dict(model.config.architecture())
    return dict(model.shape.table())


def numpy_tensors(model: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The model folder's tensors, float32 on the host."""
    tensors = model.folder_tensors()
    return {name: value.detach().float().cpu().numpy() for name, value in tensors.items()}


def save_model(
    model: Any, path: Path, units: str, texts: Mapping[str, str], training: Mapping[str, Any], card: str
) -> None:
    """Write a model folder; texts: vocabularies and other small files by name."""
    save_folder(
        path,
        family=model.family,
        units=units,
        architecture=architecture_table(model),
        training=training,
        tensors=numpy_tensors(model),
        texts=texts,
        card=card,
    )


def open_model(path: str | Path, device: str = "cpu") -> tuple[Any, ModelFolder]:
    """The torch model of a folder, in evaluation mode on `device`, and the folder."""
    folder = ModelFolder.open(path)
    words = [read_words(folder.file(name)) for name in ("vocab.input.txt", "vocab.output.txt")]
    model = build_model(folder.config.family, folder.config.architecture, words[0], words[1])
    tensors = {name: torch.from_numpy(folder.tensors.float(name).copy()) for name in model.folder_tensors()}
    model.load_folder_tensors(tensors)
    return model.to(device).eval(), folder


def read_words(path: Path) -> list[str]:
    """The lines of a vocabulary file."""
    try:
        return read_entries(path)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the vocabulary {path}: {error}") from None


def next_word_scores(model: Any, inputs: Tensor, lengths: Tensor) -> Callable[[Tensor], Tensor]:
    """A function from headlines so far (B, n), starting with `<s>`, to scores of the next word (B, V).

    Plain and slow (it reads the whole prefix again each time): for the samples during training, any family.
    """
    if model.family == "transformer":
        memory, mask = model.encode(inputs)
        return lambda outputs: model.logits(model.decode(outputs, memory, mask)[:, -1])
    kept = model.read(inputs, lengths)

    def score(outputs: Tensor) -> Tensor:
        prefix = torch.cat([outputs[:, 1:], outputs[:, :1]], dim=1)  # states() adds `<s>` and drops the last
        scores: Tensor = model.output(model.states(kept, prefix)[0][:, -1])
        return scores

    return score


def save_checkpoint(folder: Path, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
    """Write the checkpoint of a model folder. facts: anything JSON can hold."""
    from safetensors.torch import save_file

    whole = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    facts = {"format": CHECKPOINT_FORMAT, "version": hedline.__version__, **facts}
    with atomic_path(folder / CHECKPOINT) as temporary:
        try:
            save_file(whole, os.fspath(temporary), {"facts": json.dumps(facts)})
        except OSError:
            raise
        except Exception as error:  # safetensors wraps a full disk in an error type of its own
            raise OSError(str(error)) from error


def load_checkpoint(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and facts of a model folder's checkpoint."""
    from safetensors import safe_open

    path = folder / CHECKPOINT
    if not path.is_file():
        raise UserError(f"there is no checkpoint in {folder} to resume from; train without --resume")
    try:
        with safe_open(os.fspath(path), framework="pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # safetensors has an error type of its own for damaged files
        raise UserError(f"{path} is damaged ({error}); train again without --resume") from None
    if facts.get("format") != CHECKPOINT_FORMAT:
        raise UserError(
            f"{path} was written by hedline {facts.get('version')}, which this version ({hedline.__version__}) "
            "cannot continue; use that version or train again"
        )
    return tensors, facts


def pick(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors under a prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def random_state(device: torch.device) -> dict[str, Tensor]:
    """The state of torch's random generators."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def restore_random_state(states: dict[str, Tensor], device: torch.device) -> None:
    """Put the generators back."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
