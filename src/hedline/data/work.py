"""The working folder of a preparation: beside the output, locked, kept for resuming, renamed into place at the end."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hedline.errors import UserError
from hedline.files import read_json, write_json


class WorkFolder:
    """`.<name>.partial` beside the output: `chunks/` survive an interruption, `final/` becomes the output."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = out.parent / f".{out.name}.partial"
        self.chunks = self.path / "chunks"
        self.runs = self.path / "runs"
        self.final = self.path / "final"

    def start(self, key: str) -> bool:
        """Make the folder ready for the preparation `key`; True when earlier chunks of it are there to resume."""
        state = self.path / "state.json"
        resumable = state.is_file() and read_json(state) == {"fingerprint": key}
        if not resumable:
            shutil.rmtree(self.chunks, ignore_errors=True)
            write_json(state, {"fingerprint": key})
        for folder in (self.runs, self.final):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        self.chunks.mkdir(exist_ok=True)
        return resumable and any(self.chunks.iterdir())

    def finish(self) -> None:
        """Move the finished folder into place, replacing an earlier data folder, and clear up."""
        for file in self.final.iterdir():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        if self.out.exists() and any(self.out.iterdir()):
            old = self.path / "old"
            shutil.rmtree(old, ignore_errors=True)
            self.out.rename(old)
        self.final.replace(self.out)
        self.remove()

    def remove(self) -> None:
        """Clear up, also after a run that ended between its last two steps."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def locked(work: WorkFolder) -> Iterator[None]:
    """Hold the folder alone, and turn a full or unwritable disk into a sentence."""
    try:
        work.path.mkdir(parents=True, exist_ok=True)
        with (work.path / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"another `hedline prepare` is writing {work.out}; wait for it to end") from None
            yield
    except OSError as error:
        raise UserError(
            f"cannot write {work.path}: {error.strerror or error}; free some space or check rights, then run the same "
            "command again: it resumes"
        ) from None
