"""Everything that decides the bytes of a data folder, and the fingerprint made of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import hedline
from hedline.corpora.filters import FilterSettings
from hedline.corpora.tables import Fields
from hedline.corpora.titles import KEEP, MODES
from hedline.errors import UserError

FORMAT = 1
UNITS = ("words", "subwords")
DUPLICATES = ("keep", "exact", "near")
BLOCK_RECORDS = 8192


@dataclass(frozen=True)
class SplitSettings:
    """How pairs of the training sources are divided; files named as valid or test stand beside this.

    by: `none`, `hash` or `date`; shares None means by the size of the data; `…_from` are first days, `YYYY-MM-DD`.
    """

    by: str = "none"
    valid_share: float | None = None
    test_share: float | None = None
    valid_from: str = ""
    test_from: str = ""


@dataclass(frozen=True)
class PrepareSettings:
    """The options of `prepare` that decide its output; the number of workers is not among them.

    base: the digest of the vocabularies to use, empty to make new ones.
    """

    units: str = "words"
    fields: Fields = field(default_factory=Fields)
    filters: FilterSettings = field(default_factory=FilterSettings)
    cleaners: tuple[str, ...] = ()
    title_punctuation: str = KEEP
    filter_valid: bool = False
    duplicates: str = "exact"
    leakage: str = "remove"
    splits: SplitSettings = field(default_factory=SplitSettings)
    min_count: int | None = None
    input_words: int | None = None
    output_words: int | None = None
    vocabulary_size: int = 24_000
    block_records: int = BLOCK_RECORDS
    base: str = ""

    def __post_init__(self) -> None:
        _check("units", self.units, UNITS)
        _check("duplicates", self.duplicates, DUPLICATES)
        _check("leakage", self.leakage, ("remove", "report"))
        _check("title punctuation", self.title_punctuation, MODES)

    def as_json(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        if not self.base:  # data made before there were bases keeps its fingerprint
            del plain["base"]
        return plain


def _check(what: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise UserError(f"{what} cannot be {value!r}; choose from {', '.join(allowed)}")


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, read in blocks; of nothing when it cannot be read (the reader will say so)."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError:
        return "unreadable"
    return digest.hexdigest()


def fingerprint(settings: PrepareSettings, digests: Sequence[tuple[str, str, str]]) -> str:
    """A short hash of the settings and of each source's role, file name and content."""
    value = [FORMAT, hedline.__version__, settings.as_json(), [list(item) for item in digests]]
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
