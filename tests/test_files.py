"""Files are written whole or not at all, and nothing but files is replaced."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.files import atomic_path, write_text


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
