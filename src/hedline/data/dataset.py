"""A data folder as training sees it: memory-mapped ids of all pairs, by split. Needs numpy alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.errors import UserError
from hedline.files import read_json

SPLITS = ("train", "valid", "test")
FORMAT = 1

Ids = npt.NDArray[Any]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """The pairs of one split.

    inputs, outputs: flat ids of all leads and headlines (without `<s>` and `</s>`); *_offsets (n + 1): pair i's ids
    are `inputs[input_offsets[i]:input_offsets[i + 1]]`.
    """

    inputs: Ids
    input_offsets: Offsets
    outputs: Ids
    output_offsets: Offsets

    def __len__(self) -> int:
        return len(self.input_offsets) - 1

    def __iter__(self) -> Iterator[tuple[Ids, Ids]]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> tuple[Ids, Ids]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.input(index), self.output(index)

    def input(self, index: int) -> Ids:
        """Ids of a lead."""
        return self.inputs[self.input_offsets[index] : self.input_offsets[index + 1]]

    def output(self, index: int) -> Ids:
        """Ids of a headline."""
        return self.outputs[self.output_offsets[index] : self.output_offsets[index + 1]]

    @property
    def input_lengths(self) -> Offsets:
        """Ids in each lead (n,)."""
        return np.diff(self.input_offsets)

    @property
    def output_lengths(self) -> Offsets:
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
