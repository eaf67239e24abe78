"""A safetensors file, checked before a byte of it is believed.

The header is read with a bound on its size and every tensor's place is checked against the file's length, so a
truncated, swapped or hostile file costs neither time nor memory. The data are read once, into memory (a file that is
cut off later can harm nobody), and compared with their checksum; tensors are views of them. No pickle.
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
from hedline.files import atomic_path, digest, open_regular

MAX_HEADER = 1 << 20
MAX_RANK = 8
MEMORY_BUDGET = 4 << 30  # bytes: what the tensors of one file may take in memory
LARGEST = 1e6  # no weight, bias or scale of a trained model comes near; beyond it a file is damaged
SUMMED = 4096  # bytes to a sum of the quick checksum
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
    """The named tensors of one safetensors file; indexing gives a read-only view of its data.

    quick, sha256: checksums the data must have when they are first read; empty: not known.
    """

    def __init__(self, path: Path, quick: str = "", sha256: str = "") -> None:
        self.path, self._quick, self._sha256 = path, quick, sha256
        try:
            with open_regular(path, MEMORY_BUDGET) as file:
                self.size = os.fstat(file.fileno()).st_size
                _refuse_holes(path, file.fileno(), self.size)
                header, start = _read_header(path, file.read(8 + MAX_HEADER), self.size)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror or error}") from None
        self.metadata: dict[str, str] = _metadata(header.pop("__metadata__", {}))
        self.places = {name: _place(path, name, entry, start, self.size) for name, entry in header.items()}
        _check_overlaps(path, self.places)
        self._data: NDArray[np.uint8] | None = None

    def __getitem__(self, name: str) -> NDArray[Any]:
        place = self.places.get(name)
        if place is None:
            raise KeyError(name)
        if self._data is None:
            self._data = self._read()
        return _view(self._data, place)

    def _read(self) -> NDArray[np.uint8]:
        """The whole file (size,), compared with its checksum, every float within sensible bounds."""
        data = np.empty(self.size, np.uint8)
        try:
            with open_regular(self.path, MEMORY_BUDGET) as file:
                view, count = data.data, 0
                while count < self.size and (got := file.readinto(view[count:])):
                    count += got
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {error.strerror or error}") from None
        if count < self.size:
            raise _broken(self.path, f"it ends after {count:,} bytes")
        data.flags.writeable = False
        self._verify(data)
        self._check_values(data)
        return data

    def _verify(self, data: NDArray[np.uint8]) -> None:
        found, wanted = (quick_checksum(data), self._quick) if self._quick else ("", "")
        if not self._quick and self._sha256:
            found, wanted = digest([data.data]), self._sha256
        if found != wanted:
            raise UserError(
                f"{self.path} is damaged: its checksum differs from config.json; copy the model folder again"
            )

    def _check_values(self, data: NDArray[np.uint8]) -> None:
        for name, place in self.places.items():
            values = _view(data, place) if place.dtype.kind == "f" else data[:0]
            if values.size and not (
                float(values.max()) <= LARGEST and float(values.min()) >= -LARGEST
            ):  # NaN is neither
                raise UserError(
                    f"{self.path}: tensor {name!r} holds values that are not finite or beyond {LARGEST:g}; "
                    "copy or train the model again"
                )

    def __contains__(self, name: object) -> bool:
        return name in self.places  # a Mapping's own would read the data

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


def _view(data: NDArray[np.uint8], place: Place) -> NDArray[Any]:
    """One tensor of a file's bytes."""
    part = data[place.offset : place.offset + math.prod(place.shape) * place.dtype.itemsize]
    if place.offset % place.dtype.itemsize:  # legal, rare: an odd header length
        part = part.copy()
        part.flags.writeable = False
    return part.view(place.dtype).reshape(place.shape)


def quick_checksum(data: NDArray[np.uint8]) -> str:
    """A checksum of a file's bytes (n,) at memory speed: SHA-256 of the sums of its blocks, 16 hexadecimal digits.

    Every flipped bit and every lost, swapped or foreign block changes it; it does not withstand an attacker, who could
    as well rewrite config.json.
    """
    whole = len(data) // SUMMED * SUMMED
    sums = data[:whole].view("<u8").reshape(-1, SUMMED // 8).sum(axis=1, dtype=np.uint64)
    return digest([sums.astype("<u8").tobytes(), data[whole:].tobytes()])[:16]


def read_checksum(path: Path) -> str:
    """The quick checksum of a file."""
    return quick_checksum(np.fromfile(path, np.uint8))


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


def _refuse_holes(path: Path, handle: int, size: int) -> None:
    """A file that is mostly holes takes little disk and much memory; no saved model looks like that."""
    blocks = getattr(os.fstat(handle), "st_blocks", size) * 512
    if size > 1 << 20 and 0 < blocks < size // 4 and os.lseek(handle, 0, os.SEEK_HOLE) < size:
        raise _broken(path, f"of its {size:,} bytes only {blocks:,} are on the disk")
    os.lseek(handle, 0, os.SEEK_SET)


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
