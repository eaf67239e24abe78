"""Making a trained model folder small and quick for shipping: int8 weights, and a shortlist.

int8 weights with one scale per row take a quarter of the size, and are faster where memory is the limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.files import write_text
from hedline.runtime.folder import GUARDED, VOCABULARIES, ModelFolder, save_folder
from hedline.runtime.shortlist import ShortlistOptions, learn_shortlist, same_words
from hedline.settings import REQUIRED, setting

MIN_ITEMS = 4096  # smaller tensors (norms, position taps) stay float32: nothing to win
LEVELS = 127


def quantize_rows(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric rounding of each row (first axis) to -127 … 127: (values, scale (rows,))."""
    rows = np.asarray(weight, np.float32).reshape(len(weight), -1)
    scale = (np.abs(rows).max(axis=1, initial=0) / np.float32(LEVELS)).astype(np.float32)
    divisor = np.where(scale > 0, scale, np.float32(1))
    values = np.clip(np.rint(rows / divisor[:, None]), -LEVELS, LEVELS).astype(np.int8)
    return values.reshape(weight.shape), scale


def quantize_tensors(tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Every large weight matrix as int8 with `<name>.scale`; biases, norms and int8 tensors as they are."""
    quantized: dict[str, NDArray[Any]] = {}
    for name, value in tensors.items():
        small = value.ndim < 2 or value.size < MIN_ITEMS
        if small or value.dtype != np.float32 or not name.endswith(".weight"):
            quantized[name] = value
        else:
            quantized[name], quantized[f"{name}.scale"] = quantize_rows(value)
    return quantized


COPIED = ("tuning.json",)


@dataclass(frozen=True)
class ExportSettings:
    """Where a model is written again, and how."""

    out: Path = setting(REQUIRED, "The folder to write.")
    int8: bool = setting(True, "Round weights to 8 bits, or keep float32.", names=("--int8/--float",))
    data: Path | None = setting(None, "The data folder it was trained on: learns the shortlist from it.")


def export_folder(
    source: ModelFolder, settings: ExportSettings, shortlist: dict[str, NDArray[Any]] | None = None
) -> ModelFolder:
    """Write `source` again, quantised if asked, with the new shortlist or else its own."""
    out = settings.out
    if out.resolve() == source.path.resolve():
        raise UserError(f"{out} is the model itself; export it to another folder")
    tensors = {name: source.tensors[name] for name in source.tensors}
    if shortlist is None and source.shortlist is not None:
        shortlist = {name: source.shortlist[name] for name in source.shortlist}
    texts = {name: _read(source.file(name)) for name in GUARDED if source.file(name).is_file()}
    card = source.file("README.md")
    exported = save_folder(
        out,
        family=source.config.family,
        units=source.config.units,
        architecture=source.config.architecture,
        training=source.config.training,
        tensors=quantize_tensors(tensors) if settings.int8 else tensors,
        texts=texts,
        card=_read(card) if card.is_file() else None,
        shortlist=shortlist,
    )
    for name in COPIED:
        if source.file(name).is_file():
            write_text(out / name, _read(source.file(name)))
    return exported


def shortlist_from_data(
    source: ModelFolder, data: str | Path, options: ShortlistOptions | None = None
) -> dict[str, NDArray[Any]]:
    """Learn the shortlist of a model from the data it was trained on."""
    dataset = Dataset.open(data)
    if (dataset.input_size, dataset.output_size) != (source.vocab_in, source.vocab_out):
        raise UserError(f"{data} was prepared with other vocabularies than {source.path}; give the model's own data")
    words = [_read(source.file(name)).removesuffix("\n").split("\n") for name in VOCABULARIES]
    same = None if source.config.units == "subwords" else same_words(words[0], words[1])
    return learn_shortlist(dataset.split("train"), source.vocab_in, source.vocab_out, same, options)


def folder_size(folder: ModelFolder) -> int:
    """Bytes on disk of the folder's files."""
    return sum(path.stat().st_size for path in folder.path.iterdir() if path.is_file())


def rounding_error(source: ModelFolder, exported: ModelFolder) -> float:
    """Largest root-mean-square error of a quantised tensor, as a share of the tensor's own size."""
    worst = 0.0
    for name in source.tensors:
        if exported.tensors.quantized(name) and not source.tensors.quantized(name):
            plain = source.tensors.float(name)
            error = float(np.sqrt(np.square(plain - exported.tensors.float(name)).mean()))
            worst = max(worst, error / max(float(np.sqrt(np.square(plain).mean())), 1e-12))
    return worst


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()
