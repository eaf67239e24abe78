"""A block of records made into a chunk: words interned in a table of its own, and a row of numbers for each pair.

Tokenising is the slow part and is done once, here. A chunk knows nothing of other chunks; vocabularies, duplicates and
splits are decided later from these arrays alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.corpora.candidate import Candidate
from hedline.corpora.cleaners import clean_pair
from hedline.corpora.filters import first_reason
from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.titles import title_words
from hedline.data.blocks import TRAIN, VALID, Block
from hedline.data.neighbours import band_keys
from hedline.data.settings import BLOCK_RECORDS, PrepareSettings, SplitSettings
from hedline.text.normalize import normalize
from hedline.text.truecase import CaseCounts

BUCKETS = 10_000  # of the lead's key, for splits by hash
AUTOMATIC_SHARE = 0.05  # the most an automatic valid or test split takes
KEPT_BAD_LINES, KEPT_BLANK_LINES = 20, 5  # a chunk names so many; all are counted
CASING_SAMPLE = 4  # casings are counted in every fourth lead, and in all of each file's early ones
PREFIX_CHARACTERS = 75

Array = npt.NDArray[Any]


@dataclass
class Chunk:
    """Numbers of the pairs that passed the filters.

    words: the chunk's word types; inputs, outputs: flat indices into them; *_lengths, overlap, overlap75, dates and the
    three keys: one a pair (keys uint64, dates as the number yyyymmdd or 0); raw: JSON texts of the pairs in raw_index.
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


@lru_cache(maxsize=10_000)
def date_number(date: str) -> int:
    """`YYYY-MM-DD…` as the number yyyymmdd; 0 for anything else."""
    digits = date[:10].replace("-", "")
    return int(digits) if len(digits) == 8 and digits.isascii() and digits.isdigit() else 0


def raw_json(pair: Pair) -> str:
    """A pair as one line of JSON, empty fields left out."""
    row = {"id": pair.id, "lead": pair.lead, "headline": pair.headline, "source": pair.source, "date": pair.date}
    return json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False)
