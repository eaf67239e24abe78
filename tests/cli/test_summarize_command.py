"""`hedline TEXT…` and `hedline summarize`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_models import LEADS, words_folder

from hedline.cli.main import main
from hedline.cli.summarize import read_texts
from hedline.stream import Record


@pytest.fixture(autouse=True)
def model(tmp_path_factory, monkeypatch) -> Path:
    path = words_folder(tmp_path_factory.mktemp("model"))
    monkeypatch.setenv("HEDLINE_MODEL", str(path))
    return path


FREE = "--no-guard-meaning"  # what a network without training writes keeps no meaning


def run(monkeypatch, *arguments: str, stdin: bytes = b"") -> int:
    monkeypatch.setattr(sys, "argv", ["hedline", *arguments])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    try:
        main()
    except SystemExit as exit_:
        return int(exit_.code or 0)
    return 0


def test_a_quoted_text(monkeypatch, capsys):
    assert run(monkeypatch, LEADS[0], "--words", "6") == 0
    headline = capsys.readouterr().out
    assert headline.endswith("\n") and 0 < len(headline.split()) <= 6


def test_several_texts_are_several_headlines_and_loose_words_are_one(monkeypatch, capsys):
    assert run(monkeypatch, LEADS[0], LEADS[1]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert run(monkeypatch, *LEADS[2].split(), "--bytes", "30") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 and len(lines[0].encode()) <= 30


def test_loose_words_are_one_text_and_quoted_ones_several():
    assert list(read_texts(["a", "b"])) == [Record("1", "a b")]
    assert list(read_texts(["a b", "c"])) == [Record("1", "a b"), Record("2", "c")]


def test_lines_stay_lines(monkeypatch, capsys, tmp_path):
    file = tmp_path / "leads.txt"
    file.write_text(f"{LEADS[0]}\n\n{LEADS[1]}\n")
    assert run(monkeypatch, "summarize", str(file), "--bytes", "40") == 0
    captured = capsys.readouterr()
    lines = captured.out.split("\n")
    assert len(lines) == 4 and lines[0] and lines[1] == "" and lines[2] and lines[3] == ""
    assert "text 2: the input is empty" in captured.err


def test_a_pipe_of_json_to_a_file_of_json(monkeypatch, tmp_path):
    out = tmp_path / "out.jsonl"
    stdin = b"".join(json.dumps({"id": f"n{i}", "text": lead}).encode() + b"\n" for i, lead in enumerate(LEADS))
    arguments = ["summarize", "-", "--lead-field", "text", "--format", "jsonl", "--nbest", "3", "--out", str(out), FREE]
    assert run(monkeypatch, *arguments, stdin=stdin) == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["id"] for record in records] == ["n0", "n1", "n2"]
    assert all(len(record["nbest"]) == 3 and record["lead"] in LEADS for record in records)


def test_n_best_as_lines_and_for_z_mert(monkeypatch, capsys):
    assert run(monkeypatch, LEADS[0], "--nbest", "3", FREE) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["1", "1", "1"] and all(float(row[1]) < 0 for row in rows)
    assert run(monkeypatch, LEADS[0], "--nbest", "2", "--format", "zmert", FREE) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and all(line.startswith("0 ||| ") and line.count(" ||| ") == 2 for line in lines)


def test_heat_maps(monkeypatch, capsys, tmp_path):
    page, picture = tmp_path / "why.html", tmp_path / "why.svg"
    assert run(monkeypatch, LEADS[0], "--explain", str(page)) == 0
    assert run(monkeypatch, LEADS[0], "--explain", str(picture)) == 0
    assert "<svg" in page.read_text() and picture.read_text().startswith("<svg")
    capsys.readouterr()
    assert run(monkeypatch, LEADS[0], "--show") == 0
    assert "1 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["summarize", "nowhere.txt"], "there is no file nowhere.txt"),
        ([LEADS[0], "--model", "nowhere"], "there is no model 'nowhere'"),
        ([LEADS[0], "--words", "0"], "words must be a whole number"),
        ([LEADS[0], "--format", "xml"], "format must be one of auto, text, jsonl"),
        ([LEADS[0], "--explain", "why.pdf"], "FILE.html or FILE.svg"),
        ([LEADS[0], "--mode", "creative"], "mode must be one of"),
        ([LEADS[0], "--length-penalty", "nan"], "length_penalty must be a number"),
        ([LEADS[0], "--workers", "-1"], "workers must be a whole number of at least 0, not -1"),
        ([LEADS[0], "--batch", "0"], "batch must be a whole number of at least 1, not 0"),
        (["--text", LEADS[0], LEADS[1], "--explain", "/tmp/x.svg", FREE], "an SVG shows one text"),
        (["summarise", "leads.txt"], "there is no command 'summarise'; did you mean summarize?"),
        ([__file__], "is a file; for headlines of its lines: hedline summarize"),
        (["/nowhere/leads.csv"], "there is no file /nowhere/leads.csv; check the name"),
        ([LEADS[0], "--out", "/proc/nowhere/x.txt"], "cannot write /proc/nowhere/x.txt"),
        ([LEADS[0], FREE, "--explain", "/proc/nowhere/x.html"], "cannot write /proc/nowhere/x.html"),
    ],
)
def test_a_mistake_is_one_sentence_and_code_2(monkeypatch, capsys, arguments, message):
    assert run(monkeypatch, *arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("hedline: ") and message in captured.err and captured.err.count("\n") == 1
    assert captured.out == "" or "--explain" in arguments


@pytest.mark.parametrize("arguments", [["-"], ["--words", "6"], ["--words", "6", "-"], ["summarize"]])
def test_a_pipe_needs_no_command(monkeypatch, capsys, arguments):
    assert run(monkeypatch, *arguments, stdin=f"{LEADS[0]}\n{LEADS[1]}\n".encode()) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_bare_hedline_reads_a_pipe_and_otherwise_helps():
    command = [sys.executable, "-m", "hedline"]
    piped = subprocess.run(command, input=LEADS[0], capture_output=True, text=True, timeout=120)
    assert piped.returncode == 0 and len(piped.stdout.splitlines()) == 1, piped.stderr
    alone = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert "Usage: hedline" in alone.stdout


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [[LEADS[0], FREE], ["--help"], [LEADS[0], FREE, "--out", "/dev/full"]])
def test_a_full_disk_is_one_sentence(arguments):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "hedline", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr and done.stderr.count("\n") == 1


def test_nothing_is_left_behind_by_a_failure(monkeypatch, tmp_path):
    out = tmp_path / "out.jsonl"
    stdin = b'{"lead": "The storm closes the old bridge in the city."}\n{broken\n'
    assert run(monkeypatch, "summarize", "-", "--out", str(out), stdin=stdin) == 2
    assert list(tmp_path.iterdir()) == []
