"""A transformer, or a data folder, with the first pieces of its vocabulary only: for a model that has to be small.

    python scripts/gpu/cut_pieces.py data DATA OUT 12000
    python scripts/gpu/cut_pieces.py model MODEL OUT 12000

Pieces stand in the order in which merges make them, so without the last merges each text is cut into the first pieces
alone. Ids of the others become the ids of their parts, which is what encoding the text anew would give.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedline.data.dataset import Dataset, SplitWriter
from hedline.files import read_json, write_json
from hedline.runtime.folder import ModelFolder, save_folder
from hedline.text.subword import Subwords

TABLES = ("embedding", "embedding.weight", "bias")


def shorter(subwords: Subwords, size: int) -> Subwords:
    """The vocabulary of the first `size` names."""
    merges = subwords.merges[: size - (len(subwords) - len(subwords.merges))]
    return Subwords(subwords.names[:size], merges, subwords.specials)


def parts_of(subwords: Subwords, size: int) -> list[list[int]]:
    """For each id the ids below `size` that say the same."""
    first = len(subwords) - len(subwords.merges)
    parts = [[index] for index in range(min(size, len(subwords)))]
    for index in range(size, len(subwords)):
        left, right = subwords.merges[index - first]
        parts.append(parts[subwords.ids[left]] + parts[subwords.ids[right]])
    return parts


def expand(ids: Any, offsets: Any, table: tuple[Any, Any]) -> tuple[Any, Any]:
    """Ragged ids with their parts in their place: flat ids, and how many each sequence has now."""
    flat, starts = table
    counts = np.diff(starts)[ids]
    before = np.concatenate([[0], np.cumsum(counts)])
    places = np.repeat(starts[ids] - before[:-1], counts) + np.arange(before[-1])
    return flat[places], np.diff(before[offsets])


def cut_data(data: Path, out: Path, size: int) -> None:
    """Write the data folder in the first pieces."""
    dataset, subwords = Dataset.open(data), Subwords.load(data)
    parts = parts_of(subwords, size)
    table = np.concatenate([np.array(part, np.int64) for part in parts]), np.cumsum([0, *map(len, parts)])
    out.mkdir(parents=True)
    for path in data.iterdir():
        if path.suffix != ".npy" and path.name not in ("settings.json", "merges.txt"):
            shutil.copyfile(path, out / path.name)
    shorter(subwords, size).save(out)
    for split in ("train", "valid"):
        pairs = dataset.split(split)
        sides = [
            expand(np.asarray(ids), np.asarray(offsets), table)
            for ids, offsets in ((pairs.inputs, pairs.input_offsets), (pairs.outputs, pairs.output_offsets))
        ]
        writer = SplitWriter(out, split, len(pairs), (len(sides[0][0]), len(sides[1][0])), (size, size))
        for side, (ids, lengths) in enumerate(sides):
            writer.write(side, ids.astype(np.int32), lengths)
        writer.close()
        print(f"{split}: {len(pairs.outputs):,} to {len(sides[1][0]):,} pieces of headlines")
    record = {**read_json(data / "settings.json"), "vocabulary": {"input": size, "output": size}}
    record["fingerprint"] = hashlib.sha256(f"{record['fingerprint']} {size} pieces".encode()).hexdigest()[:16]
    write_json(out / "settings.json", record)


def cut_model(model: Path, out: Path, size: int) -> None:
    """Write the float model with the first rows of its tables."""
    folder = ModelFolder.open(model)
    names = [name for name in folder.tensors if not name.endswith(".scale")]
    tensors = {name: np.array(folder.tensors.float(name)) for name in names}
    vocabulary = folder.config.architecture["vocabulary"]
    cut = [name for name, value in tensors.items() if name in TABLES and len(value) == vocabulary]
    tensors |= {name: tensors[name][:size] for name in cut}
    architecture = {**folder.config.architecture, "vocabulary": size}
    parts = {"family": "transformer", "units": "subwords", "architecture": architecture}
    texts = {"truecase.tsv": (model / "truecase.tsv").read_text(encoding="utf-8")}
    listing = "\n".join(Subwords.load(model).names[:size]) + "\n"
    merges = shorter(Subwords.load(model), size).merges
    texts |= {"vocab.input.txt": listing, "vocab.output.txt": listing}
    texts["merges.txt"] = "".join(f"{left} {right}\n" for left, right in merges)
    save_folder(out, **parts, training=folder.config.training, tensors=tensors, texts=texts, card="# fewer pieces\n")
    print(f"{', '.join(cut)}: {vocabulary:,} to {size:,} rows")


if __name__ == "__main__":
    if sys.argv[1:2] not in (["data"], ["model"]) or len(sys.argv) != 5:
        sys.exit(__doc__)
    (cut_data if sys.argv[1] == "data" else cut_model)(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
