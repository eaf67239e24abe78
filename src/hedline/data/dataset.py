"""The data folder as training sees it: memory-mapped ids of all pairs, by split. It needs numpy alone.

`SplitWriter` writes the flat id arrays as `.npy` piece by piece, so that no more than one piece is ever in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy

from hedline.arrays import Array, Ints
from hedline.errors import UserError
from hedline.files import read_json


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


SPLITS = ("train", "valid", "test")
FORMAT = 1


@dataclass(frozen=True)
class Pairs:
    """The pairs of one split.

    inputs, outputs: flat ids of all leads and headlines (without `<s>` and `</s>`); *_offsets (n + 1): pair i's ids
    are `inputs[input_offsets[i]:input_offsets[i + 1]]`.
    """

    inputs: Array
    input_offsets: Ints
    outputs: Array
    output_offsets: Ints

    def __len__(self) -> int:
        return len(self.input_offsets) - 1

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> tuple[Array, Array]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.input(index), self.output(index)

    def input(self, index: int) -> Array:
        """Ids of a lead."""
        return self.inputs[self.input_offsets[index] : self.input_offsets[index + 1]]

    def output(self, index: int) -> Array:
        """Ids of a headline."""
        return self.outputs[self.output_offsets[index] : self.output_offsets[index + 1]]

    @property
    def input_lengths(self) -> Ints:
        """Ids in each lead (n,)."""
        return np.diff(self.input_offsets)

    @property
    def output_lengths(self) -> Ints:
        """Ids in each headline (n,)."""
        return np.diff(self.output_offsets)


@dataclass(frozen=True)
class Dataset:
    """A prepared corpus: settings, vocabulary sizes and splits."""

    folder: Path
    settings: dict[str, Any]
    input_size: int
    output_size: int

    @classmethod
    def open(cls, folder: Path | str) -> Dataset:
        """Open a folder made by `hedline prepare`."""
        folder = Path(folder)
        if not (folder / "settings.json").is_file():
            raise UserError(f"{folder} is no data folder (it has no settings.json); make one with `hedline prepare`")
        settings = read_json(folder / "settings.json")
        if settings.get("format") != FORMAT:
            raise UserError(f"{folder} has data format {settings.get('format')}, this hedline reads {FORMAT}")
        sizes = settings["vocabulary"]
        return cls(folder, settings, int(sizes["input"]), int(sizes["output"]))

    @property
    def units(self) -> str:
        """`words` or `subwords`."""
        return str(self.settings["settings"]["units"])

    @property
    def fingerprint(self) -> str:
        """The hash of the sources and settings this data was made from."""
        return str(self.settings["fingerprint"])

    @property
    def stats(self) -> dict[str, Any]:
        """The content of `stats.json`."""
        stats: dict[str, Any] = read_json(self.folder / "stats.json")
        return stats

    def has(self, split: str) -> bool:
        """Whether a split exists and holds pairs."""
        return (self.folder / f"{split}.input_offsets.npy").is_file() and len(self.split(split)) > 0

    def split(self, name: str) -> Pairs:
        """Open the arrays of a split, memory-mapped; sizes are checked."""
        if name not in SPLITS:
            raise UserError(f"no split is called {name!r}; they are {', '.join(SPLITS)}")
        names = ("inputs", "input_offsets", "outputs", "output_offsets")
        pairs = Pairs(*(self._load(name, part) for part in names))
        for flat, offsets in ((pairs.inputs, pairs.input_offsets), (pairs.outputs, pairs.output_offsets)):
            if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(flat):
                raise UserError(f"the {name} arrays of {self.folder} do not fit together; prepare the data again")
        if len(pairs.input_offsets) != len(pairs.output_offsets):
            raise UserError(f"{self.folder} has unequal numbers of {name} inputs and outputs; prepare the data again")
        return pairs

    def _load(self, split: str, part: str) -> Any:
        path = self.folder / f"{split}.{part}.npy"
        try:
            return np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            raise UserError(f"{self.folder} has no {split} split ({path.name} is missing)") from None
        except (OSError, ValueError) as error:
            raise UserError(f"{path} cannot be read ({error}); prepare the data again") from None
