"""A float model whose weights are a weighted mean of two models of the same shape.

    python scripts/gpu/mix_models.py FIRST SECOND SHARE OUT   # SHARE of SECOND, such as 0.6

For a model and what it became by further training on other pairs: the mean keeps more of what the first one knew. The
shortlist, the decoding settings and the texts are FIRST's.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np

from hedline.errors import UserError
from hedline.runtime.folder import GUARDED, ModelFolder, save_folder


def mix(first: Path, second: Path, share: float, out: Path) -> None:
    """Write the mean."""
    folders = [ModelFolder.open(first), ModelFolder.open(second)]
    shapes = [{name: folder.tensors.float(name).shape for name in folder.tensors} for folder in folders]
    if any(shapes[1].get(name) != shape for name, shape in shapes[0].items() if not name.endswith(".scale")):
        raise UserError(f"{first} and {second} have other shapes; only models of one shape have a mean")
    names = [name for name in folders[0].tensors if not name.endswith(".scale")]
    tensors = {}
    for name in names:
        ours, theirs = (np.array(folder.tensors.float(name), np.float64) for folder in folders)
        tensors[name] = ((1 - share) * ours + share * theirs).astype(np.float32)
    shares = ((folders[0], 1 - share), (folders[1], share))
    mixed = [{"weights": folder.config.weights_id, "share": round(part, 4)} for folder, part in shares]
    texts = {name: (first / name).read_text(encoding="utf-8") for name in GUARDED if (first / name).is_file()}
    shortlist = folders[0].shortlist
    save_folder(
        out,
        family=folders[0].config.family,
        units=folders[0].config.units,
        architecture=folders[0].config.architecture,
        training={**folders[1].config.training, "mixed": mixed},
        tensors=tensors,
        texts=texts,
        card=(first / "README.md").read_text(encoding="utf-8"),
        shortlist=None if shortlist is None else {name: shortlist[name] for name in shortlist},
    )
    if (first / "tuning.json").is_file():
        shutil.copyfile(first / "tuning.json", out / "tuning.json")
    print(f"{out}: {len(tensors)} tensors, {mixed}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    mix(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
