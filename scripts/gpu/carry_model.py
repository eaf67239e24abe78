"""A model folder in pieces that small transfers take, and back.

    python scripts/gpu/carry_model.py pack FOLDER OUT          # OUT/NAME.00, NAME.01, … and NAME.json
    python scripts/gpu/carry_model.py pack8 FOLDER OUT         # the same with weights rounded to int8
    python scripts/gpu/carry_model.py unpack OUT NAME DATA TO  # DATA: the data folder the model was trained on

`pack`: float weights travel as float16, which costs less than the rounding to 8 bits that follows; their high bytes
(sign, exponent, two bits more) are compressed, which saves a seventh of all.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import load, load_file, save

PIECE = 15_500_000  # bytes
TEXTS = ("vocab.input.txt", "vocab.output.txt", "truecase.tsv", "merges.txt")


def pack(folder: Path, out: Path) -> None:
    """Write the pieces and the config of a model folder."""
    tensors = load_file(folder / "model.safetensors")
    plain = np.frombuffer(save({name: value.astype(np.float16) for name, value in tensors.items()}), np.uint8)
    high = zlib.compress(plain[1::2].tobytes(), 6)
    data = high + plain[::2].tobytes()
    for number, first in enumerate(range(0, len(data), PIECE)):
        (out / f"{folder.name}.{number:02d}").write_bytes(data[first : first + PIECE])
    config = json.loads((folder / "config.json").read_text()) | {"bytes": len(data), "high": len(high)}
    (out / f"{folder.name}.json").write_text(json.dumps(config))
    print(f"{folder.name}: {len(data):,} bytes in pieces of {PIECE:,}")


def pack8(folder: Path, out: Path) -> None:
    """Write the pieces of a model folder rounded to 8 bits: half the size, and rounding again changes nothing."""
    from hedline.runtime.export import quantize_tensors

    data = save(quantize_tensors(load_file(folder / "model.safetensors")))
    for number, first in enumerate(range(0, len(data), PIECE)):
        (out / f"{folder.name}.{number:02d}").write_bytes(data[first : first + PIECE])
    config = json.loads((folder / "config.json").read_text()) | {"bytes": len(data), "high": 0}
    (out / f"{folder.name}.json").write_text(json.dumps(config))
    print(f"{folder.name}: {len(data):,} bytes in pieces of {PIECE:,}")


def with_high_bytes(joined: bytes, size: int) -> bytes:
    """The float16 file of `pack`: its high bytes stand compressed in the first `size` bytes."""
    high, low = zlib.decompress(joined[:size]), joined[size:]
    plain = np.empty(len(high) + len(low), np.uint8)
    plain[1::2], plain[::2] = np.frombuffer(high, np.uint8), np.frombuffer(low, np.uint8)
    return plain.tobytes()


def float_weights(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Float32 weights of what travelled as float16, or as int8 with `<name>.scale`."""
    scales = {name for name in tensors if name.endswith(".scale")}
    found = {}
    for name, value in tensors.items():
        if name not in scales:
            found[name] = value.astype(np.float32)
            if f"{name}.scale" in scales:
                scale = tensors[f"{name}.scale"].reshape(-1, *[1] * (value.ndim - 1))
                found[name] *= scale
    return found


def unpack(out: Path, name: str, data: Path, to: Path) -> None:
    """Put the pieces together to a model folder with float32 weights."""
    from hedline.runtime.folder import save_folder

    config = json.loads((out / f"{name}.json").read_text())
    joined = b"".join(piece.read_bytes() for piece in sorted(out.glob(f"{name}.[0-9][0-9]")))
    if len(joined) != config["bytes"]:
        sys.exit(f"{name}: {len(joined):,} bytes of {config['bytes']:,} are here; fetch the missing pieces")
    tensors = float_weights(load(joined if not config["high"] else with_high_bytes(joined, config["high"])))
    texts = {file: (data / file).read_text(encoding="utf-8") for file in TEXTS if (data / file).exists()}
    parts = {key: config[key] for key in ("family", "units", "architecture", "training")}
    save_folder(to, **parts, tensors=tensors, texts=texts, card=f"# {name}\n")
    print(to)


if __name__ == "__main__":
    if sys.argv[1:2] in (["pack"], ["pack8"]) and len(sys.argv) == 4:
        (pack if sys.argv[1] == "pack" else pack8)(Path(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1:2] == ["unpack"] and len(sys.argv) == 6:
        unpack(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]))
    else:
        sys.exit(__doc__)
