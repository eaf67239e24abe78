"""What a tuning run has done so far, on disk: a killed run continues where it was, to the same result.

The work folder holds `settings.json` (what the run is: model, set, options), and for each round the decoded lists
(`round-001.npz`, no pickle) and the report with the optimised weights (`round-001.json`), each written whole or
not at all. A folder with other settings is of another run and is begun anew.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hedline.errors import UserError
from hedline.files import atomic_path, read_json, write_json
from hedline.tuning.pool import Hypothesis

Lists = list[list[Hypothesis]]


class State:
    """The work folder of one run; `folder` None keeps nothing (tests, short runs)."""

    def __init__(self, folder: Path | None, settings: dict[str, Any]) -> None:
        self.folder = folder
        self.resumed = False
        if folder is None:
            return
        self.resumed = self._same(folder / "settings.json", settings)
        if not self.resumed:
            self.remove()
            write_json(folder / "settings.json", settings)

    def lists(self, number: int, decode: Callable[[], Lists]) -> Lists:
        """The lists of a round: read when saved, else decoded and saved."""
        if self.folder is None:
            return decode()
        path = self.folder / f"round-{number:03d}.npz"
        saved = read_lists(path) if path.exists() else None
        if saved is not None:
            return saved
        lists = decode()
        with atomic_path(path) as temporary:
            write_lists(temporary, lists)
        return lists

    def report(self, number: int) -> dict[str, Any] | None:
        """The saved report of a round, if there is one."""
        path = None if self.folder is None else self.folder / f"round-{number:03d}.json"
        return dict(read_json(path)) if path and path.exists() else None

    def save_report(self, number: int, report: dict[str, Any]) -> None:
        """Save a round's report."""
        if self.folder is not None:
            write_json(self.folder / f"round-{number:03d}.json", report)

    def remove(self) -> None:
        """Delete what this module wrote; the folder too, if nothing else is in it."""
        if self.folder is None or not self.folder.exists():
            return
        for pattern in ("round-*.npz", "round-*.json", "settings.json", ".*.part"):
            for file in self.folder.glob(pattern):
                file.unlink()
        if not any(self.folder.iterdir()):
            shutil.rmtree(self.folder)

    @staticmethod
    def _same(path: Path, settings: dict[str, Any]) -> bool:
        try:
            return bool(read_json(path) == json.loads(json.dumps(settings)))
        except UserError:  # missing or damaged: not ours to continue
            return False


def write_lists(path: Path, lists: Lists) -> None:
    """Save n-best lists: counts, features, statistics, and the texts as one JSON document."""
    rows = [hypothesis for hypotheses in lists for hypothesis in hypotheses]
    texts = json.dumps([row.text for row in rows]).encode()
    with path.open("wb") as file:
        np.savez(
            file,
            counts=np.array([len(hypotheses) for hypotheses in lists], dtype=np.int64),
            features=np.array([row.features for row in rows], dtype=np.float64),
            statistics=np.array([row.statistics for row in rows], dtype=np.float64),
            texts=np.frombuffer(texts, dtype=np.uint8),
        )


def read_lists(path: Path) -> Lists | None:
    """N-best lists as saved, bit for bit; None when the file is damaged (it is then decoded again)."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            counts, features, statistics = saved["counts"], saved["features"], saved["statistics"]
            texts = json.loads(saved["texts"].tobytes())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError):
        return None
    rows = [Hypothesis(text, features[i], statistics[i]) for i, text in enumerate(texts)]
    ends = np.cumsum(counts)
    return [rows[end - count : end] for count, end in zip(counts, ends, strict=True)]
