"""Lines of a file of any size through any compression, in bounded memory; what is broken becomes a `BadLine`."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from hedline.corpora.pairs import BadLine
from hedline.errors import UserError
from hedline.files import open_binary

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 20

Line = tuple[int, bytes]


def read_blocks(path: Path) -> Iterator[bytes | BadLine]:
    """Decompressed blocks of a file; ends with a `BadLine` when the file cannot be read to its end."""
    try:
        with open_binary(path) as stream:
            # read1 gives what there is; read would throw away what it had gathered when an archive breaks off.
            read: Callable[[int], bytes] = stream.read1  # type: ignore[attr-defined]
            while block := read(BLOCK_BYTES):
                yield block
    except UserError as error:
        yield BadLine(str(path), 0, str(error))
    except EOFError:
        yield BadLine(str(path), 0, "the archive is truncated")
    except (OSError, zlib.error) as error:
        yield BadLine(str(path), 0, f"the file cannot be read to its end ({error})")
    except Exception as error:
        # lzma.LZMAError and zstandard.ZstdError derive from Exception alone, and neither module is imported here.
        if type(error).__name__ not in {"LZMAError", "ZstdError"}:
            raise
        yield BadLine(str(path), 0, f"the archive is damaged ({error})")


def read_lines(path: Path, limit: int = MAX_LINE_BYTES) -> Iterator[Line | BadLine]:
    """Numbered lines (from 1) without their line ends; a line longer than `limit` bytes is a `BadLine`.

    A damaged archive yields the whole lines before the damage, then a `BadLine` at the place it broke off.
    """
    number, rest, skipping = 0, b"", False
    for block in read_blocks(path):
        if isinstance(block, BadLine):
            yield BadLine(block.file, number + 1, block.why)
            return
        *lines, rest_of_block = block.split(b"\n")
        for tail in lines:
            number += 1
            line, rest = (rest + tail if rest else tail), b""
            if skipping or len(line) > limit:
                skipping = False
                yield _too_long(path, number, limit)
            else:
                yield number, line
        rest += rest_of_block
        if len(rest) > limit:
            rest, skipping = b"", True
    if skipping:
        yield _too_long(path, number + 1, limit)
    elif rest:
        yield number + 1, rest


def decode_line(path: str, number: int, raw: bytes) -> str | BadLine:
    """UTF-8 text of a line without its carriage return; a byte-order mark on line 1 is dropped."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return BadLine(path, number, f"invalid UTF-8 at byte {error.start + 1} of the line")
    if number == 1:
        text = text.removeprefix("\ufeff")
    return text.removesuffix("\r")


def _too_long(path: Path, number: int, limit: int) -> BadLine:
    return BadLine(str(path), number, f"the line is longer than {limit:,} bytes")
