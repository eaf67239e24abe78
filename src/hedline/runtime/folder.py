"""The model folder: one folder, no pickle, loadable from any path without a network.

`config.json` says what the model is and carries the identity of the weights and checksums of the small files;
`model.safetensors` holds the weights, `vocab.*.txt` the words; `shortlist.safetensors`, `merges.txt`,
`truecase.tsv` and `tuning.json` are there when the model has them. Everything is checked before it is used.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.errors import UserError
from hedline.files import read_json, write_json, write_text
from hedline.runtime.shapes import expected_shapes
from hedline.runtime.tensors import TensorFile, write_tensors

FORMAT = 1
MAX_JSON = 1 << 22
MAX_TEXT = 1 << 28
WEIGHTS = "model.safetensors"
SHORTLIST = "shortlist.safetensors"
VOCABULARIES = ("vocab.input.txt", "vocab.output.txt")
# Small files whose checksum is tested at every opening (tuning.json and the card may change later).
GUARDED = (*VOCABULARIES, "merges.txt", "truecase.tsv")


@dataclass(frozen=True)
class ModelConfig:
    """`config.json`: what a model is, how it was made, and which files belong to it."""

    family: str
    units: str
    architecture: dict[str, Any]
    training: dict[str, Any]
    weights_id: str
    checksums: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        return {"format": FORMAT, **self.__dict__}


@dataclass(frozen=True)
class ModelFolder:
    """An opened, checked model folder. Weights stay on disk until they are asked for."""

    path: Path
    config: ModelConfig
    tensors: TensorFile
    shortlist: TensorFile | None
    vocab_in: int
    vocab_out: int

    @classmethod
    def open(cls, path: str | Path) -> ModelFolder:
        """Open and check: versions, names, shapes, sizes, checksums of the small files."""
        folder = Path(path)
        if not folder.is_dir():
            raise UserError(f"there is no model folder at {folder}")
        config = read_config(folder / "config.json")
        _check_sizes(folder)
        sizes = [_count_lines(folder / name) for name in VOCABULARIES]
        _check_small_files(folder, config)
        tensors = TensorFile(folder / WEIGHTS)
        _check_identity(tensors, config)
        _check_shapes(tensors, expected_shapes(config.family, config.architecture, *sizes))
        shortlist = TensorFile(folder / SHORTLIST) if (folder / SHORTLIST).exists() else None
        return cls(folder, config, tensors, shortlist, *sizes)

    def file(self, name: str) -> Path:
        """Path of one of the folder's files, e.g. `vocab.input.txt`."""
        return self.path / name

    def verify(self) -> None:
        """Read every weight: wrong checksum or a value that is not finite is an error (`hedline doctor`)."""
        wanted = self.config.checksums.get(WEIGHTS)
        if wanted and file_checksum(self.path / WEIGHTS) != wanted:
            raise UserError(f"{self.path / WEIGHTS} is damaged: its checksum differs from config.json; copy it again")
        for name in self.tensors:
            values = self.tensors[name]
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                raise UserError(f"{self.path / WEIGHTS}: tensor {name!r} holds values that are not finite")


def save_folder(
    path: str | Path,
    *,
    family: str,
    units: str,
    architecture: Mapping[str, Any],
    training: Mapping[str, Any],
    tensors: Mapping[str, NDArray[Any]],
    texts: Mapping[str, str],
    card: str | None = None,
    shortlist: Mapping[str, NDArray[Any]] | None = None,
) -> ModelFolder:
    """Write a model folder, each file whole or not at all, `config.json` last; returns it opened and checked.

    texts: contents of the small files by name (`vocab.input.txt`, `vocab.output.txt`, `merges.txt`, …).
    An interruption between two files is noticed at the next opening by the weights' identity and the checksums.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    identity = secrets.token_hex(8)
    for name, text in texts.items():
        write_text(folder / name, text)
    if card is not None:
        write_text(folder / "README.md", card)
    if shortlist is not None:
        write_tensors(folder / SHORTLIST, shortlist, {"weights_id": identity})
    else:
        (folder / SHORTLIST).unlink(missing_ok=True)
    write_tensors(folder / WEIGHTS, tensors, {"weights_id": identity})
    checked = [name for name in (*GUARDED, WEIGHTS) if (folder / name).exists()]
    checksums = {name: file_checksum(folder / name) for name in checked}
    config = ModelConfig(family, units, dict(architecture), dict(training), identity, checksums)
    write_json(folder / "config.json", config.to_json())
    return ModelFolder.open(folder)


def file_checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_config(path: Path) -> ModelConfig:
    """Read and check `config.json`."""
    if path.exists() and path.stat().st_size > MAX_JSON:
        raise UserError(f"{path} is too large for a model's config.json")
    try:
        value = read_json(path)
    except RecursionError:
        raise UserError(f"{path} is nested too deeply for a model's config.json") from None
    if not isinstance(value, dict) or "format" not in value:
        raise UserError(f"{path} does not describe a hedline model")
    if value["format"] != FORMAT:
        raise UserError(f"{path} has format {value['format']!r}, this version reads format {FORMAT}; upgrade hedline")
    units, family = value.get("units"), value.get("family")
    if units not in ("words", "subwords") or not isinstance(family, str):
        raise UserError(f"{path} names unknown units {units!r} or no model family")
    tables = [value.get(name, {}) for name in ("architecture", "training", "checksums")]
    if not all(isinstance(table, dict) for table in tables):
        raise UserError(f"{path}: architecture, training and checksums must be tables")
    return ModelConfig(family, units, tables[0], tables[1], str(value.get("weights_id", "")), tables[2])


def _count_lines(path: Path) -> int:
    """Number of lines of a vocabulary, the last one with or without its newline."""
    try:
        if path.stat().st_size > MAX_TEXT:
            raise UserError(f"{path} is too large for a vocabulary")
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def _check_sizes(folder: Path) -> None:
    """Nothing is read whole that is absurdly large, named by the checksums or not."""
    for name, limit in (*((name, MAX_TEXT) for name in GUARDED), ("tuning.json", MAX_JSON)):
        file = folder / name
        if file.is_file() and file.stat().st_size > limit:
            raise UserError(f"{file} is too large for a model folder (over {limit >> 20} MB)")


def _check_small_files(folder: Path, config: ModelConfig) -> None:
    for name in GUARDED:
        wanted = config.checksums.get(name)
        if wanted is None:
            continue
        file = folder / name
        if not file.is_file() or file.stat().st_size > MAX_TEXT:
            raise UserError(f"{file} is missing or too large; copy the whole model folder again")
        if file_checksum(file) != wanted:
            raise UserError(f"{file} is not the file this model was saved with; copy the whole model folder again")


def _check_identity(tensors: TensorFile, config: ModelConfig) -> None:
    if config.weights_id and tensors.metadata.get("weights_id") != config.weights_id:
        raise UserError(
            f"{tensors.path} belongs to another config.json; copy the whole model folder again, or save it again"
        )


def _check_shapes(tensors: TensorFile, expected: Mapping[str, tuple[int, ...]]) -> None:
    """Every expected tensor there with its shape, float32 or int8 with row scales, and nothing else."""
    for name, shape in expected.items():
        if name not in tensors:
            raise UserError(f"{tensors.path} lacks the tensor {name!r} that config.json promises")
        if tensors.shape(name) != shape:
            raise UserError(f"{tensors.path}: {name!r} has shape {tensors.shape(name)}, config.json and "
                            f"the vocabularies need {shape}")  # fmt: skip
        kind = tensors.places[name].dtype.str.lstrip("<|")
        if kind == "i1":
            if tensors.places.get(f"{name}.scale", (None,))[:2] != (np.dtype("<f4"), shape[:1]):
                raise UserError(f"{tensors.path}: the int8 tensor {name!r} has no scale for each row")
        elif kind != "f4" or tensors.quantized(name):
            raise UserError(f"{tensors.path}: {name!r} is neither float32 nor int8 with row scales")
    known = set(expected) | {f"{name}.scale" for name in expected}
    unknown = sorted(set(tensors) - known)
    if unknown:
        raise UserError(f"{tensors.path} holds a tensor that config.json does not know: {unknown[0]!r}")
