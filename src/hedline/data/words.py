"""The data of `--units words`: word counts, two vocabularies, and the chunks' words mapped onto them.

The counts of the kept pairs give the sizes of the splits, the vocabularies, the casings (`truecase.tsv`) and the
overlap. Words of any corpus are counted in bounded memory: a dictionary spills sorted runs to disk and merges them.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.data.chunks import ChunkFile, Summary, open_chunk
from hedline.data.dataset import SplitWriter
from hedline.data.settings import ROLES, TRAIN, PrepareSettings
from hedline.data.splits import Codes, Division
from hedline.progress import track
from hedline.text.casing import CaseCounts
from hedline.text.vocab import UNKNOWN, Vocabulary


@dataclass
class Totals:
    """Sums over the pairs of a split, in the model's words."""

    pairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    overlap: int = 0
    overlap75: int = 0

    def add(self, chunk: ChunkFile, mask: npt.NDArray[np.bool_]) -> None:
        """Add the masked pairs of a chunk."""
        self.pairs += int(mask.sum())
        self.input_tokens += int(chunk["input_lengths"][mask].sum())
        self.output_tokens += int(chunk["output_lengths"][mask].sum())
        self.overlap += int(chunk["overlap"][mask].sum(dtype=np.int64))
        self.overlap75 += int(chunk["overlap75"][mask].sum(dtype=np.int64))


@dataclass
class Tally:
    """Everything counted in one pass over the chunks."""

    inputs: WordCounter
    outputs: WordCounter
    casings: WordCounter
    totals: dict[str, Totals] = field(default_factory=lambda: {role: Totals() for role in ROLES})


def tally(chunks: Sequence[tuple[Path, Summary]], division: Division, folder: Path) -> Tally:
    """Count the kept pairs; words are counted on the training split alone."""
    inputs, outputs, casings = (WordCounter(folder, name) for name in ("inputs", "outputs", "casings"))
    result = Tally(inputs, outputs, casings)
    jobs = zip(chunks, division.codes, strict=True)
    for (path, _), codes in track(jobs, "counting words", len(chunks), "chunks"):
        with open_chunk(path) as chunk:
            _add(result, chunk, codes)
    return result


def _add(result: Tally, chunk: ChunkFile, codes: Codes) -> None:
    for code, role in enumerate(ROLES):
        mask = codes == code
        if mask.any():
            result.totals[role].add(chunk, mask)
    train = codes == 0
    if not train.any():
        return
    words = chunk.lines("words")
    for counter, side in ((result.inputs, "input"), (result.outputs, "output")):
        ids = chunk[f"{side}s"][token_mask(train, chunk[f"{side}_lengths"])]
        counter.add(words, np.bincount(ids, minlength=len(words)).tolist())
    # Casings are counted before duplicates go: a few repeats do not change which casing is usual.
    result.casings.add(chunk.lines("casings"), chunk["casing_counts"].tolist())


def token_mask(pairs: npt.NDArray[np.bool_], lengths: Array) -> npt.NDArray[np.bool_]:
    """A mask over pairs spread over their tokens."""
    return np.repeat(pairs, lengths)


MAX_TYPES = 100_000


class WordCounter:
    """Counts by word; `items` gives them in alphabetical order, whatever was spilt."""

    def __init__(self, folder: Path, name: str, max_types: int = MAX_TYPES) -> None:
        """folder: where runs are spilt; name: tells this counter's runs from others'."""
        self.folder, self.name, self.max_types = folder, name, max_types
        self.counts: dict[str, int] = {}
        self.runs: list[Path] = []

    def add(self, words: Iterable[str], counts: Iterable[int]) -> None:
        """Add counts; zeros are passed over."""
        held = self.counts
        for word, count in zip(words, counts, strict=True):
            if count:
                held[word] = held.get(word, 0) + count
        if len(held) > self.max_types:
            self._spill()

    def items(self) -> Iterator[tuple[str, int]]:
        """(word, count) in alphabetical order, streamed."""
        if not self.runs:
            yield from sorted(self.counts.items())
            return
        streams = [*(_read_run(run) for run in self.runs), iter(sorted(self.counts.items()))]
        for word, group in groupby(heapq.merge(*streams), key=itemgetter(0)):
            yield word, sum(count for _, count in group)

    def types(self) -> int:
        """How many different words were counted."""
        return sum(1 for _ in self.items()) if self.runs else len(self.counts)

    def _spill(self) -> None:
        run = self.folder / f"{self.name}-{len(self.runs):05d}.run"
        with run.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
            stream.writelines(f"{count}\t{word}\n" for word, count in sorted(self.counts.items()))
        self.runs.append(run)
        self.counts = {}


def _read_run(path: Path) -> Iterator[tuple[str, int]]:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
        for line in stream:
            count, _, word = line.rstrip("\n").partition("\t")
            yield word, int(count)


LEAST = 2  # a spelling seen once may be a slip


def write_casings(path: Path, casings: Iterable[tuple[str, int]], vocabulary: Container[str] | None) -> None:
    """Write the usual spelling of each word (of `vocabulary`, where given) from (spelling, count)."""
    counts = CaseCounts()
    counts.forms.update({form: count for form, count in casings if count >= LEAST})
    counts.truecaser(LEAST, vocabulary).save(path)


def automatic_min_count(pairs: int) -> int:
    """The paper's 5 for large corpora, less where a word has less chance to recur."""
    for bound, count in ((2_000, 1), (50_000, 2), (200_000, 3)):
        if pairs < bound:
            return count
    return 5


def build_vocabularies(result: Tally, settings: PrepareSettings) -> tuple[Vocabulary, Vocabulary, int]:
    """Input and output vocabularies, and the least count of a word in them."""
    minimum = settings.min_count or automatic_min_count(result.totals[TRAIN].pairs)
    inputs = Vocabulary.build(result.inputs.items(), minimum, settings.input_words)
    outputs = Vocabulary.build(result.outputs.items(), minimum, settings.output_words)
    return inputs, outputs, minimum


def write_words(
    folder: Path,
    chunks: Sequence[tuple[Path, Summary]],
    division: Division,
    result: Tally,
    vocabularies: tuple[Vocabulary, Vocabulary],
) -> dict[str, dict[str, int]]:
    """Write the arrays of all splits; gives the number of `<unk>` on each side of each split."""
    sizes = (len(vocabularies[0]), len(vocabularies[1]))
    totals = result.totals
    writers = {
        role: SplitWriter(folder, role, t.pairs, (t.input_tokens, t.output_tokens), sizes) for role, t in totals.items()
    }
    unknown = {role: {"input": 0, "output": 0} for role in ROLES}
    jobs = zip(chunks, division.codes, strict=True)
    for (path, _), codes in track(jobs, "writing arrays", len(chunks), "chunks"):
        with open_chunk(path) as chunk:
            words = chunk.lines("words")
            for side, name in enumerate(("input", "output")):
                table = np.array(vocabularies[side].encode(words), np.int32)
                ids, lengths = chunk[f"{name}s"], chunk[f"{name}_lengths"]
                for code, role in enumerate(ROLES):
                    mask = codes == code
                    if mask.any():
                        mapped = table[ids[token_mask(mask, lengths)]]
                        writers[role].write(side, mapped, lengths[mask])
                        unknown[role][name] += int((mapped == UNKNOWN).sum())
    for writer in writers.values():
        writer.close()
    return unknown
