"""The data of `--units subwords`: one vocabulary of byte-level pieces for both sides.

The pieces are learnt from a sample of the kept pairs. An input is its control tokens followed by the pieces of the
cleaned lead; an output is the pieces of the headline. `BaseVocabulary` takes the vocabularies of a model or data folder
instead, so that a model can be trained further on new data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.data.chunks import Summary, open_chunk
from hedline.data.dataset import SplitWriter
from hedline.data.settings import ROLES
from hedline.data.splits import Codes, Division
from hedline.errors import UserError
from hedline.files import atomic_path, digest_of_files
from hedline.progress import track
from hedline.text.casing import Truecaser
from hedline.text.clean import clean
from hedline.text.subword import CONTROLS, Subwords, known_groups, pair_controls
from hedline.text.vocab import Vocabulary

SAMPLE_PAIRS = 300_000

Chunks = Sequence[tuple[Path, Summary]]
Job = tuple[Path, Codes]
Encoded = dict[str, Any]
MapJobs = Callable[[Callable[[Job], Encoded], Iterator[Job]], Iterator[Encoded]]


def train_subwords(chunks: Chunks, division: Division, size: int) -> Subwords:
    """Learn the pieces from the first training pairs, leads and headlines alike."""
    return Subwords.train(_sample(chunks, division), size, CONTROLS)


def _sample(chunks: Chunks, division: Division) -> Iterator[str]:
    for lead, headline in islice(_kept_texts(chunks, division), SAMPLE_PAIRS):
        yield lead
        yield headline


def _kept_texts(chunks: Chunks, division: Division) -> Iterator[tuple[str, str]]:
    for (path, _), codes in zip(chunks, division.codes, strict=True):
        with open_chunk(path) as chunk:
            lines = chunk.lines("raw")
        for index in np.flatnonzero(codes == 0):
            row = json.loads(lines[index])
            yield clean(row["lead"]), clean(row["headline"])


def encode_chunk(job: Job, folder: Path) -> Encoded:
    """Encode a chunk's kept pairs with the vocabulary in `folder` into `<chunk>.pieces.npz`; gives name and sizes."""
    path, codes = job
    subwords = _load(folder)
    with open_chunk(path) as chunk:
        lines = chunk.lines("raw")
    arrays: dict[str, npt.NDArray[Any]] = {}
    sizes: dict[str, list[int]] = {}
    for code, role in enumerate(ROLES):
        encoded = [_encode_pair(lines[index], subwords) for index in np.flatnonzero(codes == code)]
        for side, name in enumerate(("input", "output")):
            lists = [pair[side] for pair in encoded]
            arrays[f"{role}.{name}s"] = np.array([index for ids in lists for index in ids], np.int32)
            arrays[f"{role}.{name}_lengths"] = np.array([len(ids) for ids in lists], np.uint32)
        sizes[role] = [len(encoded), len(arrays[f"{role}.inputs"]), len(arrays[f"{role}.outputs"])]
    target = path.with_suffix(".pieces.npz")
    with atomic_path(target) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]
    return {"file": target.name, "sizes": sizes}


@lru_cache(maxsize=1)
def _load(folder: Path) -> Subwords:
    return Subwords.load(folder)


def _encode_pair(line: str, subwords: Subwords) -> tuple[list[int], list[int]]:
    row = json.loads(line)
    lead, headline = clean(row["lead"]), clean(row["headline"])
    controls = [subwords.ids[name] for name in pair_controls(lead, headline) if name in subwords.ids]
    return [*controls, *subwords.encode(lead)], subwords.encode(headline)


def write_subwords(
    folder: Path, chunks: Chunks, division: Division, size: int, run: MapJobs
) -> dict[str, dict[str, int]]:
    """Encode all chunks and write the arrays of all splits; gives the pieces on each side of each split."""
    jobs = ((path, codes) for (path, _), codes in zip(chunks, division.codes, strict=True))
    results = run(partial(encode_chunk, folder=folder), jobs)
    encoded = list(track(results, "cutting into pieces", len(chunks), "chunks"))
    totals = {role: [sum(part["sizes"][role][i] for part in encoded) for i in range(3)] for role in ROLES}
    writers = {
        role: SplitWriter(folder, role, total[0], (total[1], total[2]), (size, size)) for role, total in totals.items()
    }
    for part in encoded:
        path = chunks[0][0].parent / part["file"]
        with open_chunk(path) as chunk:
            for role in ROLES:
                for side, name in enumerate(("input", "output")):
                    writers[role].write(side, chunk[f"{role}.{name}s"], chunk[f"{role}.{name}_lengths"])
        path.unlink()
    for writer in writers.values():
        writer.close()
    return {role: {"input": total[1], "output": total[2]} for role, total in totals.items()}


VOCABULARIES = ("vocab.input.txt", "vocab.output.txt")


@dataclass(frozen=True)
class BaseVocabulary:
    """Where vocabularies are taken from; digest: of all that is taken, 16 hexadecimal digits."""

    folder: Path
    units: str
    digest: str

    @classmethod
    def open(cls, folder: Path) -> BaseVocabulary:
        """Look at a model folder or a data folder."""
        missing = [name for name in VOCABULARIES if not (folder / name).is_file()]
        if missing:
            raise UserError(f"{folder} has no {missing[0]}; --vocabulary-from takes a model or a data folder")
        found = digest_of_files(folder / name for name in (*VOCABULARIES, "merges.txt", "truecase.tsv"))
        units = "subwords" if (folder / "merges.txt").is_file() else "words"
        return cls(folder, units, found[:16])

    def words(self) -> tuple[Vocabulary, Vocabulary]:
        """Input and output vocabularies, for units `words`."""
        inputs, outputs = (Vocabulary.load(self.folder / name) for name in VOCABULARIES)
        return inputs, outputs

    def subwords(self) -> Subwords:
        """The pieces, for units `subwords`."""
        pieces = Subwords.load(self.folder)
        groups = known_groups(pieces.ids)
        if not groups or not all(name in pieces.ids for group in groups for name in group):
            raise UserError(
                f"the pieces of {self.folder} lack the control tokens of prepared data; choose another base"
            )
        return pieces

    def complete_casings(self, path: Path) -> None:
        """Add to `truecase.tsv` the spellings of words that the new data had too seldom."""
        base = self.folder / "truecase.tsv"
        if base.is_file():
            forms = Truecaser.load(base).forms | Truecaser.load(path).forms
            Truecaser(forms).save(path)
