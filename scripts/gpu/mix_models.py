"""A float model whose weights are a weighted mean of several models of the same shape.

    python scripts/gpu/mix_models.py OUT FIRST:0.3 SECOND:0.42 THIRD:0.28   # the shares sum to 1

For a model and what it became by further training on other pairs: the mean keeps more of what the first one knew. The
shortlist, the decoding settings and the texts are the first model's; the record of training is that of the model with
the largest share.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hedline.errors import UserError
from hedline.runtime.folder import GUARDED, ModelFolder, save_folder


def mix(out: Path, paths: Sequence[Path], shares: Sequence[float]) -> None:
    """Write the mean."""
    folders = [ModelFolder.open(path) for path in paths]
    first = folders[0]
    names = [name for name in first.tensors if not name.endswith(".scale")]
    for path, folder in zip(paths, folders, strict=True):
        if any(name not in folder.tensors or _shape(folder, name) != _shape(first, name) for name in names):
            raise UserError(f"{paths[0]} and {path} have other shapes; only models of one shape have a mean")
    tensors = {name: _mean([folder.tensors.float(name) for folder in folders], shares) for name in names}
    mixed = [
        {"weights": folder.config.weights_id, "share": round(share, 4)}
        for folder, share in zip(folders, shares, strict=True)
    ]
    save_folder(
        out,
        family=first.config.family,
        units=first.config.units,
        architecture=first.config.architecture,
        training={**folders[int(np.argmax(shares))].config.training, "mixed": mixed},
        tensors=tensors,
        texts={name: (paths[0] / name).read_text(encoding="utf-8") for name in GUARDED if (paths[0] / name).is_file()},
        card=(paths[0] / "README.md").read_text(encoding="utf-8"),
        shortlist=None if first.shortlist is None else {name: first.shortlist[name] for name in first.shortlist},
    )
    if (paths[0] / "tuning.json").is_file():
        shutil.copyfile(paths[0] / "tuning.json", out / "tuning.json")
    print(f"{out}: {len(tensors)} tensors, {mixed}")


def _shape(folder: ModelFolder, name: str) -> tuple[int, ...]:
    return tuple(folder.tensors.float(name).shape)


def _mean(values: Sequence[np.ndarray], shares: Sequence[float]) -> np.ndarray:
    total = sum(np.asarray(value, np.float64) * share for value, share in zip(values, shares, strict=True))
    return np.asarray(total).astype(np.float32)


def read_parts(arguments: Sequence[str]) -> tuple[list[Path], list[float]]:
    """Folders and shares of the arguments "FOLDER:SHARE"; a mistake ends the program with one sentence."""
    parts = [part.rpartition(":") for part in arguments]
    if len(parts) < 2 or not all(path for path, _, _ in parts):
        sys.exit(__doc__)
    shares = []
    for path, _, share in parts:
        try:
            shares.append(float(share))
        except ValueError:
            sys.exit(f"the share {share!r} of {path} is no number; give FOLDER:SHARE, say {path}:0.5")
    if not abs(sum(shares) - 1) <= 1e-6:  # nan is no sum either
        sys.exit(f"the shares sum to {sum(shares):g}; give shares that sum to 1")
    return [Path(path) for path, _, _ in parts], shares


if __name__ == "__main__":
    folders, asked = read_parts(sys.argv[2:])
    try:
        mix(Path(sys.argv[1]), folders, asked)
    except UserError as error:
        sys.exit(f"mix_models: {error}")
