"""`prepare` from end to end: what is written, that it is the same for any number of workers, and what stops it."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_corpus import folder_bytes, made_rows, write_rows

from hedline.corpora.filters import FilterSettings
from hedline.data import prepare as module
from hedline.data.dataset import Dataset
from hedline.data.prepare import PrepareRequest, prepare
from hedline.data.settings import PrepareSettings, SplitSettings
from hedline.errors import UserError
from hedline.text.casing import Truecaser
from hedline.text.tokenize import normalize
from hedline.text.vocab import Vocabulary

SMALL = PrepareSettings(block_records=50, splits=SplitSettings("hash"))


def request(source: Path, out: Path, settings: PrepareSettings = SMALL, **options: Any) -> PrepareRequest:
    return PrepareRequest([source], out, settings=settings, **options)


def test_arrays_hold_the_words_of_the_pairs(tmp_path: Path) -> None:
    rows = made_rows(300)
    held = made_rows(20, seed=2)
    source, valid = write_rows(tmp_path / "a.jsonl", rows), write_rows(tmp_path / "v.jsonl", held)
    settings = PrepareSettings(min_count=1, block_records=64)
    prepare(request(source, tmp_path / "data", settings, valid=[valid]))
    data = Dataset.open(tmp_path / "data")
    inputs = Vocabulary.load(tmp_path / "data/vocab.input.txt")
    outputs = Vocabulary.load(tmp_path / "data/vocab.output.txt")
    assert (data.input_size, data.output_size, data.units) == (len(inputs), len(outputs), "words")
    for split, expected in (("train", rows), ("valid", held)):
        pairs = data.split(split)
        assert len(pairs) == len(expected)
        for (lead, headline), row in zip(pairs, expected, strict=True):
            known = [word if word in inputs else "<unk>" for word in normalize(row["lead"])]
            assert inputs.decode(lead) == known
            known = [word if word in outputs else "<unk>" for word in normalize(row["headline"])]
            assert outputs.decode(headline) == known
    assert pairs.inputs.dtype == np.uint16 and pairs.input_offsets.dtype == np.int64
    assert not data.has("test") and data.has("valid")
    lines = (tmp_path / "data/valid.jsonl").read_text().splitlines()
    assert [json.loads(line)["lead"] for line in lines] == [row["lead"] for row in held]
    assert Truecaser.load(tmp_path / "data/truecase.tsv").form("lund") == "Lund"


def test_counts_threshold_caps_and_order_of_the_vocabulary(tmp_path: Path) -> None:
    rows = [
        {"lead": "b b a a c c c rare.", "headline": "a b"},
        {"lead": "a b once more than that.", "headline": "b a"},
        {"lead": "a b c, said c.", "headline": "c"},
    ]
    source = write_rows(tmp_path / "a.jsonl", rows)
    prepare(request(source, tmp_path / "all", PrepareSettings(min_count=2)))
    words = Vocabulary.load(tmp_path / "all/vocab.input.txt").words
    assert words == ["<pad>", "<unk>", "<s>", "</s>", "c", "a", "b", "."]  # 5, 4, 4, 3
    prepare(request(source, tmp_path / "two", PrepareSettings(min_count=2, input_words=2, output_words=1)))
    assert Vocabulary.load(tmp_path / "two/vocab.input.txt").words[4:] == ["c", "a"]
    assert Vocabulary.load(tmp_path / "two/vocab.output.txt").words[4:] == ["a"]


@pytest.mark.parametrize("units", ["words", "subwords"])
def test_the_same_bytes_for_any_number_of_workers(tmp_path: Path, units: str) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(400))
    settings = replace(SMALL, units=units, vocabulary_size=400, duplicates="near")
    prepare(request(source, tmp_path / "one", settings, workers=1))
    prepare(request(source, tmp_path / "two", settings, workers=2))
    assert folder_bytes(tmp_path / "one") == folder_bytes(tmp_path / "two")


def test_block_size_changes_nothing_but_the_settings(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(300))
    for size in (7, 1000):
        prepare(request(source, tmp_path / str(size), replace(SMALL, block_records=size)))
    small, large = folder_bytes(tmp_path / "7"), folder_bytes(tmp_path / "1000")
    for name in small.keys() - {"settings.json"}:
        assert small[name] == large[name], name


def test_removals_bad_lines_and_sizes_add_up(tmp_path: Path) -> None:
    rows = made_rows(60)
    rows[5]["headline"] = "Why did they do it?"
    rows[6] = dict(rows[7], id="copy")
    source = write_rows(tmp_path / "a.jsonl", rows)
    with source.open("a") as stream:
        stream.write('\n[]\n{"lead": "", "headline": "x"}\n')
    filters = FilterSettings(("question-colon",))
    settings = PrepareSettings(filters=filters, block_records=16)
    report = prepare(request(source, tmp_path / "data", settings, on_error="skip"))
    stats = report.stats
    assert stats["removed"] == {"duplicate": 1, "question-colon": 1}
    assert (stats["bad"], stats["blank"]) == (1, 2)
    assert stats["bad_lines"] == ["a.jsonl:62: not a JSON object but list"]
    assert stats["blank_lines"] == ["a.jsonl:61: the line is empty", "a.jsonl:63: field 'lead' is empty"]
    kept = sum(split["pairs"] for split in stats["splits"].values())
    assert stats["read"]["train"] == kept + sum(stats["removed"].values()) + stats["bad"] + stats["blank"]
    for word in ("question-colon", "a.jsonl:62", "31.3", "119 million"):
        assert word in report.text()


def test_overlap_is_counted_as_in_the_paper(tmp_path: Path) -> None:
    lead = "The harbour bridge of Lund , which is the oldest of them all , will be closed for repairs on Monday ."
    source = write_rows(tmp_path / "a.jsonl", [{"lead": lead, "headline": "Lund bridge closed for repairs"}])
    train = prepare(request(source, tmp_path / "data", PrepareSettings())).stats["splits"]["train"]
    assert train["mean_overlap"] == 5
    assert lead[:75].endswith("will be clos")  # so "closed", "for" and "repairs" lie beyond
    assert train["mean_overlap75"] == 2


def test_a_bad_line_stops_by_default_with_file_and_line(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(5))
    with source.open("ab") as stream:
        stream.write(b'{"lead": "caf\xe9", "headline": "x"}\n')
    with pytest.raises(UserError, match=r"a\.jsonl:6: invalid UTF-8.*--on-error skip"):
        prepare(request(source, tmp_path / "data"))
    assert not (tmp_path / "data").exists()


def test_blank_lines_alone_never_stop(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(5))
    with source.open("a") as stream:
        stream.write("\n" * 40)
    assert prepare(request(source, tmp_path / "data")).stats["blank"] == 40


def test_nothing_left_to_train_on_is_a_sentence(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", [{"lead": "One thing.", "headline": "Another?"}])
    settings = PrepareSettings(filters=FilterSettings(("question-colon",)))
    with pytest.raises(UserError, match="no pair is left to train on: 1 lines read"):
        prepare(request(source, tmp_path / "data", settings))
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(UserError, match="no pair is left"):
        prepare(request(tmp_path / "empty.jsonl", tmp_path / "data", settings))


def test_too_few_pairs_to_split_are_told_so_and_not_blamed_on_filters(tmp_path: Path) -> None:
    rows = [{"lead": f"Old bridge {word} on Monday", "headline": f"Bridge {word}"} for word in ("closes", "opens")]
    with pytest.raises(UserError, match="of 2 lines 2 passed the filters and all are needed for valid and test"):
        prepare(request(write_rows(tmp_path / "two.jsonl", rows), tmp_path / "data"))


def test_what_is_there_is_kept_or_replaced_only_when_asked(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(30))
    out = tmp_path / "data"
    assert prepare(request(source, out)).fresh
    before = folder_bytes(out)
    assert not prepare(request(source, out)).fresh
    assert folder_bytes(out) == before
    other = replace(SMALL, min_count=3)
    with pytest.raises(UserError, match="--overwrite"):
        prepare(request(source, out, other))
    assert prepare(request(source, out, other, overwrite=True)).fresh
    assert folder_bytes(out) != before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("precious")
    with pytest.raises(UserError, match="is no data folder"):
        prepare(request(source, mine, overwrite=True))


def test_an_interrupted_run_resumes_and_damaged_chunks_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(300))
    prepare(request(source, tmp_path / "whole"))

    def broken_off(*_: object) -> Iterator[object]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "divide", broken_off)
        with pytest.raises(KeyboardInterrupt):
            prepare(request(source, tmp_path / "data"))
    chunks = sorted((tmp_path / ".data.partial/chunks").iterdir())
    assert len(chunks) == 6 and not (tmp_path / "data").exists()
    chunks[1].write_bytes(chunks[1].read_bytes()[:-100])
    chunks[2].unlink()
    spoilt = bytearray(chunks[3].read_bytes())
    spoilt[len(spoilt) // 2] ^= 1
    chunks[3].write_bytes(bytes(spoilt))
    assert prepare(request(source, tmp_path / "data")).resumed
    assert folder_bytes(tmp_path / "data") == folder_bytes(tmp_path / "whole")


def test_chunks_of_another_preparation_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(100))
    prepare(request(source, tmp_path / "whole"))
    with monkeypatch.context() as patch:
        patch.setattr(module, "divide", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            prepare(request(source, tmp_path / "data", replace(SMALL, title_punctuation="drop")))
    report = prepare(request(source, tmp_path / "data"))
    assert not report.resumed
    assert folder_bytes(tmp_path / "data") == folder_bytes(tmp_path / "whole")


def test_a_full_disk_is_a_sentence_and_the_run_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(200))
    prepare(request(source, tmp_path / "whole"))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for place in ("hedline.data.chunks.np.savez", "hedline.data.dataset.ArrayWriter.write"):
        with monkeypatch.context() as patch:
            patch.setattr(place, full)
            with pytest.raises(UserError, match="No space left on device; free some space"):
                prepare(request(source, tmp_path / "data"))
        assert not (tmp_path / "data").exists()
    prepare(request(source, tmp_path / "data"))
    assert folder_bytes(tmp_path / "data") == folder_bytes(tmp_path / "whole")


def test_two_runs_for_one_folder_do_not_mix(tmp_path: Path) -> None:
    from hedline.data.prepare import WorkFolder, locked

    source = write_rows(tmp_path / "a.jsonl", made_rows(20))
    with locked(WorkFolder(tmp_path / "data")), pytest.raises(UserError, match="another `hedline prepare`"):
        prepare(request(source, tmp_path / "data"))


@pytest.mark.slow
def test_killed_at_any_moment_it_resumes_to_the_same_bytes_and_leaves_no_worker(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(17_000))
    command = [sys.executable, "-m", "hedline", "prepare", str(source), "--workers", "2", "--out"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    for delay in (1.0, 2.5):
        started = subprocess.Popen(
            [*command, str(tmp_path / "data")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(delay)
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        deadline = time.monotonic() + 20
        while _group_lives(started.pid) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert not _group_lives(started.pid)
    subprocess.run([*command, str(tmp_path / "data")], check=True, capture_output=True)
    assert folder_bytes(tmp_path / "data") == folder_bytes(tmp_path / "whole")


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_truncated_archives_by_both_rules(tmp_path: Path) -> None:
    import lzma

    plain = write_rows(tmp_path / "a.jsonl", made_rows(3000)).read_bytes()
    packed = lzma.compress(plain)
    source = tmp_path / "cut.jsonl.xz"
    source.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(UserError, match=r"cut\.jsonl\.xz:\d+: the archive is truncated"):
        prepare(request(source, tmp_path / "data"))
    stats = prepare(request(source, tmp_path / "data", on_error="skip")).stats
    assert stats["bad"] == 1 and "truncated" in stats["bad_lines"][0]
    assert stats["splits"]["train"]["pairs"] > 300
