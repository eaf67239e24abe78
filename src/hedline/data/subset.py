"""A smaller data folder made of a prepared one, with only well-supported pairs or smaller vocabularies.

No text is read again. Vocabularies are sorted by frequency, so a smaller one is a prefix: ids beyond it become `<unk>`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from hedline.arrays import Array
from hedline.data.dataset import SPLITS, Dataset, Pairs, SplitWriter
from hedline.errors import UserError
from hedline.files import digest, read_json, write_json
from hedline.settings import setting
from hedline.text.tokenize import is_content
from hedline.text.vocab import UNKNOWN, Vocabulary

BLOCK = 100_000
FEWEST_WORDS = 5  # of a vocabulary: the specials and one word


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
