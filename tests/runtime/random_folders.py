"""Small random model folders for the runtime's tests."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hedline.runtime.folder import ModelFolder, expected_shapes, save_folder

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]


def vocabulary_text(size: int) -> str:
    return "".join(f"{word}\n" for word in [*SPECIALS, *(f"w{i}" for i in range(size - len(SPECIALS)))])


def random_folder(
    path: Path, family: str, architecture: dict, vocab_in: int, vocab_out: int, seed: int = 0, **more
) -> ModelFolder:
    """A model folder of the family with normally distributed weights."""
    generator = np.random.default_rng(seed)
    shapes = expected_shapes(family, architecture, vocab_in, vocab_out)
    tensors = {name: generator.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    texts = {"vocab.input.txt": vocabulary_text(vocab_in), "vocab.output.txt": vocabulary_text(vocab_out)}
    units = "subwords" if family == "transformer" else "words"
    return save_folder(
        path, family=family, units=units, architecture=architecture, training={}, tensors=tensors, texts=texts, **more
    )


def feedforward_architecture(encoder: str) -> dict:
    return {"encoder": encoder, "D": 6, "H": 8, "C": 3, "Q": 2, "L": 3}


def large_folder(path: Path) -> ModelFolder:
    """A model large enough that exporting it saves something, with a card and a tuning."""
    architecture = feedforward_architecture("attention") | {"D": 32, "H": 64}
    folder = random_folder(path, "feedforward", architecture, 300, 400, card="# A model\r\n")
    folder.file("tuning.json").write_text('{"weights": {}}')
    return folder


def data_folder(path: Path) -> Path:
    """A data folder as `hedline prepare` leaves it, in the large model's vocabularies."""
    path.mkdir()
    generator = np.random.default_rng(0)
    for side, size in (("input", 300), ("output", 400)):
        np.save(path / f"train.{side}s.npy", generator.integers(4, size, 500).astype(np.uint16))
        np.save(path / f"train.{side}_offsets.npy", np.arange(0, 501, 10))
        (path / f"vocab.{side}.txt").write_text(vocabulary_text(size))
    settings = {"format": 1, "vocabulary": {"input": 300, "output": 400}, "settings": {"units": "words"}}
    (path / "settings.json").write_text(json.dumps(settings))
    return path
