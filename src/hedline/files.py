"""Files written whole or not at all, and text read through whatever compression its name shows."""

from __future__ import annotations

import io
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from hedline.errors import UserError


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
        with temporary.open("rb") as done:
            os.fsync(done.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}; free some space or check rights") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _temporary_beside(path: Path) -> Path:
    """A new empty file in the folder of `path`, which is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    return Path(name)


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


def read_entries(path: Path) -> list[str]:
    """The lines of a UTF-8 list such as a vocabulary; raises OSError and UnicodeDecodeError.

    Only \\n ends a line: other separators (\\r, U+2028) may be part of a word, and every reader must count alike.
    """
    text = path.read_bytes().decode("utf-8").removesuffix("\n")
    return text.split("\n") if text else []


def read_json(path: Path) -> Any:
    """Read a JSON file; a missing or broken one is a clear sentence."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except (ValueError, RecursionError, OSError) as error:
        raise UserError(f"{path} is not readable JSON ({error})") from None


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
