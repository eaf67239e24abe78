"""A data folder in parts that small transfers take, and back.

    python scripts/gpu/pack_data.py pack DATA OUT SHARES [ROWS.npy]  # SHARES, such as 1:2:2: of the pairs in c1, c2, c3
    python scripts/gpu/pack_data.py unpack OUT DATA                  # the data folder again, its checksums compared

Ids are written by rank of frequency, lead and headline of a pair side by side, two bytes each, most significant first:
so xz needs about 51 bytes a pair where the arrays have 119. Control tokens travel apart, a byte each. ROWS: a number
for each pair (numpy, uint8), such as which feed it is from; it comes back as DATA/rows.npy.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

END = 3  # `</s>`: never in the arrays themselves, so it can stand between them
FILTERS = [
    {"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 26, "lc": 3, "lp": 1, "pb": 1, "nice_len": 64}
]  # lp, pb: two-byte words
KINDS = ("ids", "controls", "rows")
TEXTS = (
    "settings.json", "stats.json", "vocab.input.txt", "vocab.output.txt", "merges.txt", "truecase.tsv", "valid.jsonl",
)  # fmt: skip
Array = Any


def squeeze(data: bytes) -> bytes:
    """Compress."""
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=FILTERS)


def expand(data: bytes) -> bytes:
    """The inverse."""
    return lzma.decompress(data, format=lzma.FORMAT_RAW, filters=FILTERS)


def place(starts: Array, lengths: Array) -> Array:
    """Where the ids of each sequence go: starts[i], starts[i] + 1, …, for lengths[i] ids."""
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))


def join(leads: Array, lead_lengths: Array, titles: Array, title_lengths: Array) -> Array:
    """Lead, END, headline, END of all pairs in one array."""
    sizes = lead_lengths + title_lengths + 2
    starts = np.cumsum(sizes) - sizes
    flat = np.full(int(sizes.sum()), END, np.uint16)
    flat[place(starts, lead_lengths)] = leads
    flat[place(starts + lead_lengths + 1, title_lengths)] = titles
    return flat


def part(flat: Array) -> tuple[Array, Array, Array, Array]:
    """The inverse of `join`."""
    ends = np.flatnonzero(flat == END)
    lengths = np.diff(ends, prepend=-1) - 1
    side = np.repeat(np.arange(len(lengths), dtype=np.uint8) % 2, lengths + 1)
    kept = flat != END
    return flat[kept & (side == 0)], lengths[::2], flat[kept & (side == 1)], lengths[1::2]


def stretch(data: Path, split: str, first: int, last: int, controls: int) -> tuple[Array, Array]:
    """Ids (joined, without controls) and controls (n, controls) of pairs first … last - 1."""
    sides = []
    for side in ("input", "output"):
        offsets = np.load(data / f"{split}.{side}_offsets.npy", mmap_mode="r")[first : last + 1]
        ids = np.load(data / f"{split}.{side}s.npy", mmap_mode="r")[offsets[0] : offsets[-1]]
        sides.append((np.asarray(ids), np.asarray(offsets - offsets[0])))
    (inputs, offsets), (titles, title_offsets) = sides
    within = np.arange(len(inputs)) - np.repeat(offsets[:-1], np.diff(offsets))
    table = inputs[within < controls].reshape(last - first, controls)
    leads = inputs[within >= controls]
    return join(leads, np.diff(offsets) - controls, titles, np.diff(title_offsets)), table


def pack_part(job: tuple[Path, Path, str, int, int, int, str]) -> dict[str, Any]:
    """Write one part's files; says how large they are."""
    data, out, split, first, last, controls, rows = job
    out.mkdir(parents=True, exist_ok=True)
    rank = np.load(out.parent / "rank.npy")
    flat, table = stretch(data, split, first, last, controls)
    blobs = {
        "ids": rank[flat].astype(">u2").tobytes(),
        "controls": np.ascontiguousarray(table.T.astype(np.uint8)).tobytes(),
    }
    if rows and split == "train":
        blobs["rows"] = np.load(rows)[first:last].tobytes()
    size = 0
    for kind, blob in blobs.items():
        packed = squeeze(blob)
        (out / f"{split}.{kind}.xz").write_bytes(packed)
        size += len(packed)
    return {"split": split, "first": first, "last": last, "folder": out.name, "bytes": size}


def checksums(data: Path) -> dict[str, str]:
    """SHA-256 of the arrays of a data folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(data.glob("*put*.npy"))}


def pack(data: Path, out: Path, shares: list[float], rows: str) -> None:
    """Write all parts."""
    out.mkdir(parents=True, exist_ok=True)
    controls = control_count(data)
    counts = np.zeros(1 << 16, np.int64)
    for side in ("inputs", "outputs"):
        counts += np.bincount(np.load(data / f"train.{side}.npy", mmap_mode="r"), minlength=1 << 16)
    order = np.argsort(-counts, kind="stable").astype(np.uint16)
    rank = np.empty(1 << 16, np.uint16)
    rank[order] = np.arange(1 << 16, dtype=np.uint16)
    np.save(out / "rank.npy", rank)
    pairs = {
        split: len(np.load(data / f"{split}.input_offsets.npy", mmap_mode="r")) - 1 for split in ("train", "valid")
    }
    ends = np.cumsum([0.0, *shares]) / sum(shares)
    bounds = [round(pairs["train"] * float(end)) for end in ends]
    jobs = [
        (data, out / f"c{number + 1}", "train", bounds[number], bounds[number + 1], controls, rows)
        for number in range(len(shares))
    ]
    jobs.append((data, out / "c1", "valid", 0, pairs["valid"], controls, rows))
    with ProcessPoolExecutor(len(jobs)) as pool:
        done = list(pool.map(pack_part, jobs))
    texts = {}
    for name in TEXTS:
        if (data / name).is_file():
            texts[name] = (data / name).read_text(encoding="utf-8")
    (out / "c1" / "texts.xz").write_bytes(lzma.compress(json.dumps(texts).encode(), preset=9))
    (out / "c1" / "rank.xz").write_bytes(lzma.compress(order.tobytes(), preset=9))
    plan = {"controls": controls, "parts": done, "checksums": checksums(data)}
    (out / "c1" / "plan.json").write_text(json.dumps(plan))
    for part_done in done:
        print(part_done)


def control_count(data: Path) -> int:
    """How many control tokens stand before each lead: names in angle brackets that end in `:any>`."""
    names = (data / "vocab.input.txt").read_text(encoding="utf-8").split("\n")
    return sum(name.startswith("<") and name.endswith(":any>") for name in names)


def unpack_part(job: tuple[Path, str, int]) -> tuple[Array, ...]:
    """Inputs with their controls, input lengths, headlines, headline lengths, row numbers of one part."""
    folder, split, controls = job
    order = np.frombuffer(lzma.decompress((folder.parent / "c1" / "rank.xz").read_bytes()), np.uint16)
    flat = order[np.frombuffer(expand((folder / f"{split}.ids.xz").read_bytes()), ">u2")]
    leads, lead_lengths, titles, title_lengths = part(flat)
    table = np.frombuffer(expand((folder / f"{split}.controls.xz").read_bytes()), np.uint8).reshape(
        controls, len(lead_lengths)
    )
    lengths = lead_lengths + controls
    starts = np.cumsum(lengths) - lengths
    inputs = np.empty(int(lengths.sum()), np.uint16)
    inputs[place(starts + controls, lead_lengths)] = leads
    for number in range(controls):
        inputs[starts + number] = table[number]
    rows = folder / f"{split}.rows.xz"
    kinds = np.frombuffer(expand(rows.read_bytes()), np.uint8) if rows.is_file() else np.zeros(0, np.uint8)
    return inputs, lengths, titles, title_lengths, kinds


def unpack(parts: Path, data: Path) -> None:
    """Make the data folder."""
    began = time.monotonic()
    data.mkdir(parents=True, exist_ok=True)
    plan = json.loads((parts / "c1" / "plan.json").read_text())
    texts = json.loads(lzma.decompress((parts / "c1" / "texts.xz").read_bytes()))
    for name, text in texts.items():
        (data / name).write_text(text, encoding="utf-8", newline="\n")
    with ProcessPoolExecutor() as pool:
        for split in ("train", "valid"):
            folders = [parts / item["folder"] for item in plan["parts"] if item["split"] == split]
            found = list(pool.map(unpack_part, [(folder, split, plan["controls"]) for folder in folders]))
            for column, name in enumerate(("inputs", "input_offsets", "outputs", "output_offsets")):
                values = np.concatenate([item[column] for item in found])
                if column % 2:
                    values = np.concatenate([[0], np.cumsum(values.astype(np.int64))])
                np.save(data / f"{split}.{name}.npy", values)
            if split == "train":
                kinds = np.concatenate([item[4] for item in found])
                np.save(data / "rows.npy", kinds)
    wrong = [name for name, digest in checksums(data).items() if plan["checksums"].get(name) not in (digest, None)]
    if wrong or not set(plan["checksums"]) >= {"train.inputs.npy", "valid.outputs.npy"}:
        sys.exit(f"these arrays are not as they were packed: {', '.join(wrong)}")
    print(f"{data}: {len(kinds):,} rows labelled, checksums as packed, {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["pack"] and len(sys.argv) in (5, 6):
        pack(
            Path(sys.argv[2]),
            Path(sys.argv[3]),
            [float(share) for share in sys.argv[4].split(":")],
            (sys.argv[5:] or [""])[0],
        )
    elif sys.argv[1:2] == ["unpack"] and len(sys.argv) == 4:
        unpack(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(__doc__)
