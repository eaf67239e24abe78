"""A made-up data folder: headlines are a noisy function of their leads, so models can learn something in seconds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]


def write_data(folder: Path, pairs: dict[str, int], vocab: int = 40, seed: int = 0, units: str = "words") -> Path:
    """Splits of random pairs: a lead of 3 to 12 words, a headline of its every second word."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    for split, count in pairs.items():
        inputs, outputs, ins, outs = [], [], [0], [0]
        for _ in range(count):
            lead = random.integers(4, vocab, random.integers(3, 13))
            headline = np.where(random.random(len(lead[::2])) < 0.05, 1, lead[::2])
            inputs.append(lead)
            outputs.append(headline)
            ins.append(ins[-1] + len(lead))
            outs.append(outs[-1] + len(headline))
        for name, value in (("inputs", inputs), ("outputs", outputs)):
            flat = np.concatenate(value) if value else np.zeros(0)
            np.save(folder / f"{split}.{name}.npy", flat.astype(np.uint16))
        np.save(folder / f"{split}.input_offsets.npy", np.array(ins, np.int64))
        np.save(folder / f"{split}.output_offsets.npy", np.array(outs, np.int64))
    words = [*SPECIALS, *(f"w{index}" for index in range(4, vocab))]
    for side in ("input", "output"):
        (folder / f"vocab.{side}.txt").write_text("".join(f"{word}\n" for word in words))
    settings = {
        "format": 1,
        "settings": {"units": units},
        "vocabulary": {"input": vocab, "output": vocab},
        "fingerprint": f"synthetic-{seed}-{sorted(pairs.items())}",
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder
