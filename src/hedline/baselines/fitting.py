"""What every fit needs: training pairs one by one, and a work folder that makes an interrupted fit resumable."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hedline.arrays import Array
from hedline.corpora.pairs import BadLine, Pair, expand, pairs_of
from hedline.corpora.tables import open_readers
from hedline.errors import UserError
from hedline.files import atomic_path, digest, is_file, read_json, write_json
from hedline.progress import Progress


def training_pairs(data: Sequence[Path], what: str = "reading", limit: int | None = None) -> Iterator[Pair]:
    """Stream the pairs of pairs files with progress; a bad line is passed over, as `hedline prepare` does.

    data: files, or folders whose files are all read; what: the progress line's first word; limit: pairs at most.
    """
    progress = Progress(what, limit, "pairs")
    for reader in open_readers(data):
        for pair in pairs_of(reader):
            if limit is not None and progress.done >= limit:
                break
            if not isinstance(pair, BadLine):
                yield pair
                progress.advance()
    progress.close()
    if not progress.done:
        raise UserError(f"{', '.join(map(str, data))} hold no pairs to learn from")


def data_identity(data: Sequence[Path]) -> str:
    """Sixteen hexadecimal digits that change when the named files do (their names, sizes and times)."""
    found = ((path.name, path.stat()) for path in expand(data))
    return digest(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n" for name, status in found)[:16]


class WorkFolder:
    """The folder `<out>/work` of an unfinished fit: steps already done under the same settings are not done again."""

    def __init__(self, out: Path, settings: Mapping[str, Any]) -> None:
        """settings: all that decides the result, as JSON values; a folder of other settings is begun anew."""
        self.folder = out / "work"
        stored = self.folder / "settings.json"
        if not (is_file(stored) and read_json(stored) == dict(settings)):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            write_json(stored, dict(settings))

    def arrays(self, name: str, make: Callable[[], Mapping[str, Array]]) -> dict[str, Array]:
        """Return the arrays of a step, memory-mapped; `make` is called only where they are not there yet."""
        done = self.folder / f"{name}.json"
        if not is_file(done):
            made = make()
            for part, array in made.items():
                save_array(self.folder / f"{name}.{part}.npy", array)
            write_json(done, sorted(made))
        return {part: load_array(self.folder / f"{name}.{part}.npy") for part in read_json(done)}

    def remove(self) -> None:
        """Delete the folder; call it when the fit is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)


def save_array(path: Path, array: Array) -> None:
    """Write one .npy file, whole or not at all."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def load_array(path: Path) -> Array:
    """Memory-map one .npy file; a missing or damaged one is a clear sentence."""
    try:
        found: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"{path} cannot be read ({error}); fit the baseline again") from None
    return found
