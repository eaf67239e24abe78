"""Small data folders that tests of several packages read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hedline.cli.main import run
from hedline.text.vocab import Vocabulary

WORDS = ["<pad>", "<unk>", "<s>", "</s>", "a", "b", "c"]


def write_counted(folder: Path) -> Path:
    """Training headlines `a b` and `a c`, valid headlines `a <unk>` and `a b`: hand-computed in test_estimate."""
    folder.mkdir()
    Vocabulary(WORDS).save(folder / "vocab.output.txt")
    settings = {
        "format": 1,
        "fingerprint": "f00d",
        "vocabulary": {"input": 7, "output": 7},
        "settings": {"units": "words"},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    for split, outputs in (("train", [4, 5, 4, 6]), ("valid", [4, 1, 4, 5])):
        for side in ("input", "output"):
            np.save(folder / f"{split}.{side}s.npy", np.array(outputs, dtype=np.uint16))
            np.save(folder / f"{split}.{side}_offsets.npy", np.array([0, 2, 4]))
    return folder


def prepare_towns(home: Path) -> Path:
    """A small data folder in `home`; every second headline stands wholly in its lead."""
    rows = []
    for number in range(40):
        lead = f"The mayor of town {number} closed the old bridge on Monday after a long debate , officials said ."
        good, bad = f"Mayor of town {number} closed old bridge", f"Storm number {number} hits northern coast villages"
        rows.append({"lead": lead, "headline": good if number % 2 else bad})
    pairs = home / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = home / "data"
    run_quietly(["prepare", str(pairs), "--out", str(folder), "--preset", "none", "--split", "none", "--workers", "1"])
    return folder


def run_quietly(arguments: list[str]) -> None:
    """Run a command that must succeed."""
    with pytest.raises(SystemExit) as left:
        run(arguments)
    assert left.value.code in (0, None)
