"""Training a finished model further on other data: its weights, architecture and feature weights are the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from hedline.errors import UserError
from hedline.files import write_text
from hedline.runtime.folder import ModelFolder
from hedline.training.config import TrainConfig, override
from hedline.training.folder_writer import vocabulary_fingerprint
from hedline.training.settings import config_for

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
