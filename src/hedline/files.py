"""Files and folders written whole or not at all, and text read through whatever compression its name shows.

One file is written beside its place and renamed (`atomic_path`). A folder whose files belong together is saved by one
program at a time (`staged`): all files are written to `.saving` inside the folder, and renaming that to `.saved` is the
moment that counts. Then they are moved to their places; whoever opens the folder after an interruption finishes the
moving (`finish_saving`).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO

from hedline.errors import UserError

MOST_LIST = 1 << 28  # bytes of a word list, a table or JSON that is read whole
MOST_JSON = 1 << 26
LOG = "log.jsonl"  # in folders: when work was done and how long it took, so that equal work gives equal other files
SAVING, SAVED = ".saving", ".saved"
GONE = "gone.txt"  # in the saved folder: names of files that the new version does not have
LOCK = ".training"  # there while a training runs, and after one that was killed


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that replaces it on success and vanishes on failure.

    What cannot be replaced is written to directly (a device, a pipe); of a link, the file it points to is replaced.
    """
    temporary = None
    try:
        if _is_stream(path):
            yield path
            return
        target = path.resolve() if path.is_symlink() else path
        temporary = _temporary_beside(target)
        yield temporary
        move_into_place(temporary, target)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}; free some space or check rights") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def move_into_place(finished: Path, target: Path) -> None:
    """Let a finished file replace `target`, on the disk and with the rights `target` should have."""
    with finished.open("rb") as done:
        os.fsync(done.fileno())
    finished.chmod(_rights(target))
    finished.replace(target)


def _temporary_beside(path: Path) -> Path:
    """A new empty file in the folder of `path`, which is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    return Path(name)


def _rights(path: Path) -> int:
    """The mode a file here should have: that of the file it replaces, or what the umask leaves of 0o666."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)  # the only way to ask; a new file would be 0600 otherwise (mkstemp)
        os.umask(mask)
        return 0o666 & ~mask


def _is_stream(path: Path) -> bool:
    """Whether the path names a device, pipe or socket: replacing /dev/null would harm everybody."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically, keys in the order given, one trailing newline."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def staged(folder: Path, gone: tuple[str, ...] = ()) -> Iterator[Path]:
    """An empty folder to write the files to; they replace those of `folder` together. gone: files to delete then."""
    folder.mkdir(parents=True, exist_ok=True)
    finish_saving(folder)
    stage = folder / SAVING
    shutil.rmtree(stage, ignore_errors=True)  # of a save that was killed
    stage.mkdir()
    try:
        yield stage
        (stage / GONE).write_text("".join(f"{name}\n" for name in gone), encoding="utf-8")
        _sync(stage)
        stage.rename(folder / SAVED)
        _sync(folder)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    finish_saving(folder)
    _remove_parts(folder)


def finish_saving(folder: Path) -> None:
    """Move what a committed save left to its place; nothing where there is none."""
    saved = folder / SAVED
    if not saved.is_dir():
        return
    try:
        for file in sorted(saved.iterdir(), key=lambda file: file.name == GONE):
            if file.name != GONE:
                file.replace(folder / file.name)
        for name in (saved / GONE).read_text(encoding="utf-8").split():
            (folder / Path(name).name).unlink(missing_ok=True)
        shutil.rmtree(saved)
        _sync(folder)
    except OSError as error:
        raise UserError(
            f"{folder} was being saved when it was interrupted, and cannot be finished: {error.strerror or error}; "
            "open it once where it can be written to"
        ) from None


@contextmanager
def training_lock(folder: Path) -> Iterator[None]:
    """Refuse a second training into the same folder; the mark goes away when this one ends in order."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / LOCK
    with mark.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another training is writing to {folder}; wait for it or choose another --out") from None
        try:
            yield
        except BaseException:
            if all(each == mark for each in folder.iterdir()):  # nothing was made yet
                shutil.rmtree(folder)
            raise
        mark.unlink(missing_ok=True)


def was_killed(folder: Path) -> bool:
    """Whether a training into this folder did not end in order."""
    return (folder / LOCK).is_file()


def _sync(folder: Path) -> None:
    with suppress(OSError):  # not every file system can
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove_parts(folder: Path) -> None:
    """Delete temporary files of writers that were killed."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)


def log_event(folder: Path, event: str, **facts: Any) -> None:
    """Add a line to a folder's log: the date, what was done, and facts about it (`seconds`: of the whole work so far).

    A log that cannot be written (a full disk) stops nothing: the work itself says so where it matters.
    """
    line = json.dumps({"date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "event": event, **facts})
    with suppress(OSError), (folder / LOG).open("a", encoding="utf-8") as log:
        log.write(line + "\n")


def logged_seconds(folder: Path, *events: str) -> float | None:
    """The seconds of the last of these events in a folder's log; None where there is none. Torn lines are skipped."""
    try:
        lines = read_bounded(folder / LOG, MOST_JSON).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        with suppress(ValueError, KeyError, TypeError):
            found = json.loads(line)
            if found["event"] in events:
                return float(found["seconds"])
    return None


@contextmanager
def open_regular(path: Path, most: int) -> Iterator[io.FileIO]:
    """A regular file of at most `most` bytes, unbuffered; a device, a pipe or a larger file is refused unread.

    Raises OSError where there is none. A link may lead to a regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # opening a pipe must not wait for a writer
    with io.FileIO(handle) as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise UserError(f"{path} is not a regular file (a folder, device or pipe); put the file itself there")
        if found.st_size > most:
            raise UserError(f"{path} has {found.st_size:,} bytes, more than the {most:,} such a file may have")
        yield file


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a regular file, at most `most`; raises OSError where there is none."""
    with open_regular(path, most) as file:
        return file.read(most)


def read_entries(path: Path, most: int = MOST_LIST) -> list[str]:
    """The lines of a UTF-8 list such as a vocabulary; raises OSError and UnicodeDecodeError.

    Only \\n ends a line: other separators (\\r, U+2028) may be part of a word, and every reader must count alike.
    """
    text = read_bounded(path, most).decode("utf-8").removesuffix("\n")
    return text.split("\n") if text else []


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or broken one is a clear sentence."""
    try:
        return json.loads(read_bounded(path, MOST_JSON).decode("utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the name") from None
    except (ValueError, RecursionError, OSError) as error:
        raise UserError(f"{path} is not readable JSON ({error})") from None


def digest(parts: Iterable[str | bytes | memoryview | BinaryIO]) -> str:
    """SHA-256, in hexadecimal, of texts, bytes and open files one after the other; files are read in blocks."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            found.update(part.encode("utf-8", "replace"))
        elif isinstance(part, (bytes, memoryview)):
            found.update(part)
        else:
            while block := part.read(1 << 20):
                found.update(block)
    return found.hexdigest()


def digest_of_files(paths: Iterable[Path]) -> str:
    """The digest of the names and contents of those files that exist, in this order."""

    def parts() -> Iterator[str | BinaryIO]:
        for path in filter(Path.is_file, paths):
            yield path.name
            with path.open("rb") as file:
                yield file

    return digest(parts())


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name no file can have (too long, a zero byte) is a plain no."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def open_binary(path: Path) -> IO[bytes]:
    """Open for reading, decompressing .gz, .xz and .zst by name."""
    try:
        if path.suffix == ".gz":
            import gzip

            return gzip.open(path, "rb")  # type: ignore[return-value]
        if path.suffix == ".xz":
            import lzma

            return lzma.open(path, "rb")
        if path.suffix == ".zst":
            return _open_zstandard(path)
        return path.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None


def _open_zstandard(path: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        from hedline.errors import require

        raise require("zstandard", "tables", f"reading {path}") from None
    return io.BufferedReader(_ZstandardStream(path, zstandard.ZstdDecompressor()), 1 << 20)  # type: ignore[return-value]


class _ZstandardStream(io.RawIOBase):
    """All frames of a .zst file; EOFError when the last one is cut off (zstandard's own reader ends silently)."""

    def __init__(self, path: Path, decompressor: Any) -> None:
        self._file = path.open("rb")
        self._decompressor = decompressor
        self._frame: Any = None
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._pending:
            block = self._file.read(1 << 17)
            if not block:
                if self._frame is not None:
                    raise EOFError("compressed file ended before the end of its last frame")
                return 0
            self._pending = self._decompress(block)
        count = min(len(buffer), len(self._pending))
        buffer[:count], self._pending = self._pending[:count], self._pending[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()

    def _decompress(self, block: bytes) -> bytes:
        output = []
        while block:
            self._frame = self._frame or self._decompressor.decompressobj()
            output.append(self._frame.decompress(block))
            block = self._frame.unused_data if self._frame.eof else b""
            self._frame = None if self._frame.eof else self._frame
        return b"".join(output)
