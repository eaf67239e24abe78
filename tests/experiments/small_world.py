"""A folder of small random models, a data folder and an evaluation set, all of one made-up language."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hedline.experiments.record import Request
from hedline.runtime.folder import expected_shapes, save_folder
from hedline.text.vocab import Vocabulary

WHO = ["minister", "council", "court", "union", "company", "players", "farmers", "police"]
DOES = ["closes", "opens", "rejects", "backs", "delays", "reviews", "sells", "visits"]
WHAT = ["bridge", "budget", "harbour", "school", "factory", "forest", "museum", "railway"]
WORDS = ["<pad>", "<unk>", "<s>", "</s>", "the", "old", "on", "tuesday", *WHO, *DOES, *WHAT]


def pair(number: int) -> tuple[str, str]:
    """A lead and its headline."""
    who, does, what = WHO[number % 8], DOES[number // 8 % 8], WHAT[(number * 5 + number // 8) % 8]
    return f"The {who} {does} the old {what} on Tuesday", f"{who} {does} {what}"


def write_set(path: Path, count: int = 12) -> Path:
    """An evaluation set."""
    rows = [{"lead": lead, "references": [headline]} for lead, headline in map(pair, range(count))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_data(folder: Path) -> Path:
    """A data folder as `hedline prepare` makes it: 64 pairs to train, 16 to validate."""
    folder.mkdir()
    vocabulary = Vocabulary(WORDS)
    for side in ("input", "output"):
        vocabulary.save(folder / f"vocab.{side}.txt")
    sizes = {"input": len(WORDS), "output": len(WORDS)}
    settings = {"format": 1, "fingerprint": "0123456789abcdef", "vocabulary": sizes, "settings": {"units": "words"}}
    (folder / "settings.json").write_text(json.dumps(settings))
    for split, numbers in (("train", range(48)), ("valid", range(48, 64))):
        for column, side in enumerate(("input", "output")):
            texts = [vocabulary.encode(pair(number)[column].lower().split()) for number in numbers]
            np.save(folder / f"{split}.{side}s.npy", np.concatenate(texts).astype(np.uint16))
            np.save(folder / f"{split}.{side}_offsets.npy", np.cumsum([0, *map(len, texts)]))
    return folder


def write_model(folder: Path, encoder: str, seed: int = 0) -> Path:
    """A random feed-forward model of the vocabulary."""
    architecture = {"encoder": encoder, "D": 6, "H": 8, "C": 3, "Q": 1, "L": 2}
    random = np.random.default_rng(seed)
    shapes = expected_shapes("feedforward", architecture, len(WORDS), len(WORDS))
    vocabulary = "".join(f"{word}\n" for word in WORDS)
    save_folder(
        folder,
        family="feedforward",
        units="words",
        architecture=architecture,
        training={},
        tensors={name: random.normal(0, 0.4, shape).astype(np.float32) for name, shape in shapes.items()},
        texts={"vocab.input.txt": vocabulary, "vocab.output.txt": vocabulary},
        card="A random model for tests.\n",
    )
    return folder


def small_request(tmp_path: Path) -> Request:
    """Models printed and bow, a set, a data folder, an empty results folder."""
    for name, encoder in (("printed", "attention"), ("bow", "bow")):
        write_model(tmp_path / "models" / name, encoder)
    (tmp_path / "models" / "printed" / "tuning.json").write_text(
        json.dumps({"weights": {"log_prob": 1.0, "unigram": 5.0}})
    )
    return Request(
        results=tmp_path / "results",
        models=tmp_path / "models",
        data=write_data(tmp_path / "data"),
        sets=(write_set(tmp_path / "tiny.jsonl"),),
        options={"beam": 2, "words": 5},
    )
