"""Chunks on disk: uncompressed `.npz`, whose zip entries carry checksums, written whole or not at all."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.corpora.pairs import BadLine
from hedline.data.chunk import Chunk
from hedline.errors import UserError
from hedline.files import atomic_path

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
