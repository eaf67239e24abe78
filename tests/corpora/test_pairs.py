"""Lines through compression, and every way a file can be broken."""

import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from hedline.corpora.pairs import BadLine, decode_line, read_lines

TEXT = "".join(f"line {n} about the harbour\n" for n in range(1, 2001)).encode()


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


PACKERS = {".txt": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd}


@pytest.mark.parametrize("suffix", PACKERS)
def test_lines_are_numbered_and_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(PACKERS[suffix](TEXT))
    lines = list(read_lines(path))
    assert len(lines) == 2000
    assert lines[0] == (1, b"line 1 about the harbour")
    assert lines[-1] == (2000, b"line 2000 about the harbour")


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_truncated_archive_gives_what_it_has_and_says_where_it_broke(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    import random

    noise = "".join(f"{random.Random(n).getrandbits(64)}\n" for n in range(20_000)).encode()
    packed = PACKERS[suffix](noise)
    path.write_bytes(packed[: len(packed) * 2 // 3])
    *lines, last = read_lines(path)
    assert isinstance(last, BadLine)
    assert "truncated" in last.why
    assert last.line == len(lines) + 1
    whole = noise.split(b"\n")
    assert all(line == (n, whole[n - 1]) for n, line in enumerate(lines, 1))


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_damaged_archive_is_reported_not_raised(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"this is no archive at all, only a few words")
    (bad,) = read_lines(path)
    assert isinstance(bad, BadLine) and bad.line == 1


def test_zstandard_files_of_several_frames_are_read_to_their_end(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(zstd(b"one\ntwo\n") + zstd(b"three\n"))
    assert list(read_lines(path)) == [(1, b"one"), (2, b"two"), (3, b"three")]


def test_a_gigantic_line_is_a_bad_line_and_the_next_ones_go_on(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"short\n" + b"x" * 3_000_000 + b"\nafter\n" + b"y" * 2_500_000)
    first, giant, after, last = read_lines(path)
    assert first == (1, b"short") and after == (3, b"after")
    assert isinstance(giant, BadLine) and giant.line == 2 and "longer than" in giant.why
    assert isinstance(last, BadLine) and last.line == 4


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n\ntwo")
    assert list(read_lines(path)) == [(1, b"one"), (2, b""), (3, b"two")]


def test_an_unreadable_file_is_a_bad_line(tmp_path: Path) -> None:
    (bad,) = read_lines(tmp_path)
    assert isinstance(bad, BadLine) and str(tmp_path) in str(bad)


def test_decoding_says_which_byte_is_wrong_and_drops_marks() -> None:
    bad = decode_line("f.txt", 7, b"caf\xe9 opens")
    assert isinstance(bad, BadLine)
    assert str(bad) == "f.txt:7: invalid UTF-8 at byte 4 of the line"
    assert decode_line("f.txt", 1, "\ufeffhead\r".encode()) == "head"
