"""A smaller transformer cut out of a trained one, ready to be trained further.

    python scripts/gpu/make_student.py MODEL DATA OUT [--inner 768] [--encoder 0,1,3,5] [--decoder 0,1] [--pairs 300]

--encoder, --decoder: the layers that stay, by number. Of every feed-forward layer the --inner neurons stay that matter
most on valid pairs of DATA, as in make_base.py. OUT is a float model with MODEL's vocabulary.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from make_base import TEXTS, activations, prune

from hedline.models.model import build_model
from hedline.runtime.folder import ModelFolder, save_folder

LAYER = re.compile(r"(encoder|decoder)\.(\d+)\.(.*)")


def keep_layers(tensors: dict[str, Any], kept: dict[str, list[int]]) -> dict[str, Any]:
    """The tensors of the layers that stay, numbered anew, and all that belong to no layer."""
    found = {}
    for name, value in tensors.items():
        match = LAYER.fullmatch(name)
        if not match:
            found[name] = value
        elif int(match[2]) in kept[match[1]]:
            found[f"{match[1]}.{kept[match[1]].index(int(match[2]))}.{match[3]}"] = value
    return found


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--inner", type=int, default=768)
    parser.add_argument("--encoder", type=numbers)
    parser.add_argument("--decoder", type=numbers)
    parser.add_argument("--pairs", type=int, default=300)
    asked = parser.parse_args()
    folder = ModelFolder.open(asked.model)
    architecture = dict(folder.config.architecture)
    tensors = {
        name: torch.from_numpy(np.array(folder.tensors.float(name)))
        for name in folder.tensors
        if not name.endswith(".scale")
    }
    texts = {name: (asked.model / name).read_text(encoding="utf-8") for name in TEXTS}
    words = texts["vocab.input.txt"].split("\n")[:-1]
    model = build_model("transformer", architecture, words, words).eval()
    model.load_folder_tensors(tensors)
    narrow = prune(tensors, activations(model, asked.data, asked.pairs), asked.inner)
    layers = {
        side: getattr(asked, side) or list(range(architecture[f"{side}_layers"])) for side in ("encoder", "decoder")
    }
    small = keep_layers(narrow, layers)
    architecture |= {"inner": asked.inner, **{f"{side}_layers": len(kept) for side, kept in layers.items()}}
    parts = {"family": "transformer", "units": "subwords", "architecture": architecture}
    arrays = {name: value.numpy() for name, value in small.items()}
    save_folder(asked.out, **parts, training=folder.config.training, tensors=arrays, texts=texts, card="# student\n")
    print(f"{sum(value.numel() for value in small.values()):,} parameters")


if __name__ == "__main__":
    main()
