"""A model folder in pieces that small transfers take, and back.

    python scripts/gpu/carry_model.py pack FOLDER OUT          # OUT/NAME.00, NAME.01, … and NAME.json
    python scripts/gpu/carry_model.py unpack OUT NAME DATA TO  # DATA: the data folder the model was trained on

Float weights travel as float16, which costs less than the rounding to 8 bits that follows.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load, load_file, save

PIECE = 15_500_000  # bytes
TEXTS = ("vocab.input.txt", "vocab.output.txt", "truecase.tsv", "merges.txt")


def pack(folder: Path, out: Path) -> None:
    """Write the pieces and the config of a model folder."""
    tensors = load_file(folder / "model.safetensors")
    data = save({name: value.astype(np.float16) for name, value in tensors.items()})
    for number, first in enumerate(range(0, len(data), PIECE)):
        (out / f"{folder.name}.{number:02d}").write_bytes(data[first : first + PIECE])
    config = json.loads((folder / "config.json").read_text()) | {"bytes": len(data)}
    (out / f"{folder.name}.json").write_text(json.dumps(config))
    print(f"{folder.name}: {len(data):,} bytes in pieces of {PIECE:,}")


def unpack(out: Path, name: str, data: Path, to: Path) -> None:
    """Put the pieces together to a model folder with float32 weights."""
    from hedline.runtime.folder import save_folder

    config = json.loads((out / f"{name}.json").read_text())
    joined = b"".join(piece.read_bytes() for piece in sorted(out.glob(f"{name}.[0-9][0-9]")))
    if len(joined) != config["bytes"]:
        sys.exit(f"{name}: {len(joined):,} bytes of {config['bytes']:,} are here; fetch the missing pieces")
    tensors = {key: value.astype(np.float32) for key, value in load(joined).items()}
    texts = {file: (data / file).read_text(encoding="utf-8") for file in TEXTS if (data / file).exists()}
    parts = {key: config[key] for key in ("family", "units", "architecture", "training")}
    save_folder(to, **parts, tensors=tensors, texts=texts, card=f"# {name}\n")
    print(to)


if __name__ == "__main__":
    if sys.argv[1:2] == ["pack"] and len(sys.argv) == 4:
        pack(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1:2] == ["unpack"] and len(sys.argv) == 6:
        unpack(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]))
    else:
        sys.exit(__doc__)
