"""A small random model folder and a set written for it: enough to run the commands for real."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hedline.runtime.folder import feedforward_shapes, save_folder

SUBJECTS = ["minister", "council", "court", "union", "storm", "company", "scientists", "players", "farmers", "police"]
VERBS = ["closes", "opens", "rejects", "backs", "delays", "reviews", "sells", "finds", "protects", "visits"]
OBJECTS = ["bridge", "budget", "harbour", "school", "factory", "forest", "museum", "railway", "stadium", "hospital"]
ENDINGS = ["after long debate", "despite protests", "before election", "over safety fears", "in northern town"]
ARCHITECTURE = {"encoder": "attention", "D": 8, "H": 12, "C": 3, "Q": 1, "L": 1}


def sentence(number: int) -> tuple[str, str]:
    """A lead and its headline."""
    subject, verb, thing = SUBJECTS[number % 10], VERBS[number // 10 % 10], OBJECTS[(number * 7 + number // 10) % 10]
    ending = ENDINGS[number % 5]
    lead = f"The {subject} of the coastal region {verb} the old {thing} {ending}, officials said on Tuesday ."
    return lead, f"{subject} {verb} {thing} {ending}"


def make_set(path: Path, count: int = 30) -> Path:
    pairs = [sentence(number * 3) for number in range(count)]
    path.write_text("".join(json.dumps({"lead": lead, "headline": headline}) + "\n" for lead, headline in pairs))
    return path


def make_model(path: Path, seed: int = 0) -> Path:
    words = sorted({word.lower() for number in range(100) for text in sentence(number) for word in text.split()})
    vocabulary = "".join(f"{word}\n" for word in ["<pad>", "<unk>", "<s>", "</s>", *words])
    rng, size = np.random.default_rng(seed), len(words) + 4
    tensors = {
        name: rng.normal(0, 0.4, shape).astype(np.float32)
        for name, shape in feedforward_shapes(ARCHITECTURE, size, size).items()
    }
    save_folder(
        path,
        family="feedforward",
        units="words",
        architecture=ARCHITECTURE,
        training={},
        tensors=tensors,
        texts={"vocab.input.txt": vocabulary, "vocab.output.txt": vocabulary},
        card="A random model for tests.\n",
    )
    return path
