"""Flat id arrays written as `.npy` piece by piece, so that no more than a piece is ever in memory."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

Array = npt.NDArray[Any]


def id_type(size: int) -> np.dtype[Any]:
    """The smallest type for ids of a vocabulary: uint16 where they fit, else int32."""
    return np.dtype(np.uint16 if size <= 1 << 16 else np.int32)


class ArrayWriter:
    """A one-dimensional `.npy` file of a length known beforehand."""

    def __init__(self, path: Path, dtype: np.dtype[Any], length: int) -> None:
        self.path, self.dtype, self.length, self.written = path, dtype, length, 0
        self._stream = path.open("wb")
        header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": (length,)}
        npy.write_array_header_1_0(self._stream, header)

    def write(self, values: Array) -> None:
        """Append values."""
        self._stream.write(np.ascontiguousarray(values, self.dtype).data)
        self.written += len(values)

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        if kind is None and self.written != self.length:
            raise AssertionError(f"{self.path} was to hold {self.length} values and got {self.written}")


class SplitWriter:
    """The four arrays of one split: ids and offsets of inputs and outputs."""

    def __init__(self, folder: Path, split: str, pairs: int, tokens: tuple[int, int], sizes: tuple[int, int]) -> None:
        """tokens: ids to come, in inputs and outputs; sizes: of the two vocabularies."""
        names = ("input", "output")
        self.ids = [
            ArrayWriter(folder / f"{split}.{name}s.npy", id_type(size), length)
            for name, size, length in zip(names, sizes, tokens, strict=True)
        ]
        offsets = np.dtype(np.int64)
        self.offsets = [ArrayWriter(folder / f"{split}.{name}_offsets.npy", offsets, pairs + 1) for name in names]
        for writer in self.offsets:
            writer.write(np.zeros(1, np.int64))

    def write(self, side: int, ids: Array, lengths: Array) -> None:
        """Append pairs' ids and lengths on one side (0 inputs, 1 outputs)."""
        start = self.ids[side].written
        self.ids[side].write(ids)
        self.offsets[side].write(start + np.cumsum(lengths.astype(np.int64)))

    def close(self) -> None:
        """Close all four; a wrong number of values is a defect and stops."""
        for writer in (*self.ids, *self.offsets):
            writer.__exit__(None, None, None)
