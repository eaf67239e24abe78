"""Tensor files: checksums, holes, values that no trained model has."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hedline.errors import UserError
from hedline.runtime.tensors import TensorFile, quick_checksum, write_tensors


def test_the_quick_checksum_tells_swapped_blocks_apart():
    data = np.random.default_rng(1).integers(0, 256, 20_003, np.uint8)
    swapped = np.concatenate([data[4096:8192], data[:4096], data[8192:]])
    assert quick_checksum(data) != quick_checksum(swapped)
    assert quick_checksum(data) != quick_checksum(data[:-1])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e38])
def test_values_no_trained_model_has_are_refused(tmp_path, value):
    path = tmp_path / "x.safetensors"
    write_tensors(path, {"a.weight": np.array([1.0, value], np.float32)})
    with pytest.raises(UserError, match="not finite or beyond"):
        TensorFile(path)["a.weight"]


def test_a_file_with_holes_is_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    length = 1 << 30
    header = json.dumps({"a": {"dtype": "I8", "shape": [length], "data_offsets": [0, length]}}).encode()
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + length)
    with pytest.raises(UserError, match="on the disk"):
        TensorFile(path)["a"]
