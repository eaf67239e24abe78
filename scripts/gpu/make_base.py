"""A trained transformer made ready for further training: polarity tokens, narrower feed-forward layers.

    python scripts/gpu/make_base.py MODEL DATA OUT [--inner 1536] [--pairs 300]

MODEL has three groups of control tokens; the polarity tokens take the place of the three rarest pieces, each starting
as `<case:any>` with a little noise. Of every feed-forward layer the neurons stay that matter most: mean activation on
valid pairs of DATA (in the new pieces) times the length of their outgoing weights. OUT is a model in int8.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hedline.models.model import build_model
from hedline.runtime.export import quantize_tensors
from hedline.runtime.folder import ModelFolder, save_folder
from hedline.text.meaning import POLARITY_NAMES

TEXTS = ("vocab.input.txt", "vocab.output.txt", "merges.txt", "truecase.tsv")
LAST_CONTROL = "<case:any>"
START = 2
NOISE = 0.02  # of the mean weight of the copied row, so that the three tokens can be told apart


def grow_texts(folder: Path, place: int) -> dict[str, str]:
    """Vocabulary with the new names at `place`, without the last pieces and the merges that made them."""
    count = len(POLARITY_NAMES)
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in TEXTS}
    for name in TEXTS[:2]:
        names = texts[name].split("\n")[:-1]
        texts[name] = "\n".join([*names[:place], *POLARITY_NAMES, *names[place:-count]]) + "\n"
    texts["merges.txt"] = "\n".join(texts["merges.txt"].split("\n")[: -1 - count]) + "\n"
    return texts


def grow_rows(table: np.ndarray[Any, Any], place: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Rows (or biases) for the new names, copies of the one before them; the last rows leave."""
    count, row = len(POLARITY_NAMES), table[place - 1]
    new = np.stack([row] * count)
    if table.ndim == 2:
        new = new + NOISE * np.abs(row).mean() * rng.standard_normal(new.shape)
    return np.concatenate([table[:place], new.astype(table.dtype), table[place:-count]])


def add_activation(total: torch.Tensor, layer: Any, inputs: Any, output: torch.Tensor) -> None:
    """A hook: add the mean of each neuron's activation to its total."""
    total += torch.relu(output).flatten(0, -2).mean(0)


def activations(model: Any, data: Path, pairs: int) -> dict[str, torch.Tensor]:
    """Mean activation of every feed-forward neuron, by layer, on the first valid pairs."""
    sums: dict[str, torch.Tensor] = {}
    for side in ("encoder", "decoder"):
        for number, layer in enumerate(getattr(model, side)):
            name = f"{side}.{number}"
            sums[name] = torch.zeros(layer.feed.up.out_features)
            layer.feed.up.register_forward_hook(partial(add_activation, sums[name]))
    inputs, outputs = (np.load(data / f"valid.{side}s.npy") for side in ("input", "output"))
    starts, ends = (np.load(data / f"valid.{side}_offsets.npy") for side in ("input", "output"))
    with torch.inference_mode():
        for pair in range(min(pairs, len(starts) - 1)):
            lead = torch.from_numpy(inputs[starts[pair] : starts[pair + 1]].astype(np.int64))[None]
            title = torch.from_numpy(np.r_[START, outputs[ends[pair] : ends[pair + 1]]].astype(np.int64))[None]
            model.decode(title, *model.encode(lead))
    return sums


def prune(tensors: dict[str, torch.Tensor], active: dict[str, torch.Tensor], inner: int) -> dict[str, torch.Tensor]:
    """The tensors with the `inner` most important neurons of each feed-forward layer."""
    kept = dict(tensors)
    for name, mean in active.items():
        worth = mean * tensors[f"{name}.feed.down.weight"].norm(dim=0)
        best = worth.argsort(descending=True)[:inner].sort().values
        print(f"{name}: {inner} of {len(mean)} neurons hold {float(worth[best].sum() / worth.sum()):.3f} of the worth")
        kept[f"{name}.feed.up.weight"] = tensors[f"{name}.feed.up.weight"][best]
        kept[f"{name}.feed.up.bias"] = tensors[f"{name}.feed.up.bias"][best]
        kept[f"{name}.feed.down.weight"] = tensors[f"{name}.feed.down.weight"][:, best].contiguous()
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--inner", type=int, default=1536)
    parser.add_argument("--pairs", type=int, default=300)
    asked = parser.parse_args()
    folder = ModelFolder.open(asked.model)
    names = (asked.model / "vocab.input.txt").read_text(encoding="utf-8").split("\n")[:-1]
    place, rng = names.index(LAST_CONTROL) + 1, np.random.default_rng(1)
    arrays = {name: np.array(folder.tensors.float(name)) for name in folder.tensors if not name.endswith(".scale")}
    for name in ("embedding.weight", "bias"):
        arrays[name] = grow_rows(arrays[name], place, rng)
    tensors = {name: torch.from_numpy(value) for name, value in arrays.items()}
    architecture = dict(folder.config.architecture)
    anything = [*architecture["control_any"], place + POLARITY_NAMES.index("<pol:any>")]
    architecture |= {"controls": len(anything), "control_any": anything}
    texts = grow_texts(asked.model, place)
    words = texts["vocab.input.txt"].split("\n")[:-1]
    model = build_model("transformer", architecture, words, words).eval()
    model.load_folder_tensors(tensors)
    kept = prune(tensors, activations(model, asked.data, asked.pairs), asked.inner)
    architecture["inner"] = asked.inner
    whole = quantize_tensors({name: value.numpy() for name, value in kept.items()})
    parts = {"family": "transformer", "units": "subwords", "architecture": architecture}
    save_folder(asked.out, **parts, training=folder.config.training, tensors=whole, texts=texts, card="# base\n")


if __name__ == "__main__":
    main()
