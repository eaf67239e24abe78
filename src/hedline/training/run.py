"""`hedline train`: data folder in, model folder out."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from hedline.data.dataset import Dataset, Pairs
from hedline.errors import UserError
from hedline.models.model import build_model, read_words, shared_words
from hedline.models.nnlm import Regularization
from hedline.models.start import start_at_frequencies, start_copying
from hedline.training.base import Base
from hedline.training.checkpoint import load_checkpoint
from hedline.training.config import TrainConfig, convert, override
from hedline.training.distributed import Group
from hedline.training.folder_writer import FolderWriter, vocabulary_fingerprint
from hedline.training.loop import Interrupted, Place, Trainer
from hedline.training.settings import architecture_for, config_for
from hedline.training.split import DeviceSplit

CHANGEABLE = ("epochs", "patience", "time_limit")


@dataclass(frozen=True)
class TrainRequest:
    """What the user asked for.

    encoder: of the feed-forward model; decoder: `nnlm` (feed-forward), `rnn`, `lstm` or `transformer`; settings:
    named values for TrainConfig and for the architecture; checkpoint_minutes: 0 writes no checkpoints; samples: how
    many headlines to show after each epoch; base: folder of a model to train further, its architecture is kept.
    """

    data: Path
    out: Path
    encoder: str = "attention"
    decoder: str = "nnlm"
    preset: str = "best"
    settings: Mapping[str, Any] = field(default_factory=dict)
    resume: bool = False
    device: str = "auto"
    data_on_device: bool = True
    checkpoint_minutes: float = 10.0
    samples: int = 3
    tensorboard: bool = False
    base: Path | None = None


def train(request: TrainRequest) -> Place:
    """Train a model; returns where the training ended, with its history."""
    dataset = Dataset.open(request.data)
    pairs = training_pairs(dataset)
    with Group() as group:
        device = group.device(request.device)
        tensors, facts = load_checkpoint(request.out) if request.resume else ({}, None)
        base = Base.open(request.base, request.data) if request.base and facts is None else None
        config, family, architecture = decide(request, dataset, len(pairs), device, facts, base)
        if not request.resume and group.first:
            refuse_to_overwrite(request.out)
        torch.manual_seed(config.seed)
        words = [read_words(request.data / f"vocab.{side}.txt") for side in ("input", "output")]
        regularization = Regularization(config.dropout, config.label_smoothing)
        model = build_model(family, architecture, words[0], words[1], regularization).to(device)
        start_informed(model, config, pairs, words)
        if base is not None:
            base.copy_weights(model)
        torch.manual_seed(config.seed + group.rank)
        place = device if request.data_on_device else "cpu"
        valid = DeviceSplit(dataset.split("valid"), place) if dataset.has("valid") else None
        trainer = Trainer(model, DeviceSplit(pairs, place), valid, config, group)
        if facts is not None:
            trainer.restore(tensors, facts)
        del tensors
        origin = base.table() if base else (facts or {}).get("base")
        writer = FolderWriter(trainer, request, dataset, words[1], origin)
        if base is not None and group.first:
            introduce(base, trainer, request.out)
        return run(trainer, request, writer)


def start_informed(model: Any, config: TrainConfig, pairs: Pairs, words: list[list[str]]) -> None:
    """Begin at what the config wants known from the start. words: both vocabularies."""
    if config.frequencies and model.family != "transformer":
        start_at_frequencies(model.output, pairs.outputs, len(pairs))
    if config.copying and model.family == "feedforward":
        start_copying(model, shared_words(*words), config.copying)


def introduce(base: Base, trainer: Trainer, out: Path) -> None:
    """Say where the training begins."""
    start = trainer.validate()
    print(f"from: {base.folder.path.name}" + (f", valid perplexity {start.closed:.2f}" if start else ""), flush=True)
    if base.copy_tuning(out):
        print(f"its feature weights were copied; fit them to this data with: hedline tune {out} SET", flush=True)


def run(trainer: Trainer, request: TrainRequest, writer: FolderWriter) -> Place:
    """The loop with files, screen and signals around it."""
    with interruptible() as stopped:
        try:
            place = trainer.run(writer.hooks(stopped))
        except Interrupted:
            raise UserError(
                f"interrupted; go on with: hedline train {request.data} --out {request.out} --resume"
            ) from None
        except torch.cuda.OutOfMemoryError:
            config = trainer.config
            raise UserError(
                f"the GPU has not enough memory for batches of {config.batch} {config.batch_of}; "
                f"try --batch {max(1, config.batch // 2)}"
            ) from None
        writer.finish(place)
    return place


def training_pairs(dataset: Dataset) -> Pairs:
    """The train split, checked: pairs there, ids within the vocabularies."""
    pairs = dataset.split("train")
    if len(pairs) == 0:
        raise UserError(f"{dataset.folder} holds no training pairs; prepare it again with more data or milder filters")
    for name, ids, size in (
        ("input", pairs.inputs, dataset.input_size),
        ("output", pairs.outputs, dataset.output_size),
    ):
        if len(ids) and int(ids.max()) >= size:
            raise UserError(f"{dataset.folder}: an {name} id lies beyond vocab.{name}.txt; prepare the data again")
    return pairs


def decide(
    request: TrainRequest,
    dataset: Dataset,
    pairs: int,
    device: torch.device,
    facts: Mapping[str, Any] | None,
    base: Base | None = None,
) -> tuple[TrainConfig, str, dict[str, Any]]:
    """Config, family and architecture: from the request and the data, from the base, or from the checkpoint."""
    on_gpu = device.type == "cuda"
    if base is not None:
        return base.decide(request.preset, request.settings, pairs, on_gpu)
    if facts is None:
        config, rest = config_for(request.preset, request.decoder, request.settings, pairs, on_gpu)
        family, architecture = architecture_for(request, dataset, rest, pairs, on_gpu)
        return config, family, architecture
    if facts["vocabulary"] != vocabulary_fingerprint(request.data):
        raise UserError(
            f"the vocabularies of {request.data} are not those that {request.out} was trained with; "
            "resume with the same data folder"
        )
    if facts["data"] != dataset.fingerprint:
        raise UserError(
            f"{request.data} is not the data that {request.out} was trained on; resume with the same folder"
        )
    began = {**facts["architecture"], **facts["config"]}
    fixed = [
        name for name, value in request.settings.items() if name not in CHANGEABLE and not _same(value, began.get(name))
    ]
    if fixed:
        raise UserError(f"--resume goes on with the settings it began with; it cannot change {', '.join(fixed)}")
    changed = {name: value for name, value in request.settings.items() if name in CHANGEABLE}
    return override(TrainConfig(**facts["config"]), changed), facts["family"], facts["architecture"]


def _same(asked: Any, began: Any) -> bool:
    """Whether a setting (perhaps still text) is what the run began with, so that a command can be repeated."""
    if began is None:
        return False
    try:
        return bool(convert("", asked, type(began)) == began)
    except UserError:
        return False


def refuse_to_overwrite(out: Path) -> None:
    """A folder with something else in it, or a finished model, is not overwritten."""
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; give --out a folder")
    if (out / "config.json").exists() or (out / "checkpoint.safetensors").exists():
        raise UserError(f"{out} already holds a model; choose another --out, remove it, or go on with --resume")


@contextlib.contextmanager
def interruptible() -> Iterator[Any]:
    """Turn the first Ctrl-C or SIGTERM into a request to stop after the step; a second one ends at once."""
    asked: list[int] = []

    def note(number: int, _: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    kept = {}
    with contextlib.suppress(ValueError):  # only the main thread may set handlers
        kept = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
