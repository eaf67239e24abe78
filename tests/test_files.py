"""Files are written whole or not at all, and nothing but files is replaced."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.files import atomic_path, digest, digest_of_files, training_lock, was_killed, write_text


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_path(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old" and [each.name for each in tmp_path.iterdir()] == ["out.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real" / "file.txt")
    write_text(link, "new")
    assert link.is_symlink() and (tmp_path / "real" / "file.txt").read_text() == "new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_text, args=(pipe, "through"))
    writer.start()
    assert pipe.read_text() == "through"
    writer.join()
    assert pipe.is_fifo()


@pytest.mark.parametrize("place", ["file/inside.txt", "folder"])
def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="cannot write"):
        write_text(tmp_path / place, "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(UserError, match="Permission denied"):
        write_text(tmp_path / "x", "x")


def test_files_can_be_read_by_everybody_the_umask_allows(tmp_path: Path) -> None:
    for mask, expected in ((0o022, 0o644), (0o027, 0o640), (0o077, 0o600)):
        before = os.umask(mask)
        try:
            write_text(tmp_path / f"{mask:o}.txt", "for all")
        finally:
            os.umask(before)
        assert (tmp_path / f"{mask:o}.txt").stat().st_mode & 0o777 == expected


def test_a_replaced_file_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "shared.txt"
    path.write_text("old")
    path.chmod(0o664)
    write_text(path, "new")
    assert path.stat().st_mode & 0o777 == 0o664


def test_two_trainings_do_not_share_a_folder(tmp_path):
    out = tmp_path / "out"
    with training_lock(out):
        (out / "training.jsonl").write_text("")
        with pytest.raises(UserError, match="another training"), training_lock(out):
            pass
        assert was_killed(out)  # as long as the mark is there
    assert not was_killed(out)
    with pytest.raises(KeyError), training_lock(tmp_path / "new"):
        raise KeyError
    assert not (tmp_path / "new").exists()


def test_a_digest_is_that_of_all_parts_joined(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"x" * 3_000_000)
    whole = hashlib.sha256("é".encode() + b"bytes" + b"view" + path.read_bytes()).hexdigest()
    with path.open("rb") as file:
        assert digest(["é", b"bytes", memoryview(b"view"), file]) == whole
    named = hashlib.sha256(b"a.bin" + path.read_bytes()).hexdigest()
    assert digest_of_files([tmp_path / "missing", path]) == named
