"""The model folder: one folder, no pickle, loadable from any path without a network.

`config.json` says what the model is and carries the identity of the weights and checksums of the small files;
`model.safetensors` holds the weights, `vocab.*.txt` the words; `shortlist.safetensors`, `merges.txt`, `truecase.tsv`
and `tuning.json` are there when the model has them. Everything is checked before it is used, above all that the tensors
are those of the model's family and have their shapes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from hedline.errors import UserError
from hedline.files import digest, finish_saving, open_regular, read_bounded, read_json, staged, write_json, write_text
from hedline.runtime.tensors import MEMORY_BUDGET, TensorFile, read_checksum, write_tensors

Shapes = dict[str, tuple[int, ...]]
MAX_SIZE = 1 << 20
MAX_LAYERS = 256
MAX_WINDOW = 1024  # words to each side, and words of context: what is computed for each is not in the file
ENCODERS = ("none", "bow", "conv", "attention")


def size(architecture: Mapping[str, Any], name: str, least: int = 1, most: int = MAX_SIZE) -> int:
    """A whole number of the architecture, checked."""
    value = architecture.get(name)
    if type(value) is not int or not least <= value <= most:
        raise UserError(f"config.json: architecture.{name} is {value!r}, not a whole number from {least} to {most}")
    return value


def choice(architecture: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """One of a few words of the architecture, checked."""
    value = architecture.get(name)
    if value not in choices:
        raise UserError(f"config.json: architecture.{name} is {value!r}, not one of {', '.join(choices)}")
    return str(value)


def feedforward_shapes(architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """The paper's model: `{"encoder", "D", "H", "C", "Q", "L"}`."""
    D, H, C = size(architecture, "D"), size(architecture, "H"), size(architecture, "C", 1, MAX_WINDOW)
    encoder = choice(architecture, "encoder", ENCODERS)
    shapes: Shapes = {
        "E.weight": (vocab_out, D),
        "U.weight": (H, C * D),
        "U.bias": (H,),
        "V.weight": (vocab_out, H),
        "V.bias": (vocab_out,),
    }
    if encoder != "none":
        shapes["W.weight"] = (vocab_out, H)
        shapes["encoder.F.weight"] = (vocab_in, H)
    if encoder == "attention":
        shapes |= _attention_shapes(architecture, vocab_out, D, H, C)
    if encoder == "conv":
        width = 2 * size(architecture, "Q", 0, MAX_WINDOW) + 1
        for layer in range(size(architecture, "L", 1, MAX_LAYERS)):
            shapes[f"encoder.Q.{layer}.weight"] = (H, H, width)
            shapes[f"encoder.Q.{layer}.bias"] = (H,)
    return shapes


def _attention_shapes(architecture: Mapping[str, Any], vocab_out: int, D: int, H: int, C: int) -> Shapes:
    window = (2 * size(architecture, "Q", 0, MAX_WINDOW) + 1, H)
    shapes: Shapes = {"encoder.P.weight": (H, C * D)}
    if H % size({"heads": 1} | dict(architecture), "heads"):
        raise UserError("config.json: architecture.heads does not divide architecture.H")
    if architecture.get("share_context", False) is not True:
        shapes["encoder.G.weight"] = (vocab_out, D)
    for name in ("keys", "values"):
        if architecture.get(name) == "taps":
            shapes[f"encoder.{name[:-1]}_taps.weight"] = window
    positions = size({"positions": 0} | dict(architecture), "positions", 0)
    if positions:
        shapes["encoder.position.weight"] = (positions, H)
    return shapes


def recurrent_shapes(architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """Chopra et al. 2016: `{"decoder": rnn|lstm, "D", "H", "Q", "positions"}`."""
    D, H = size(architecture, "D"), size(architecture, "H")
    gates = {"rnn": 1, "lstm": 4}[choice(architecture, "decoder", ("rnn", "lstm"))]
    return {
        "E.weight": (vocab_out, D),
        "encoder.F.weight": (vocab_in, H),
        "encoder.position.weight": (max(size(architecture, "positions", 0), 1), H),
        "encoder.Z.weight": (H, H, 2 * size(architecture, "Q", 0, MAX_WINDOW) + 1),
        "encoder.Z.bias": (H,),
        "word_gates.weight": (gates * H, D),
        "word_gates.bias": (gates * H,),
        "state_gates.weight": (gates * H, 2 * H),
        "V.weight": (vocab_out, H),
        "W.weight": (vocab_out, H),
        "V.bias": (vocab_out,),
    }


def transformer_shapes(architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """`{"width", "inner", "heads", "encoder_layers", "decoder_layers", …}`; one vocabulary for both sides."""
    width, inner, heads = (size(architecture, name) for name in ("width", "inner", "heads"))
    if vocab_in != vocab_out or width % heads or width % 2 or width < 4:
        raise UserError(
            "config.json: a transformer needs one vocabulary for input and output, and an even width of at least 4 "
            "that its heads divide"
        )
    shapes: Shapes = {"embedding.weight": (vocab_out, width), "bias": (vocab_out,)}
    for side, blocks in (("encoder", ("attention",)), ("decoder", ("attention", "cross"))):
        shapes |= _norm_shapes(f"{side}_norm", width)
        for layer in range(size(architecture, f"{side}_layers", 1, MAX_LAYERS)):
            place = f"{side}.{layer}"
            for block in blocks:
                shapes |= _norm_shapes(f"{place}.{block}_norm", width)
                shapes |= _linear_shapes(f"{place}.{block}.query", width, width)
                shapes |= _linear_shapes(f"{place}.{block}.key_value", 2 * width, width)
                shapes |= _linear_shapes(f"{place}.{block}.output", width, width)
            shapes |= _norm_shapes(f"{place}.feed_norm", width)
            shapes |= _linear_shapes(f"{place}.feed.up", inner, width)
            shapes |= _linear_shapes(f"{place}.feed.down", width, inner)
    return shapes


def _norm_shapes(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _linear_shapes(name: str, rows: int, columns: int) -> Shapes:
    return {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}


FAMILIES: dict[str, Callable[[Mapping[str, Any], int, int], Shapes]] = {
    "feedforward": feedforward_shapes,
    "recurrent": recurrent_shapes,
    "transformer": transformer_shapes,
}


def expected_shapes(family: str, architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """Every tensor a model of this family and architecture has, by name."""
    if family not in FAMILIES:
        raise UserError(f"config.json: unknown model family {family!r}; known: {', '.join(FAMILIES)}")
    return FAMILIES[family](architecture, vocab_in, vocab_out)


FORMAT = 1
MAX_JSON = 1 << 22
MAX_TEXT = 1 << 24
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
    quick: dict[str, str] = field(default_factory=dict)

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
            raise UserError(f"there is no model folder at {folder}; check the name, or train one with `hedline train`")
        finish_saving(folder)
        config = read_config(folder / "config.json")
        _check_sizes(folder)
        sizes = [_count_lines(folder / name) for name in VOCABULARIES]
        _check_small_files(folder, config)
        tensors = TensorFile(folder / WEIGHTS, config.quick.get(WEIGHTS, ""), config.checksums.get(WEIGHTS, ""))
        _check_identity(tensors, config)
        shapes = expected_shapes(config.family, config.architecture, *sizes)
        _check_shapes(tensors, shapes)
        _check_budget(folder, shapes)
        there = (folder / SHORTLIST).exists()
        shortlist = TensorFile(folder / SHORTLIST, config.quick.get(SHORTLIST, "")) if there else None
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
            self.tensors[name]  # reading checks the values


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
    """Write a model folder as a whole or not at all (see files.py); returns it opened and checked.

    texts: contents of the small files by name (`vocab.input.txt`, `vocab.output.txt`, `merges.txt`, …).
    The same model gives the same bytes: even the identity of the weights is made of them.
    """
    folder = Path(path)
    with staged(folder, () if shortlist else (SHORTLIST,)) as stage:
        identity = weights_identity(tensors)
        for name, text in texts.items():
            write_text(stage / name, text)
        if card is not None:
            write_text(stage / "README.md", card)
        if shortlist is not None:
            write_tensors(stage / SHORTLIST, shortlist, {"weights_id": identity})
        write_tensors(stage / WEIGHTS, tensors, {"weights_id": identity})
        homes = {name: stage if (stage / name).exists() else folder for name in (*GUARDED, WEIGHTS)}
        checksums = {name: file_checksum(home / name) for name, home in homes.items() if (home / name).exists()}
        quick = {name: read_checksum(stage / name) for name in (WEIGHTS, SHORTLIST) if (stage / name).exists()}
        config = ModelConfig(family, units, dict(architecture), dict(training), identity, checksums, quick)
        write_json(stage / "config.json", config.to_json())
    return ModelFolder.open(folder)


def weights_identity(tensors: Mapping[str, NDArray[Any]]) -> str:
    """16 hexadecimal digits that tell weights apart."""
    named = sorted(tensors.items())
    parts = (
        (f"{name} {tensor.dtype} {tensor.shape}", np.ascontiguousarray(tensor).tobytes()) for name, tensor in named
    )
    return digest(part for pair in parts for part in pair)[:16]


def file_checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with open_regular(path, MEMORY_BUDGET) as file:
        return digest([cast(BinaryIO, file)])


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
    tables = [value.get(name, {}) for name in ("architecture", "training", "checksums", "quick")]
    if not all(isinstance(table, dict) for table in tables):
        raise UserError(f"{path}: architecture, training, checksums and quick must be tables")
    sums = [{str(name): str(text) for name, text in table.items()} for table in tables[2:]]
    return ModelConfig(family, units, tables[0], tables[1], str(value.get("weights_id", "")), *sums)


def _count_lines(path: Path) -> int:
    """Number of lines of a vocabulary, the last one with or without its newline."""
    try:
        content = read_bounded(path, MAX_TEXT)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def _check_sizes(folder: Path) -> None:
    """Nothing is read whole that is absurdly large, named by the checksums or not."""
    for name, limit in (*((name, MAX_TEXT) for name in GUARDED), ("tuning.json", MAX_JSON)):
        file = folder / name
        if not file.is_file():
            if file.exists():
                raise UserError(f"{file} is not a regular file; put the file itself there")
        elif file.stat().st_size > limit:
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


def _check_budget(folder: Path, shapes: Shapes) -> None:
    """Refuse what would need more memory than stated, before any of it is taken: all tensors as float32."""
    needed = 4 * sum(math.prod(shape) for shape in shapes.values())
    if needed > MEMORY_BUDGET:
        raise UserError(
            f"{folder} would need {needed / 1e9:.1f} GB of memory; a model may have {MEMORY_BUDGET / 1e9:.1f} GB"
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
