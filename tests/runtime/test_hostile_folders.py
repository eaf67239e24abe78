"""Damaged weights and hostile folders: one sentence, at once, before memory is taken."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_folders import feedforward_architecture, random_folder
from safetensors.numpy import save_file

import hedline
from hedline.api import load
from hedline.errors import UserError
from hedline.runtime.folder import ModelFolder
from hedline.runtime.tensors import TensorFile
from hedline.text.clean import fit_for_a_line
from hedline.text.subword import SPECIALS, Subwords, byte_letters
from hedline.text.vocab import Vocabulary

SHIPPED = Path(hedline.__file__).parent / "shipped"


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the shipped word model."""
    return Path(shutil.copytree(SHIPPED / "abs", tmp_path / "abs"))


def refused(folder: Path, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_shipped_models_know_their_quick_checksums():
    for name in ("abs", "default", "tiny"):
        config = json.loads((SHIPPED / name / "config.json").read_text())
        assert set(config["quick"]) == {"model.safetensors", "shortlist.safetensors"}
        ModelFolder.open(SHIPPED / name).verify()


@pytest.mark.parametrize("known", ["quick", "checksums"])
def test_flipped_bits_and_lost_blocks_are_refused(copy, known):
    config = json.loads((copy / "config.json").read_text())
    if known == "checksums":  # a folder of an earlier version has SHA-256 alone
        del config["quick"]
        (copy / "config.json").write_text(json.dumps(config))
    weights = copy / "model.safetensors"
    whole = weights.read_bytes()
    start = 8 + int.from_bytes(whole[:8], "little")
    rng = random.Random(1)
    for number in range(6):
        place, damaged = rng.randrange(start, len(whole) - 5000), bytearray(whole)
        if number % 2:
            damaged[place] ^= 1 << rng.randrange(8)
        else:
            damaged[place : place + 4096] = bytes(4096)
        weights.write_bytes(damaged)
        refused(copy, "damaged")
    weights.write_bytes(whole)
    load(copy)


@pytest.mark.parametrize(
    "name", ["vocab.input.txt", "vocab.output.txt", "truecase.tsv", "model.safetensors", "shortlist.safetensors"]
)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_only_regular_files_are_opened(copy, name, kind):
    (copy / name).unlink()
    if kind == "pipe":
        os.mkfifo(copy / name)
    elif kind == "device":
        (copy / name).symlink_to("/dev/zero")
    else:
        (copy / name).mkdir()
    refused(copy, "regular file|missing|directory")


@pytest.mark.parametrize("name", ["truecase.tsv", "vocab.input.txt"])
def test_huge_small_files_are_refused_unread(copy, name):
    with (copy / name).open("ab") as file:
        file.truncate(256 << 20)
    refused(copy, "too large|more than")


def test_a_huge_window_is_refused(tmp_path):
    folder = random_folder(tmp_path / "model", "feedforward", feedforward_architecture("attention"), 30, 40)
    config = json.loads(folder.file("config.json").read_text())
    config["architecture"]["Q"] = 1 << 20
    folder.file("config.json").write_text(json.dumps(config))
    refused(folder.path, "architecture.Q")


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_odd_widths_of_a_transformer_are_refused(tmp_path, width):
    default = Path(shutil.copytree(SHIPPED / "default", tmp_path / "default"))
    config = json.loads((default / "config.json").read_text())
    config["architecture"] |= {"width": width, "heads": 1}
    (default / "config.json").write_text(json.dumps(config))
    refused(default, "even width")


@pytest.mark.parametrize("field", ["frequent", "offsets", "companions", "same"])
def test_a_shortlist_field_that_is_no_list_is_refused(copy, field):
    config = json.loads((copy / "config.json").read_text())
    del config["quick"]["shortlist.safetensors"]
    (copy / "config.json").write_text(json.dumps(config))
    path = copy / "shortlist.safetensors"
    file = TensorFile(path)
    tensors = {name: np.array(file[name]) for name in file} | {field: np.array(7, np.int32)}
    save_file(tensors, path, file.metadata)  # write_tensors would make a list of it
    refused(copy, "list")


@pytest.mark.parametrize("word", ["two\u2028words", "two\u00a0words", "\x1b[31mred", "tab\tbed", "car\rriage"])
def test_words_that_break_a_line_or_speak_to_a_terminal_are_refused(word):
    with pytest.raises(UserError, match="no headline may print"):
        Vocabulary.of(["plain", word])
    assert fit_for_a_line(word).isprintable() and len(fit_for_a_line(word).split()) == 1


def test_a_piece_that_stands_twice_is_refused():
    letters = sorted(byte_letters().values())
    with pytest.raises(UserError, match="twice"):
        Subwords([*SPECIALS, *letters, "th", "th"], [("t", "h")], 4)


def test_weights_cut_off_while_loaded_harm_nobody(copy):
    summarizer = load(copy)
    os.truncate(copy / "model.safetensors", 100)
    assert summarizer("The city council voted on Tuesday to close the old harbour bridge for repairs.")


def test_refusing_takes_little_memory(copy):
    (copy / "vocab.input.txt").unlink()
    (copy / "vocab.input.txt").symlink_to("/dev/zero")
    code = f"""
import resource, hedline.api
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    hedline.api.load({str(copy)!r})
except hedline.api.UserError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    limits = lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # noqa: E731 - an endless read must not stay
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, preexec_fn=limits, timeout=60)
    assert int(ran.stdout) < 100 << 10  # kilobytes
