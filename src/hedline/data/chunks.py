"""A block of records is made into a chunk: a table of its words, and one row of numbers for each pair.

Tokenising is the slow part and is done once, here. A chunk knows nothing of other chunks; vocabularies, duplicates and
splits are decided later from these arrays alone. On disk a chunk is an uncompressed `.npz`, whose zip entries carry
checksums, written whole or not at all.

Near-duplicate leads are found by MinHash: `band_keys` gives keys that two leads share when about four fifths of their
content words are common. There are four bands of six minima each: leads whose content words have Jaccard similarity
0.9 share a band with probability 0.95, at 0.8 with 0.70, at 0.5 with 0.06.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.corpora.cleaners import clean_pair
from hedline.corpora.filters import Candidate, first_reason, title_words
from hedline.corpora.pairs import BadLine, Pair
from hedline.data.settings import BLOCK_RECORDS, TRAIN, VALID, Block, PrepareSettings, SplitSettings
from hedline.errors import UserError
from hedline.files import atomic_path
from hedline.text.casing import CaseCounts
from hedline.text.tokenize import is_content_word, normalize, remembered

Summary = dict[str, Any]


def save_chunk(path: Path, chunk: Chunk, key: str) -> Summary:
    """Write a chunk and give back its summary; `key` is the fingerprint of the preparation it belongs to."""
    summary = {
        "key": key,
        "role": chunk.role,
        "kept": len(chunk),
        "raw": len(chunk.raw),
        **chunk.counts,
        "bad_lines": [[bad.file, bad.line, bad.why, bad.harmless] for bad in chunk.bad],
    }
    casings = sorted(chunk.casings.items())
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez(
            stream,
            summary=_text(json.dumps(summary)),
            words=_text("\n".join(chunk.words)),
            raw=_text("\n".join(chunk.raw)),
            casings=_text("\n".join(word for word, _ in casings)),
            casing_counts=np.array([count for _, count in casings], np.uint32),
            **chunk.arrays,  # type: ignore[arg-type]
        )
    return summary


def load_summary(path: Path, key: str) -> Summary | None:
    """The summary of an undamaged chunk of this preparation, None when there is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.testzip() is not None:
                return None
        with np.load(path, allow_pickle=False) as arrays:
            summary: Summary = json.loads(arrays["summary"].tobytes())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return summary if summary.get("key") == key else None


class ChunkFile:
    """A chunk opened for reading; each array is read when asked for."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        array: npt.NDArray[Any] = self._arrays[name]
        return array

    def lines(self, name: str) -> list[str]:
        """A list of texts: `words`, `raw` or `casings`."""
        text = self._arrays[name].tobytes().decode("utf-8", "surrogatepass")
        return text.split("\n") if text else []


@contextmanager
def open_chunk(path: Path) -> Iterator[ChunkFile]:
    """Open a chunk; a damaged one is a clear sentence."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            yield ChunkFile(arrays)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is damaged ({error}); run the same prepare command again") from None


def bad_lines(summary: Summary) -> list[BadLine]:
    """The bad lines a summary kept."""
    return [BadLine(*item) for item in summary["bad_lines"]]


def _text(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


BANDS, ROWS = 4, 6
_SEED = 20150902

Keys = npt.NDArray[np.uint64]


def band_keys(words: Sequence[str], ids: npt.NDArray[Any], lengths: npt.NDArray[Any], plain: Keys) -> Keys:
    """Keys (n, BANDS) of n leads given as flat indices into `words`.

    plain (n,): keys of the whole leads, which stand in for leads without any content word.
    """
    if len(lengths) == 0:
        return np.zeros((0, BANDS), np.uint64)
    hashes = np.array([_word_hash(word) if is_content_word(word) else 0 for word in words], np.uint64)
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
    token_hashes = hashes[ids]
    generator = np.random.Generator(np.random.PCG64(_SEED))
    multipliers = generator.integers(1, 1 << 63, size=(BANDS, ROWS), dtype=np.uint64) | np.uint64(1)
    keys = np.zeros((len(lengths), BANDS), np.uint64)
    for band in range(BANDS):
        for multiplier in multipliers[band]:
            mixed = _mix(token_hashes * multiplier)
            mixed[token_hashes == 0] = np.iinfo(np.uint64).max
            minima = np.minimum.reduceat(mixed, starts)
            keys[:, band] = _mix(keys[:, band] * np.uint64(0x9E3779B97F4A7C15) + minima)
    without_content = np.maximum.reduceat(token_hashes, starts) == 0
    keys[without_content] = plain[without_content, None]
    return keys


def _word_hash(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


def _mix(values: Keys) -> Keys:
    """The finalising steps of splitmix64: every input bit reaches every output bit."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


BUCKETS = 10_000  # of the lead's key, for splits by hash
AUTOMATIC_SHARE = 0.05  # the most an automatic valid or test split takes
KEPT_BAD_LINES, KEPT_BLANK_LINES = 20, 5  # lines that a chunk names; all are counted
CASING_SAMPLE = 4  # casings are counted in every fourth lead, and in all of each file's early ones
PREFIX_CHARACTERS = 75


@dataclass
class Chunk:
    """Numbers of the pairs that passed the filters.

    words: the chunk's word types; inputs, outputs: flat indices into them; *_lengths, overlap, overlap75, dates and
    keys: one number per pair (keys uint64, dates as yyyymmdd or 0); raw: JSON texts of the pairs in raw_index.
    """

    role: str
    words: list[str]
    arrays: dict[str, Array]
    raw: list[str]
    casings: dict[str, int]
    counts: dict[str, Any]
    bad: list[BadLine] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.arrays["lead_keys"])


def make_chunk(block: Block, settings: PrepareSettings) -> Chunk:
    """Parse, clean, filter and tokenise the records of a block."""
    builder = _Builder(block, settings)
    for record in block.records:
        builder.add(record if isinstance(record, BadLine) else block.reader.parse(record))
    return builder.chunk()


class _Builder:
    """Grows a chunk pair by pair."""

    def __init__(self, block: Block, settings: PrepareSettings) -> None:
        self.role, self.settings = block.role, settings
        self.early = block.index * settings.block_records < BLOCK_RECORDS
        self.table: defaultdict[str, int] = defaultdict(count().__next__)
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.rows: list[tuple[int, ...]] = []
        self.raw: list[str] = []
        self.raw_index: list[int] = []
        self.casings = CaseCounts()
        self.removed: dict[str, int] = {}
        self.cleaned: dict[str, int] = {}
        self.bad: list[BadLine] = []
        self.read = self.bad_count = self.blank_count = 0
        given = self.role != TRAIN
        self.filtering = not given or (settings.filter_valid and self.role == VALID)

    def add(self, item: Pair | BadLine) -> None:
        """Take in one pair or one bad line."""
        self.read += 1
        if isinstance(item, BadLine):
            self._note_bad(item)
            return
        pair = clean_pair(item, self.settings.cleaners, self.cleaned) if self.filtering else item
        candidate = Candidate(pair, normalize(pair.lead), normalize(pair.headline))
        reason = self._reason(candidate)
        if reason is not None:
            self.removed[reason] = self.removed.get(reason, 0) + 1
            return
        self._keep(candidate, title_words(candidate.headline_words, self.settings.title_punctuation))

    def _reason(self, candidate: Candidate) -> str | None:
        if not candidate.lead_words or not candidate.headline_words:
            return "empty"
        return first_reason(candidate, self.settings.filters) if self.filtering else None

    def _note_bad(self, bad: BadLine) -> None:
        if bad.harmless:
            self.blank_count += 1
            keep = self.blank_count <= KEPT_BLANK_LINES
        else:
            self.bad_count += 1
            keep = self.bad_count <= KEPT_BAD_LINES
        if keep:
            self.bad.append(bad)

    def _keep(self, candidate: Candidate, headline: list[str]) -> None:
        lead, pair, intern = candidate.lead_words, candidate.pair, self.table.__getitem__
        self.inputs.extend(map(intern, lead))
        self.outputs.extend(map(intern, headline))
        types = set(headline)
        overlap, overlap75 = len(types & candidate.lead_types), len(types.intersection(prefix_words(" ".join(lead))))
        lead_key, headline_key, date = text_key(pair.lead), text_key(pair.headline), date_number(pair.date)
        self.rows.append((len(lead), len(headline), overlap, overlap75, lead_key, headline_key, date))
        if self._needs_raw(lead_key, date):
            self.raw_index.append(len(self.rows) - 1)
            self.raw.append(raw_json(pair))
        if self.role == TRAIN and (self.early or lead_key % CASING_SAMPLE == 0):
            self.casings.add(pair.lead)

    def _needs_raw(self, lead_key: int, date: int) -> bool:
        """Whether the text itself may be wanted later: for valid.jsonl and test.jsonl, or to cut into subwords."""
        splits = self.settings.splits
        if self.role != TRAIN or self.settings.units == "subwords":
            return True
        if splits.by == "hash":
            # All of a small file: its few pairs may fall into any bucket.
            return self.early or lead_key % BUCKETS < raw_buckets(splits)
        first = min((day for day in (splits.valid_from, splits.test_from) if day), default="")
        return splits.by == "date" and bool(first) and date >= date_number(first)

    def chunk(self) -> Chunk:
        """The finished chunk."""
        columns = list(zip(*self.rows, strict=True)) or [()] * 7
        ids = np.uint16 if len(self.table) <= 1 << 16 else np.uint32
        arrays: dict[str, Array] = {
            "inputs": np.array(self.inputs, ids),
            "outputs": np.array(self.outputs, ids),
            "input_lengths": np.array(columns[0], np.uint32),
            "output_lengths": np.array(columns[1], np.uint32),
            "overlap": np.array(columns[2], np.uint16),
            "overlap75": np.array(columns[3], np.uint16),
            "lead_keys": np.array(columns[4], np.uint64),
            "headline_keys": np.array(columns[5], np.uint64),
            "dates": np.array(columns[6], np.int32),
            "raw_index": np.array(self.raw_index, np.int64),
        }
        words = list(self.table)
        if self.settings.duplicates == "near":
            arrays["bands"] = band_keys(words, arrays["inputs"], arrays["input_lengths"], arrays["lead_keys"])
        counts = {
            "read": self.read,
            "bad": self.bad_count,
            "blank": self.blank_count,
            "removed": self.removed,
            "cleaned": self.cleaned,
        }
        return Chunk(self.role, words, arrays, self.raw, dict(self.casings.forms), counts, self.bad)


def raw_buckets(splits: SplitSettings) -> int:
    """Buckets below this may be held out by hash; a fifth more than the shares, since buckets are uneven."""
    shares = (AUTOMATIC_SHARE if share is None else share for share in (splits.valid_share, splits.test_share))
    return min(BUCKETS, int(1.2 * BUCKETS * sum(shares)) + 50)


def text_key(text: str) -> int:
    """64 bits that stand for a text; case and spacing do not matter, figures do."""
    folded = " ".join(text.lower().split())
    digest = hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def prefix_words(text: str, characters: int = PREFIX_CHARACTERS) -> list[str]:
    """The words that lie wholly in the first characters of a text whose words are joined by single spaces."""
    if len(text) <= characters:
        return text.split(" ")
    return text[: characters + 1].rpartition(" ")[0].split(" ")


@remembered(most=1 << 20)
def date_number(date: str) -> int:
    """`YYYY-MM-DD…` as the number yyyymmdd; 0 for anything else."""
    digits = date[:10].replace("-", "")
    return int(digits) if len(digits) == 8 and digits.isascii() and digits.isdigit() else 0


def raw_json(pair: Pair) -> str:
    """A pair as one line of JSON, empty fields left out."""
    row = {"id": pair.id, "lead": pair.lead, "headline": pair.headline, "source": pair.source, "date": pair.date}
    return json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False)
