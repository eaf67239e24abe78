"""The blocks of a GGUF file as numbers, and the folder that is made of them."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from small_reader import tiny_reader, write_tokens

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts/gpu"))

from take_reader import join, numbers, our_name

from hedline.models.reader import Reader


def q8_0(block: bytes) -> list[float]:
    """A float16 scale, then 32 signed bytes."""
    (scale,) = struct.unpack("<e", block[:2])
    return [scale * step for step in struct.unpack("<32b", block[2:])]


def q4_1(block: bytes) -> list[float]:
    """Scale and least value in float16, then 16 bytes: low halves are the numbers 0 to 15, high ones 16 to 31."""
    scale, least = struct.unpack("<ee", block[:4])
    found = [0.0] * 32
    for place, byte in enumerate(block[4:]):
        found[place] = scale * (byte % 16) + least
        found[place + 16] = scale * (byte // 16) + least
    return found


def made_blocks(count: int, scales: int, steps: int, seed: int = 0) -> list[bytes]:
    """Blocks of `scales` random float16 numbers and random bytes."""
    random = np.random.default_rng(seed)
    heads = random.normal(size=(count, scales)).astype("<f2")
    return [head.tobytes() + random.integers(0, 256, steps, np.uint8).tobytes() for head in heads]


@pytest.mark.parametrize(("kind", "plain", "sizes"), [("Q8_0", q8_0, (1, 32)), ("Q4_1", q4_1, (2, 16))])
def test_blocks_are_those_of_the_format(kind: str, plain, sizes: tuple[int, int]) -> None:
    blocks = made_blocks(6, *sizes)
    found = numbers(kind, np.frombuffer(b"".join(blocks), np.uint8), [3, 64])
    wanted = np.array([value for block in blocks for value in plain(block)]).reshape(3, 64)
    assert found.dtype == np.float32 and np.allclose(found, wanted, rtol=1e-6, atol=1e-6)


def test_plain_numbers_are_taken_as_they_are_and_other_kinds_refused() -> None:
    data = np.array([[1.5, -2.0, 3.25], [0.0, 1e-9, 7.0]], np.float32)
    assert np.array_equal(numbers("F32", data.reshape(-1).view(np.uint8), [2, 3]), data)
    with pytest.raises(SystemExit, match="numbers of the kind Q6_K"):
        numbers("Q6_K", np.zeros(64, np.uint8), [2, 32])


def test_every_tensor_of_a_reader_has_a_name_there() -> None:
    short = {
        "attn_q": "query",
        "attn_k": "key",
        "attn_v": "value",
        "attn_output": "output",
        "attn_norm": "attention_norm",
    }
    short |= {"ffn_norm": "feed_norm", "ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down"}
    names = {f"blk.{at}.{one}.weight": f"layers.{at}.{two}.weight" for at in range(2) for one, two in short.items()}
    names |= {"token_embd.weight": "embedding.weight", "output_norm.weight": "norm.weight"}
    assert {name: our_name(name) for name in names} == names
    assert set(names.values()) == set(tiny_reader(20).state_dict())


def test_parts_are_joined_to_a_reader(tmp_path: Path) -> None:
    """Each tensor of blocks that were drawn, in two parts; the numbers are rounded to bfloat16."""
    sizes = {"width": 64, "inner": 32, "layers": 1, "heads": 2, "key_heads": 1}
    reader = tiny_reader(10, **sizes)
    wanted, kinds, parts = {}, {}, ({}, {})
    for number, (name, value) in enumerate(reader.state_dict().items()):
        kind, plain, shape = ("Q8_0", q8_0, (1, 32)) if name == "embedding.weight" else ("Q4_1", q4_1, (2, 16))
        blocks = made_blocks(value.numel() // 32, *shape, seed=number)
        parts[number % 2][name] = np.frombuffer(b"".join(blocks), np.uint8)
        kinds[name] = [kind, list(value.shape)]
        wanted[name] = np.array([each for block in blocks for each in plain(block)]).reshape(value.shape)
    for number, part in enumerate(parts):
        save_file(part, tmp_path / f"reader.{number}")
    record = {"config": {"vocabulary": 10, **sizes, "base": 100.0}, "kinds": kinds, "parts": 2}
    (tmp_path / "reader.json").write_text(json.dumps(record))
    write_tokens(tmp_path)
    join(tmp_path, tmp_path / "out")
    found = Reader.open(tmp_path / "out")
    assert found.config.base == 100.0 and found.config.epsilon == 1e-5
    for name, value in found.state_dict().items():
        assert torch.allclose(value, torch.from_numpy(wanted[name]).float(), rtol=1 / 256, atol=1e-6)
