"""`hedline summarize` when something is wrong: one sentence, the documented exit code, what is finished is kept."""

from __future__ import annotations

import gzip
import json
import lzma
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_models import LEADS, words_folder

import hedline
from hedline.errors import UserError


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return words_folder(tmp_path_factory.mktemp("faults") / "model")


def command(model: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "hedline", "summarize", *arguments, "--model", str(model), "--workers", "1"]


def run(model: Path, *arguments: str, **more) -> tuple[int, str, str]:
    ran = subprocess.run(command(model, *arguments), capture_output=True, timeout=120, **more)
    out, errors = ran.stdout.decode(), ran.stderr.decode()
    assert "Traceback" not in errors and "Aborted" not in errors, errors
    return ran.returncode, out, errors


def damaged(path: Path, how: str) -> Path:
    text = "".join(f"{lead} {number}\n" for number in range(3) for lead in LEADS).encode()
    if path.suffix == ".zst":
        whole = pytest.importorskip("zstandard").ZstdCompressor().compress(text)
    else:
        whole = (gzip if path.suffix == ".gz" else lzma).compress(text)
    path.write_bytes(whole[:-20] if how == "truncated" else b"\x00junk" * 20)
    return path


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
@pytest.mark.parametrize("how", ["truncated", "junk"])
def test_a_damaged_archive_is_one_sentence(model, tmp_path, suffix, how):
    path = damaged(tmp_path / f"leads.txt{suffix}", how)
    code, _, errors = run(model, str(path))
    assert code == 2
    (line,) = [line for line in errors.splitlines() if "text " not in line]
    assert str(path) in line and "--on-error skip" in line
    assert run(model, str(path), "--on-error", "skip")[0] == 0


def test_bad_json_lines_are_passed_over_when_asked(model, tmp_path):
    path = tmp_path / "leads.jsonl"
    path.write_text(json.dumps({"lead": LEADS[0]}) + "\n{broken\n" + json.dumps({"lead": LEADS[1]}) + "\n")
    assert run(model, str(path))[0] == 2
    code, out, errors = run(model, str(path), "--on-error", "skip")
    assert code == 0 and len(out.splitlines()) == 2 and "passed over" in errors and "line 2" in errors


def test_a_lone_surrogate_loses_nothing(model, tmp_path):
    path, out = tmp_path / "leads.jsonl", tmp_path / "out.jsonl"
    rows = [
        json.dumps({"id": "a", "lead": LEADS[0]}),
        '{"id": "b\\ud800", "lead": "The mayor \\udc00 of Lund resigned."}',
    ]
    path.write_text("\n".join(rows) + "\n")
    for form in ("jsonl", "text"):
        assert run(model, str(path), "--format", form, "--out", str(out if form == "jsonl" else tmp_path / "o"))[0] == 0
    assert len(out.read_text().splitlines()) == 2


def test_a_very_long_line_is_refused_in_little_memory(model, tmp_path):
    path = tmp_path / "long.txt.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(300):
            file.write(b"word " * 200_000)
    code, _, errors = run(model, str(path))
    assert code == 2 and "longer than" in errors
    code, _, errors = run(model, "-", input=b"word " * 400_000)
    assert code == 2 and "longer than" in errors


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_streams_are_one_sentence(model, closed):
    line = " ".join(f"'{part}'" for part in command(model, "-")) + f" {closed}"
    ran = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    errors = ran.stderr.decode()
    assert ran.returncode == 2 and "closed" in errors and len(errors.splitlines()) == 1


def test_a_reader_that_leaves_and_an_interruption_have_their_codes(model, tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("".join(f"{LEADS[number % 3]} {number}\n" for number in range(3000)))
    process = subprocess.Popen(command(model, str(path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read().decode()
    assert process.wait(60) == 141 and "Traceback" not in errors
    process = subprocess.Popen(command(model, str(path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, raw = process.communicate(timeout=60)
    assert process.returncode == 130 and b"interrupted" in raw and b"Aborted" not in raw


def test_an_interrupted_file_is_gone_on_from(model, tmp_path):
    path, out = tmp_path / "many.txt", tmp_path / "headlines.txt"
    path.write_text("".join(f"{LEADS[number % 3]} {number}\n" for number in range(400)))
    part = tmp_path / ".headlines.txt.unfinished"
    process = subprocess.Popen(command(model, str(path), "--out", str(out)), stderr=subprocess.DEVNULL)
    for _ in range(600):
        if part.exists() and part.stat().st_size > 1000:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    before = part.read_bytes()
    assert before and not out.exists()
    part.write_bytes(before[: before.rfind(b"\n") + 1] + b"half a li")
    mark = before.split(b"\n")[0].upper()  # proof that the finished lines are not made again
    part.write_bytes(part.read_bytes().replace(before.split(b"\n")[0], mark, 1))
    assert run(model, str(path), "--out", str(out))[0] == 0
    lines = out.read_bytes().splitlines()
    assert len(lines) == 400 and lines[0] == mark and b"half a li" not in out.read_bytes()
    assert sorted(left.name for left in tmp_path.iterdir()) == ["headlines.txt", "many.txt"]
    again = run(model, str(path))[1].encode().splitlines()
    assert lines[1:] == again[1:]


def write_table(path: Path, count: int) -> Path:
    rows = [{"n": number, "lead": f"{LEADS[number % 3]} {number}"} for number in range(count)]
    if path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        gap = "," if path.suffix == ".csv" else "\t"
        quote = '"' if path.suffix == ".csv" else ""
        lines = [f"{row['n']}{gap}{quote}{row['lead']}{quote}\n" for row in rows]
        path.write_text(f"n{gap}lead\n{''.join(lines)}")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_an_interrupted_table_is_gone_on_from(model, tmp_path, suffix):
    path, out, whole = (
        write_table(tmp_path / f"many{suffix}", 300),
        tmp_path / f"out{suffix}",
        tmp_path / f"all{suffix}",
    )
    free = "--no-guard-meaning"  # own words would stand in the lead's column too
    assert run(model, str(path), free, "--out", str(whole))[0] == 0
    part = tmp_path / f".out{suffix}.unfinished"
    process = subprocess.Popen(command(model, str(path), free, "--out", str(out)), stderr=subprocess.DEVNULL)
    for _ in range(1200):
        if part.exists() and part.stat().st_size > 1000:
            break
        time.sleep(0.02)
    process.kill()
    process.wait()
    first, *rest = part.read_text().splitlines(keepends=True)
    assert rest and not out.exists()
    part.write_text("".join(['"KNOWN"\n', *rest[:-1], rest[-1][:3]]))  # known headlines are not made again
    assert run(model, str(path), free, "--out", str(out))[0] == 0
    if suffix == ".parquet":
        read = pytest.importorskip("pyarrow.parquet").read_table
        made, wanted = read(out).column("headline").to_pylist(), read(whole).column("headline").to_pylist()
        assert read(out).schema == read(whole).schema
        assert made == ["KNOWN", *wanted[1:]]
    else:
        once = json.loads(first)
        assert out.read_text() == whole.read_text().replace(once, "KNOWN", 1)
    assert sorted(left.name for left in tmp_path.iterdir()) == sorted([path.name, out.name, whole.name])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".csv.gz"])
def test_bad_rows_are_passed_over_when_asked(model, tmp_path, suffix):
    good, bad = write_table(tmp_path / f"good{suffix.removesuffix('.gz')}", 3), tmp_path / f"bad{suffix}"
    raw = good.read_bytes()
    if suffix == ".csv.gz":
        bad.write_bytes(gzip.compress(raw)[:-12])
    elif suffix == ".parquet":
        bad.write_bytes(raw[: len(raw) // 2])
    else:
        lines = raw.split(b"\n")
        bad.write_bytes(b"\n".join([lines[0], b"1", *lines[1:]]))
    code, _, errors = run(model, str(bad), str(good))
    assert code == 2 and "--on-error skip" in errors
    code, out, errors = run(model, str(bad), str(good), "--on-error", "skip")
    assert code == 0 and "passed over" in errors
    assert out.splitlines()[-3:] == run(model, str(good))[1].splitlines()


def test_a_mistake_leaves_nothing_behind(model, tmp_path):
    path = write_table(tmp_path / "many.csv", 3)
    assert run(model, str(path), "--out", str(tmp_path / "out.csv"), "--headline-field", "n")[0] == 2
    assert [left.name for left in tmp_path.iterdir()] == ["many.csv"]


@pytest.mark.parametrize(
    "arguments", [("--beam", "100000"), ("--nbest", "1000000000"), ("--exact-words", "99999999999999999999")]
)
def test_absurd_numbers_are_one_sentence(model, arguments):
    code, _, errors = run(model, "--text", LEADS[0], *arguments)
    assert code == 2 and "must be at most" in errors and len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"weights": "unigram"},
        {"weights": [1, 2]},
        {"weights": {1: 2.0}},
        {"weights": {"unigram": "much"}},
        {"weights": {"unigram": [1]}},
        {"weights": {"unigram": None}},
        {"weights": {"log_prob": -1}},
        {"block_repeats": "no"},
        {"guard_names": "yes"},
        {"guard_numbers": None},
        {"beam": 2.5},
        {"words": "7"},
        {"fill": "all"},
        {"mode": ["extractive"]},
        {"batch": "many"},
        {"batch": 0},
        {"options": {"words": 5}},
        {"nbest": 500, "diversity": 0.5},
    ],
)
def test_options_of_a_wrong_kind_are_the_callers_mistake(model, options):
    with pytest.raises(UserError) as caught:
        hedline.load(model).summarize([LEADS[0]], **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", ["--out", "--explain"])
def test_the_texts_are_not_written_over(model, tmp_path, option):
    path = tmp_path / "leads.svg"
    path.write_text("".join(f"{lead}\n" for lead in LEADS))
    before = path.read_text()
    (tmp_path / "link.svg").symlink_to(path)
    for name in ("leads.svg", "link.svg"):
        code, _, errors = run(model, str(path), option, str(tmp_path / name), "--input-format", "text")
        assert code == 2 and "is read and would be written over" in errors and path.read_text() == before
