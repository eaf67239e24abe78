"""What a training leaves behind while it runs: progress, the model folder, checkpoints, curves, a log, samples."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from hedline.data.dataset import Dataset
from hedline.errors import UserError, require
from hedline.files import write_text
from hedline.models.batch import pad
from hedline.models.model import architecture_table, save_model
from hedline.progress import Progress, duration
from hedline.training.card import model_card
from hedline.training.checkpoint import save_checkpoint
from hedline.training.curves import write_curves
from hedline.training.loop import Hooks, Place, Report, Trainer
from hedline.training.samples import collapse_warning, greedy

TEXTS = ("vocab.input.txt", "vocab.output.txt", "merges.txt", "truecase.tsv")
PROBES = 64


class FolderWriter:
    """Writes the model folder of a training and tells the user how it goes; silent on all ranks but the first."""

    def __init__(
        self, trainer: Trainer, request: Any, dataset: Dataset, words: list[str], base: dict[str, str] | None = None
    ) -> None:
        """base: the model that was trained further, where there is one."""
        self.trainer, self.request, self.dataset = trainer, request, dataset
        self.words, self.base = words, base
        self.first = trainer.group.first
        self.progress: Progress | None = None
        self.saved = self.began = time.monotonic()
        self.texts = {
            name: (dataset.folder / name).read_text(encoding="utf-8")
            for name in TEXTS
            if (dataset.folder / name).is_file()
        }
        self.vocabulary = vocabulary_fingerprint(dataset.folder)
        self.decode = decoder_of(dataset, words)
        self.scalars = _scalars(request) if request.tensorboard and self.first else None
        self._introduce()

    def hooks(self, stopped: Callable[[], bool]) -> Hooks:
        """The loop's view of this writer."""
        return Hooks(report=self.report, epoch_done=self.epoch_done, save=self.save, stop=stopped)

    def say(self, text: str) -> None:
        """A line for the user."""
        if self.first:
            print(text, flush=True)

    def report(self, report: Report) -> None:
        """Advance the live line; save a checkpoint when one is due."""
        if self.first:
            words = self.trainer.train_split.words
            if self.progress is None:
                self.progress = Progress(f"epoch {report.epoch + 1}", words, "words", every=5.0)
                self.progress.start = self.began
            note = f"perplexity {report.perplexity:.1f}" + (f", lr {report.rate:.2g}" if report.rate else "")
            note += f", {report.skipped} bad steps skipped" if report.skipped else ""
            self.progress.advance(report.words - self.progress.done, note + self._time_left())
            if self.scalars:
                self.scalars.add_scalar("train/perplexity", report.perplexity, self.trainer.place.total)
                self.scalars.add_scalar("train/rate", report.rate, self.trainer.place.total)
        minutes = self.request.checkpoint_minutes
        if minutes and self.trainer.config.time_limit == 0 and time.monotonic() - self.saved > 60 * minutes:
            self.save()

    def _time_left(self) -> str:
        done = self.trainer.progress() if self.trainer.group.world == 1 else 0.0
        used = self.trainer.seconds()
        return f", all in {duration(used / done - used)}" if 0.002 < done < 1 else ""

    def epoch_done(self, row: dict[str, Any], improved: bool) -> None:
        """Print the epoch's numbers and samples; keep the model when it is the best so far."""
        if self.first:
            if self.progress is not None:
                self.progress.close()
            self.progress = None
            self.say(describe_row(row, improved))
            self._samples()
            if improved or self.trainer.config.keep == "last":
                self._save_model()
            if self.scalars:
                self.scalars.add_scalar("valid/perplexity", row["valid"] or row["train"], self.trainer.place.total)
        self.trainer.group.wait()
        self.began = time.monotonic()

    def save(self) -> None:
        """Write the checkpoint, the log and the curves."""
        self.saved = time.monotonic()
        if not self.first:
            return
        out, trainer = self.request.out, self.trainer
        lines = "".join(json.dumps(row) + "\n" for row in trainer.place.history)
        write_text(out / "training.jsonl", lines)
        write_curves(out / "curves.svg", trainer.place.history, f"{out.name}: perplexity")
        if self.request.checkpoint_minutes:
            facts = {
                **trainer.state_facts(),
                "family": trainer.model.family,
                "architecture": architecture_table(trainer.model),
                "vocabulary": self.vocabulary,
                "data": self.dataset.fingerprint,
                "base": self.base,
            }
            save_checkpoint(out, trainer.state_tensors(), facts)

    def finish(self, place: Place) -> None:
        """The last line."""
        if self.scalars:
            self.scalars.close()
        seconds = duration(self.trainer.seconds())
        rate = place.words_seen / max(self.trainer.seconds(), 1e-9)
        self.say(
            f"{self.request.out}: best perplexity {place.best:.2f} after {seconds} ({rate:,.0f} words/s, all included)"
        )

    def _save_model(self) -> None:
        """Write the model folder with the weights as they are now (the average, when there is one)."""
        trainer = self.trainer
        history = [{key: value for key, value in row.items() if value is not None} for row in trainer.place.history]
        training = {
            "config": trainer.config.table(),
            "data": self.dataset.fingerprint,
            "pairs": len(trainer.train_split),
            "device": device_name(trainer.device),
            "torch": torch.__version__,
            "history": history,
            **({"base": self.base} if self.base else {}),
        }
        card = model_card(trainer, self.dataset, training)
        save_model(trainer.model, self.request.out, self.dataset.units, self.texts, training, card)

    def _samples(self) -> None:
        """Greedy headlines for some validation inputs, and a warning when they are all alike."""
        if not self.request.samples:
            return
        split = "valid" if self.dataset.has("valid") else "train"
        pairs = self.dataset.split(split)
        chosen = range(min(PROBES, len(pairs)))
        inputs, lengths = pad([pairs.input(index).tolist() for index in chosen], self.trainer.device)
        found = greedy(self.trainer.model, inputs, lengths)
        for index in list(chosen)[: self.request.samples]:
            self.say(f"  human: {self.decode(pairs.output(index).tolist())}")
            self.say(f"  model: {self.decode(found[index]) or '(nothing)'}")
        warning = collapse_warning(found)
        if warning:
            self.say(warning)

    def _introduce(self) -> None:
        trainer, dataset = self.trainer, self.dataset
        count = sum(value.numel() for value in trainer.model.parameters())
        shape = " ".join(f"{key}={value}" for key, value in architecture_table(trainer.model).items())
        self.say(f"model: {trainer.model.family} {shape}, {count / 1e6:.1f} M parameters")
        self.say(f"data: {len(trainer.train_split):,} pairs, {dataset.input_size:,} input and "
                 f"{dataset.output_size:,} output {dataset.units}")  # fmt: skip
        config = " ".join(f"{key}={value}" for key, value in trainer.config.table().items())
        self.say(f"training: {config} on {device_name(trainer.device)}, {trainer.group.world} process(es)")


def describe_row(row: dict[str, Any], improved: bool) -> str:
    """An epoch in a line."""
    text = f"epoch {row['epoch']:g}: train perplexity {row['train']:.2f}"
    if row["valid"] is not None:
        text += f", valid {row['valid']:.2f} ({row['valid_known']:.2f} without unknown words)"
    return text + (", best so far" if improved else "") + f", {duration(row['seconds'])}"


def decoder_of(dataset: Dataset, words: Sequence[str]) -> Callable[[Sequence[int]], str]:
    """Ids to text, for samples: words with spaces between, or joined pieces."""
    if dataset.units == "words":
        return lambda ids: " ".join(words[index] for index in ids)
    from hedline.text.subword import Subwords

    return Subwords.load(dataset.folder).decode


def vocabulary_fingerprint(folder: Path) -> str:
    """One checksum of both vocabularies."""
    digest = hashlib.sha256()
    for side in ("input", "output"):
        try:
            digest.update((folder / f"vocab.{side}.txt").read_bytes())
        except OSError as error:
            raise UserError(f"cannot read {folder / f'vocab.{side}.txt'}: {error.strerror or error}") from None
    return digest.hexdigest()


def device_name(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"CPU ({torch.get_num_threads()} threads)"


def _scalars(request: Any) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise require("tensorboard", "train", "--tensorboard") from None
    return SummaryWriter(str(request.out / "tensorboard"))
