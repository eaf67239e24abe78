"""`hedline train`: a data folder becomes a model folder.

A finished model can be trained further on other data: its weights, architecture and feature weights are the start.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from hedline.data.dataset import Dataset, Pairs
from hedline.errors import UserError
from hedline.files import LOCK, logged_seconds, read_json, training_lock, was_killed, write_text
from hedline.models.model import CHECKPOINT, build_model, load_checkpoint, read_words, shared_words
from hedline.models.nnlm import Regularization, start_at_frequencies, start_copying
from hedline.runtime.folder import ModelFolder
from hedline.training.batches import DeviceSplit
from hedline.training.config import architecture_for, config_for, convert, override
from hedline.training.folder_writer import FolderWriter, vocabulary_fingerprint
from hedline.training.loop import Group, Interrupted, Place, Trainer
from hedline.training.options import TrainConfig, TrainRequest

GENTLER = 0.25  # of the usual learning rate: the weights are good already
MOST_EPOCHS = 5  # and little is left to learn
LEAST_BATCH = 32  # headlines; each step updates a large model whole, however few pairs it saw


@dataclass(frozen=True)
class Base:
    """The model to begin with; float32 or int8."""

    folder: ModelFolder

    @classmethod
    def open(cls, path: Path, data: Path) -> Base:
        """Open a model folder and check that the data was prepared with its vocabularies."""
        folder = ModelFolder.open(path)
        if vocabulary_fingerprint(path) != vocabulary_fingerprint(data):
            raise UserError(
                f"{data} has other vocabularies than {path}; prepare it anew with --vocabulary-from {path.name} "
                "(or the model's path)"
            )
        return cls(folder)

    def decide(
        self, preset: str, settings: Mapping[str, Any], pairs: int, on_gpu: bool
    ) -> tuple[TrainConfig, str, dict[str, Any]]:
        """Config, family and architecture: the last two are the model's own."""
        family, architecture = self.folder.config.family, self.folder.config.architecture
        decoder = {"feedforward": "nnlm", "transformer": "transformer"}.get(family) or str(architecture["decoder"])
        config, rest = config_for(preset, decoder, settings, pairs, on_gpu)
        if rest:
            raise UserError(f"--from keeps the model's architecture; it cannot set {', '.join(rest)}")
        if config.objective == "risk":
            return config, family, dict(architecture)
        return override(self._gentler(config), settings), family, dict(architecture)

    @staticmethod
    def _gentler(config: TrainConfig) -> TrainConfig:
        batch = max(config.batch, LEAST_BATCH) if config.batch_of == "headlines" else config.batch
        return replace(
            config, lr=GENTLER * min(config.lr, TrainConfig.lr), epochs=min(config.epochs, MOST_EPOCHS), batch=batch
        )

    def copy_weights(self, model: Any) -> None:
        """Give a fresh model of the same architecture this one's weights."""
        tensors = self.folder.tensors
        model.load_folder_tensors(
            {name: torch.from_numpy(tensors.float(name).copy()) for name in model.folder_tensors()}
        )

    def copy_tuning(self, out: Path) -> bool:
        """Hand down the feature weights, a better start than none; whether there were any."""
        tuning = self.folder.file("tuning.json")
        if not tuning.is_file() or (out / "tuning.json").exists():
            return False
        write_text(out / "tuning.json", tuning.read_text(encoding="utf-8"))
        return True

    def table(self) -> dict[str, str]:
        """What config.json and the checkpoint say about the origin."""
        return {"model": self.folder.path.name, "weights": self.folder.config.weights_id}


def usual_controls(model: Path) -> list[str]:
    """The control tokens that a model folder's tuning uses it with."""
    tuning = model / "tuning.json"
    found = read_json(tuning).get("decoding", {}).get("controls", {}) if tuning.is_file() else {}
    return [str(name) for name in found.values()]


CHANGEABLE = ("epochs", "patience", "time_limit")


def train(request: TrainRequest) -> Place:
    """Train a model; returns where the training ended, with its history."""
    dataset = Dataset.open(request.data)
    pairs = training_pairs(dataset)
    with Group() as group, claimed(request, group):
        device = group.device(request.device)
        # A training that was killed before its first checkpoint begins anew.
        resumed = request.resume and not ((request.out / LOCK).is_file() and not has_checkpoint(request.out))
        tensors, facts = load_checkpoint(request.out) if resumed else ({}, None)
        base = Base.open(request.base, request.data) if request.base and facts is None else None
        config, family, architecture = decide(request, dataset, len(pairs), device, facts, base)
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
        trainer = make_trainer(model, DeviceSplit(pairs, place), valid, config, group, request, base)
        choose_threads(trainer, fresh=facts is None)
        if facts is not None:
            trainer.restore(tensors, facts)
            trainer.place.seconds = logged_seconds(request.out, "checkpoint") or trainer.place.seconds
        del tensors
        origin = base.table() if base else (facts or {}).get("base")
        writer = FolderWriter(trainer, request, dataset, words[1], origin)
        if base is not None and group.first:
            introduce(base, trainer, request.out)
        return run(trainer, request, writer)


def choose_threads(trainer: Trainer, fresh: bool) -> None:
    """The CPU threads that do the first step quickest; what a user or an interrupted run decided is kept."""
    config = trainer.config
    if trainer.device.type != "cpu":
        return
    if config.threads:
        torch.set_num_threads(config.threads)
        return
    if not fresh or trainer.group.world > 1 or "OMP_NUM_THREADS" in os.environ or torch.get_num_threads() == 1:
        return
    times = trainer.measure_threads()
    chosen = min(times, key=lambda count: times[count])
    torch.set_num_threads(chosen)
    trainer.config = replace(config, threads=chosen)  # a resumed run goes on with the same sums
    tried = ", ".join(f"{1000 * seconds:.1f} ms with {count}" for count, seconds in times.items())
    print(f"threads: {chosen} (a step takes {tried}; --set threads=N decides it)", flush=True)


@contextlib.contextmanager
def claimed(request: TrainRequest, group: Group) -> Iterator[None]:
    """The output folder for this training alone; what another left there is not overwritten."""
    if not group.first:
        yield
        return
    killed = was_killed(request.out) and not has_checkpoint(request.out)
    if request.resume and not killed:
        if not has_checkpoint(request.out):
            load_checkpoint(request.out)  # says that there is none
    elif not killed:
        refuse_to_overwrite(request.out)
    with training_lock(request.out):
        yield


def has_checkpoint(out: Path) -> bool:
    """Whether there is something to resume from."""
    return (out / CHECKPOINT).is_file()


def make_trainer(
    model: Any,
    pairs: DeviceSplit,
    valid: DeviceSplit | None,
    config: TrainConfig,
    group: Group,
    request: TrainRequest,
    base: Base | None,
) -> Trainer:
    """The loop for the config's objective."""
    if config.objective != "risk":
        return Trainer(model, pairs, valid, config, group)
    from hedline.text.subword import Subwords
    from hedline.training.risk import RiskTrainer

    if model.family != "transformer":
        raise UserError("the risk objective trains transformers; leave --objective out for other models")
    used = usual_controls(base.folder.path if base else request.out)
    trainer = RiskTrainer(model, pairs, valid, config, group, Subwords.load(request.data), used)
    if config.risk_verdicts:
        trainer.learn_verdicts(request.data, [Path(name) for name in config.risk_verdicts.split(",")])
    return trainer


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
    if base is None and facts is None and request.settings.get("objective") == "risk":
        raise UserError("the risk objective improves a finished model; name it with --from")
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
    if (out / "settings.json").exists():
        raise UserError(f"{out} is a data folder; choose another --out for the model")
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
