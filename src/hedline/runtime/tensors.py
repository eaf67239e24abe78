"""A safetensors file, memory-mapped and checked before a byte of it is believed.

The header is read with a bound on its size and every tensor's place is checked against the file's length, so a
truncated, swapped or hostile file costs neither time nor memory. No pickle, no copy: tensors are views of the map.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.errors import UserError
from hedline.files import atomic_path

MAX_HEADER = 1 << 20
MAX_RANK = 8
DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "I16": np.dtype("<i2"),
    "U16": np.dtype("<u2"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}


class Place(NamedTuple):
    """Where a tensor lies in the file: its numpy type, shape and first byte."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int


class TensorFile(Mapping[str, NDArray[Any]]):
    """The named tensors of one safetensors file; indexing gives a read-only view of the memory map."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.size = path.stat().st_size
            with path.open("rb") as file:
                header, start = _read_header(path, file.read(8 + MAX_HEADER + 1)[: 8 + MAX_HEADER], self.size)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror or error}") from None
        self.metadata: dict[str, str] = _metadata(header.pop("__metadata__", {}))
        self.places = {name: _place(path, name, entry, start, self.size) for name, entry in header.items()}
        _check_overlaps(path, self.places)
        self._map: NDArray[np.uint8] | None = None

    def __getitem__(self, name: str) -> NDArray[Any]:
        place = self.places.get(name)
        if place is None:
            raise KeyError(name)
        length = math.prod(place.shape) * place.dtype.itemsize
        if length == 0:
            return np.zeros(place.shape, place.dtype)
        if self._map is None:
            self._map = np.asarray(np.memmap(self.path, np.uint8, mode="r"))
        data = self._map[place.offset : place.offset + length]
        if place.offset % place.dtype.itemsize:  # legal, rare: an odd header length
            data = data.copy()
        return data.view(place.dtype).reshape(place.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a tensor, without touching its data."""
        return self.places[name].shape

    def quantized(self, name: str) -> bool:
        """Whether the tensor is int8 with a scale for each row."""
        return f"{name}.scale" in self.places

    def float(self, name: str) -> NDArray[np.float32]:
        """The whole tensor as float32 (a copy when it is quantised)."""
        return self.rows(name, slice(None))

    def rows(self, name: str, rows: Any) -> NDArray[np.float32]:
        """Rows (any numpy index into the first axis) as float32."""
        values = self[name][rows]
        if not self.quantized(name):
            return np.asarray(values, np.float32)
        scale = self[f"{name}.scale"][rows]
        return np.asarray(values * scale.reshape(scale.shape + (1,) * (values.ndim - scale.ndim)), np.float32)


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None) -> None:
    """Write a safetensors file atomically."""
    from safetensors.numpy import save_file

    whole = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    with atomic_path(path) as temporary:
        try:
            save_file(whole, os.fspath(temporary), dict(metadata or {}) or None)
        except OSError:
            raise
        except Exception as error:  # safetensors wraps a full disk in an error type of its own
            raise OSError(str(error)) from error


def _read_header(path: Path, head: bytes, size: int) -> tuple[dict[str, Any], int]:
    """The header as a dictionary and the offset of the first tensor byte."""
    if size < 8:
        raise _broken(path, f"it has only {size} bytes")
    length = int.from_bytes(head[:8], "little")
    if length > MAX_HEADER or length > size - 8:
        raise _broken(path, f"its header claims {length:,} bytes")
    try:
        header = json.loads(head[8 : 8 + length].decode("utf-8"))
    except (ValueError, RecursionError):
        raise _broken(path, "its header is not JSON") from None
    if not isinstance(header, dict):
        raise _broken(path, "its header is not a table of tensors")
    return header, 8 + length


def _metadata(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(key): str(text) for key, text in value.items()}


def _place(path: Path, name: str, entry: Any, start: int, size: int) -> Place:
    """One header entry, checked: known type, sane shape, and exactly the bytes the shape needs, inside the file."""
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        raise _broken(path, f"tensor {name!r} is not described")
    dtype = DTYPES.get(str(entry["dtype"]))
    if dtype is None:
        raise _broken(path, f"tensor {name!r} has the unknown type {str(entry['dtype'])[:20]!r}")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not _naturals(shape, MAX_RANK) or not _naturals(offsets, 2) or len(offsets) != 2:
        raise _broken(path, f"tensor {name!r} has a malformed shape or offset")
    first, last = offsets
    if last - first != math.prod(shape) * dtype.itemsize or start + last > size:
        raise _broken(path, f"tensor {name!r} does not fit the file")
    return Place(dtype, tuple(shape), start + first)


def _naturals(values: Any, most: int) -> bool:
    """Whether the value is a short list of whole numbers from 0 (true and false are not numbers here)."""
    return (
        isinstance(values, list)
        and len(values) <= most
        and all(type(value) is int and 0 <= value < 1 << 48 for value in values)
    )


def _check_overlaps(path: Path, places: Mapping[str, Place]) -> None:
    end = 0
    for name, place in sorted(places.items(), key=lambda item: item[1].offset):
        if place.offset < end:
            raise _broken(path, f"tensor {name!r} overlaps another")
        end = place.offset + math.prod(place.shape) * place.dtype.itemsize


def _broken(path: Path, why: str) -> UserError:
    return UserError(f"{path} is not a whole safetensors file: {why}; copy or train the model again")
