"""The data folder as training sees it, memory-mapped ids of all pairs by split; how one is written, and a smaller one.

`SplitWriter` writes the flat id arrays as `.npy` piece by piece, so that no more than one piece is ever in memory.
`make_subset` keeps only well-supported pairs or smaller vocabularies of a prepared folder; no text is read again.
Vocabularies are sorted by frequency, so a smaller one is a prefix: ids beyond it become `<unk>`. All need numpy alone.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy

from hedline.arrays import Array, Ints
from hedline.errors import UserError
from hedline.files import digest, read_json, write_json
from hedline.settings import setting
from hedline.text.tokenize import is_content
from hedline.text.vocab import UNKNOWN, Vocabulary

SPLITS = ("train", "valid", "test")
FORMAT = 1
BLOCK = 100_000  # pairs of a subset handled at a time
FEWEST_WORDS = 5  # of a vocabulary: the specials and one word


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


@dataclass(frozen=True)
class SubsetSettings:
    """What is kept. Pairs are filtered among the training pairs only, unless `every_split`; vocabulary sizes count the
    specials, and None keeps the vocabulary.
    """

    min_support: float = setting(0.0, "Least share of the headline's content words in the lead.")
    input_words: int | None = setting(None, "Keep this many input words.")
    output_words: int | None = setting(None, "Keep this many output words.")
    every_split: bool = setting(False, "Filter valid and test pairs too.", names=("--every-split",))

    def __post_init__(self) -> None:
        if not 0 <= self.min_support <= 1:
            raise UserError(f"--min-support takes a share between 0 and 1, not {self.min_support}")
        for name in ("input_words", "output_words"):
            if getattr(self, name) is not None and getattr(self, name) < FEWEST_WORDS:
                option = f"--{name.replace('_', '-')}"
                raise UserError(f"{option} must be {FEWEST_WORDS} or more, not {getattr(self, name)}")


def make_subset(source: Path, target: Path, settings: SubsetSettings) -> dict[str, int]:
    """Write the subset of data folder `source` to `target`; returns the pairs kept in each split."""
    dataset = Dataset.open(source)
    if dataset.units != "words":
        raise UserError(f"{source} holds {dataset.units}; a subset is made of word data (prepare with --units words)")
    if target.exists():
        raise UserError(f"{target} exists already; name a new folder with --out")
    words = [Vocabulary.load(source / f"vocab.{side}.txt") for side in ("input", "output")]
    sizes = (_cap(settings.input_words, words[0]), _cap(settings.output_words, words[1]))
    work = target.with_name(f".{target.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    kept = {}
    for split in [name for name in SPLITS if dataset.has(name)]:
        pairs = dataset.split(split)
        share = settings.min_support if split == "train" or settings.every_split else 0.0
        rows = np.flatnonzero(supports(pairs, *words) >= share) if share else np.arange(len(pairs))
        write_rows(work, split, pairs, rows, sizes)
        kept[split] = len(rows)
    for name, vocabulary, size in zip(("input", "output"), words, sizes, strict=True):
        Vocabulary(vocabulary.words[:size]).save(work / f"vocab.{name}.txt")
    _copy_rest(source, work, settings, sizes, kept)
    work.replace(target)
    return kept


def supports(pairs: Pairs, inputs: Vocabulary, outputs: Vocabulary) -> Array:
    """(n,) share of each headline's content words that stand in its lead; unknown words count as unsupported."""
    same = np.array([inputs.ids.get(word, -1) for word in outputs.words], np.int64)
    content = np.array([is_content(word) for word in outputs.words])
    same[: UNKNOWN + 1], content[UNKNOWN] = -1, True
    parts = [_block_supports(pairs, first, last, same, content, len(inputs)) for first, last in _blocks(len(pairs))]
    return np.concatenate(parts) if parts else np.zeros(0)


def _block_supports(pairs: Pairs, first: int, last: int, same: Array, content: Array, width: int) -> Array:
    leads, lead_rows = _flat(pairs.inputs, pairs.input_offsets, first, last)
    titles, title_rows = _flat(pairs.outputs, pairs.output_offsets, first, last)
    present = np.unique(lead_rows * width + leads)
    wanted = same[titles]
    found = np.isin(title_rows * width + wanted, present) & (wanted >= 0)
    counted = content[titles]
    total = np.bincount(title_rows, counted, last - first)
    hits = np.bincount(title_rows, counted & found, last - first)
    share: Array = hits / np.maximum(total, 1)
    return share


def _flat(ids: Array, offsets: Array, first: int, last: int) -> tuple[Array, Array]:
    """Ids of pairs first … last-1 and the row of each."""
    lengths = np.diff(offsets[first : last + 1])
    flat = np.asarray(ids[offsets[first] : offsets[last]], np.int64)
    return flat, np.repeat(np.arange(last - first), lengths)


def write_rows(folder: Path, split: str, pairs: Pairs, rows: Array, sizes: tuple[int, int]) -> None:
    """Write the chosen pairs of a split, ids beyond the new vocabularies as `<unk>`."""
    sides = ((pairs.inputs, pairs.input_offsets), (pairs.outputs, pairs.output_offsets))
    tokens = tuple(int(np.diff(offsets)[rows].sum()) for _, offsets in sides)
    writer = SplitWriter(folder, split, len(rows), (tokens[0], tokens[1]), sizes)
    chosen = np.zeros(len(pairs), bool)
    chosen[rows] = True
    for first, last in _blocks(len(pairs)):
        for side, (ids, offsets) in enumerate(sides):
            flat, owner = _flat(ids, offsets, first, last)
            flat = flat[chosen[first:last][owner]]
            lengths = np.diff(offsets[first : last + 1])[chosen[first:last]]
            writer.write(side, np.where(flat < sizes[side], flat, UNKNOWN), lengths)
    writer.close()


def _blocks(pairs: int) -> Iterator[tuple[int, int]]:
    return ((first, min(first + BLOCK, pairs)) for first in range(0, pairs, BLOCK))


def _cap(wanted: int | None, vocabulary: Vocabulary) -> int:
    return min(wanted or len(vocabulary), len(vocabulary))


def _copy_rest(
    source: Path, work: Path, settings: SubsetSettings, sizes: tuple[int, int], kept: dict[str, int]
) -> None:
    """Raw text, casing statistics and the record of what was done."""
    raw = () if settings.every_split else ("valid.jsonl", "test.jsonl")  # their lines would no longer fit the arrays
    for name in (*raw, "truecase.tsv"):
        if (source / name).is_file():
            shutil.copyfile(source / name, work / name)
    record = read_json(source / "settings.json")
    asked = json.dumps([record["fingerprint"], asdict(settings)], sort_keys=True)
    record["fingerprint"] = digest([asked])[:16]
    record["subset"] = asdict(settings) | {"kept": kept}
    record["vocabulary"] = {"input": sizes[0], "output": sizes[1]}
    write_json(work / "settings.json", record)
    write_json(work / "stats.json", read_json(source / "stats.json") | {"subset": kept})
