"""A data folder of some of the training pairs of another, for a stage of training on them alone.

    python scripts/gpu/take_rows.py DATA ROWS.npy KINDS OUT   # KINDS, such as 1,2: the values of ROWS to take

Held-out splits, vocabularies and texts are the same files.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import numpy as np

from hedline.data.dataset import Dataset, write_rows
from hedline.files import read_json, write_json


def take(data: Path, rows: Path, kinds: list[int], out: Path) -> None:
    """Write the folder."""
    dataset = Dataset.open(data)
    wanted = np.flatnonzero(np.isin(np.load(rows), kinds))
    out.mkdir(parents=True)
    write_rows(out, "train", dataset.split("train"), wanted, (dataset.input_size, dataset.output_size))
    for path in data.iterdir():
        if not path.name.startswith("train.") and path.name not in ("settings.json", "rows.npy"):
            os.link(path, out / path.name)
    record = read_json(data / "settings.json")
    asked = f"{record['fingerprint']} rows {kinds} {hashlib.sha256(rows.read_bytes()).hexdigest()}"
    record["fingerprint"] = hashlib.sha256(asked.encode()).hexdigest()[:16]
    write_json(out / "settings.json", record)
    print(f"{out}: {len(wanted):,} pairs, {record['fingerprint']}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    take(Path(sys.argv[1]), Path(sys.argv[2]), [int(kind) for kind in sys.argv[3].split(",")], Path(sys.argv[4]))
