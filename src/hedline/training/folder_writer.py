"""What a training leaves behind while it runs: progress, the model folder, checkpoints, curves, a log, samples.

The model card (README.md of the folder) is written as far as training knows it; scores are added when they are
measured. After each epoch the model writes a few greedy headlines, and a check says where they are all the same.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hedline.data.dataset import Dataset
from hedline.errors import UserError, require
from hedline.files import digest, log_event, write_text
from hedline.models.batch import END, START, UNKNOWN, pad
from hedline.models.model import architecture_table, next_word_scores, save_checkpoint, save_model
from hedline.plot import learning_curves
from hedline.progress import Progress, duration
from hedline.training.loop import Hooks, Place, Report, Trainer


def model_card(trainer: Any, dataset: Dataset, training: dict[str, Any]) -> str:
    """What it is, how it was made, how well it does on the validation data."""
    shape = ", ".join(f"{key} {value}" for key, value in architecture_table(trainer.model).items())
    config = ", ".join(f"{key} {value}" for key, value in trainer.config.table().items())
    rows = [
        "| epoch | train perplexity | valid | valid without unknown words |",
        "|---|---|---|---|",
        *(_row(row) for row in trainer.place.history),
    ]
    base = training.get("base")
    origin = f"\n- Trained further from the model `{base['model']}` (weights {base['weights']})" if base else ""
    return f"""# A hedline model ({trainer.model.family})

- Architecture: {shape}
- Data: {len(trainer.train_split):,} pairs, fingerprint `{dataset.fingerprint}`; {dataset.input_size:,} input and
  {dataset.output_size:,} output {dataset.units}{origin}
- Training: {config}
- Made on {training["device"]} with torch {training["torch"]}
- Licence of the weights: what the training data allow; state it here before you share the model

Perplexities are per word with the end of the headline, `<unk>` counted as a word:

{chr(10).join(rows)}
"""


def _row(row: dict[str, Any]) -> str:
    def show(name: str) -> str:
        return f"{row[name]:.2f}" if row.get(name) is not None else ""

    return f"| {row['epoch']:g} | {show('train')} | {show('valid')} | {show('valid_known')} |"


MOST_WORDS = 20


def greedy(model: Any, inputs: Tensor, lengths: Tensor, most: int = MOST_WORDS) -> list[list[int]]:
    """The likeliest next word again and again, for inputs (B, M); ids without `</s>`."""
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        scores = next_word_scores(model, inputs, lengths)
        outputs = torch.full_like(inputs[:, :1], START)
        for _ in range(most):
            step = scores(outputs)
            step[:, [0, START, UNKNOWN]] = -torch.inf
            outputs = torch.cat([outputs, step.argmax(dim=1, keepdim=True)], dim=1)
            if bool((outputs == END).any(dim=1).all()):
                break
    model.train(was_training)
    return [row[: row.index(END)] if END in row else row for row in outputs[:, 1:].tolist()]


def collapse_warning(headlines: Sequence[Sequence[int]]) -> str | None:
    """A sentence when the outputs of many inputs are (nearly) the same, None when all is well."""
    inputs = len(headlines)
    if inputs < 8:
        return None
    text, times = Counter(tuple(headline) for headline in headlines).most_common(1)[0]
    if times < max(4, inputs // 3):
        return None
    what = "empty headlines" if not text else "the same headline"
    return (
        f"warning: the model writes {what} for {times} of {inputs} inputs; it ignores its input so far. If this "
        "stays so after some epochs, train longer, lower --lr, or look at the data"
    )


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
        return Hooks(self.report, self.epoch_done, self.save, stopped, self.say)

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
            note += f", {report.note}" if report.note else ""
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
            seconds = self.trainer.seconds()
            self.say(f"{describe_row(row, improved)}, {duration(seconds)}")
            rate = round(row["words"] / max(seconds, 1e-9))
            log_event(self.request.out, "epoch", epoch=row["epoch"], seconds=round(seconds, 2), words_per_second=rate)
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
        write_text(out / "curves.svg", learning_curves(trainer.place.history, "perplexity by epoch"))
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
            log_event(out, "checkpoint", step=trainer.place.total, seconds=round(trainer.seconds(), 2))

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
    return text + (", best so far" if improved else "")


def decoder_of(dataset: Dataset, words: Sequence[str]) -> Callable[[Sequence[int]], str]:
    """Ids to text, for samples: words with spaces between, or joined pieces."""
    if dataset.units == "words":
        return lambda ids: " ".join(words[index] for index in ids)
    from hedline.text.subword import Subwords

    return Subwords.load(dataset.folder).decode


def vocabulary_fingerprint(folder: Path) -> str:
    """One checksum of both vocabularies."""
    try:
        return digest((folder / f"vocab.{side}.txt").read_bytes() for side in ("input", "output"))
    except OSError as error:
        raise UserError(f"cannot read {error.filename}: {error.strerror or error}") from None


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
