"""Duplicates, near-duplicates, splits and leakage, decided over the whole corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_corpus import made_rows, write_rows

from hedline.data import splits as module
from hedline.data.chunks import BANDS, band_keys
from hedline.data.dataset import Dataset
from hedline.data.prepare import PrepareRequest, prepare
from hedline.data.settings import PrepareSettings, SplitSettings
from hedline.data.splits import write_held_out
from hedline.text.tokenize import normalize

PLAIN = PrepareSettings(block_records=40)


def run(tmp_path: Path, rows: list[dict[str, Any]], settings: PrepareSettings, **held: Path) -> dict[str, Any]:
    source = write_rows(tmp_path / "a.jsonl", rows)
    files = {name: [path] for name, path in held.items()}
    return prepare(PrepareRequest([source], tmp_path / "data", settings=settings, overwrite=True, **files)).stats


def sizes(stats: dict[str, Any]) -> tuple[int, int, int]:
    splits = stats["splits"]
    return splits["train"]["pairs"], splits["valid"]["pairs"], splits["test"]["pairs"]


def test_repeated_pairs_go_whatever_their_case_and_spacing(tmp_path: Path) -> None:
    rows = made_rows(100)
    rows.append(dict(rows[3], lead=rows[3]["lead"].upper().replace(" ", "  ")))
    rows.append(dict(rows[4], headline="Another headline altogether"))
    assert run(tmp_path, rows, PLAIN)["removed"] == {"duplicate": 1}
    assert run(tmp_path, rows, replace(PLAIN, duplicates="keep"))["removed"] == {}


def test_several_passes_find_what_one_pass_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made_rows(150)
    rows += rows[20:60]
    near = replace(PLAIN, duplicates="near")
    once = run(tmp_path, rows, near)
    monkeypatch.setattr(module, "PASS_PAIRS", 23)
    again = run(tmp_path, rows, replace(near, min_count=1))
    assert once["removed"] == again["removed"]
    assert once["removed"]["duplicate"] == 40


def test_near_duplicates_share_a_band_and_others_do_not() -> None:
    leads = [
        "The city council of Lund voted late on Monday to close the old harbour bridge for six months of repairs.",
        "Lund city council voted late on Monday to close the old harbour bridge, for six months of repairs!",
        "A ferry with forty passengers ran aground outside Visby in thick fog, and all were brought ashore safely.",
        "...",
        "of the , and",
    ]
    words = [normalize(lead) for lead in leads]
    table = sorted({word for lead in words for word in lead})
    ids = np.array([table.index(word) for lead in words for word in lead])
    keys = band_keys(table, ids, np.array([len(lead) for lead in words]), np.arange(5, dtype=np.uint64))
    assert keys.shape == (5, BANDS)
    assert (keys[0] == keys[1]).any()
    assert not (keys[0] == keys[2]).any()
    # Leads without content words are not taken for each other.
    assert not (keys[3] == keys[4]).any()


def test_hash_splits_take_their_shares_and_do_not_depend_on_order(tmp_path: Path) -> None:
    rows = made_rows(1000)
    splits = SplitSettings("hash", 0.1, 0.2)
    settings = replace(PLAIN, splits=splits, leakage="report")
    stats = run(tmp_path, rows, settings)
    train, valid, test = sizes(stats)
    assert train + valid + test == 1000
    assert abs(valid - 100) <= 5 and abs(test - 200) <= 10
    first = set((tmp_path / "data/valid.jsonl").read_text().splitlines())
    run(tmp_path, rows[::-1], settings)
    assert set((tmp_path / "data/valid.jsonl").read_text().splitlines()) == first


@pytest.mark.parametrize(("count", "held"), [(12, 1), (100, 5), (400, 20)])
def test_small_corpora_are_split_by_themselves(tmp_path: Path, count: int, held: int) -> None:
    train, valid, test = sizes(run(tmp_path, made_rows(count), replace(PLAIN, splits=SplitSettings("hash"))))
    assert (valid, test) == (held, held)
    assert train == count - 2 * held


def test_date_splits(tmp_path: Path) -> None:
    rows = made_rows(300)
    rows[0]["date"] = ""
    splits = SplitSettings("date", valid_from="2020-01-01", test_from="2022-01-01")
    stats = run(tmp_path, rows, replace(PLAIN, splits=splits))
    dates = [row["date"] for row in rows]
    assert sizes(stats)[1] == sum("2020" <= date < "2022" for date in dates)
    assert sizes(stats)[2] == sum(date >= "2022" for date in dates)
    lines = (tmp_path / "data/test.jsonl").read_text().splitlines()
    assert len(lines) == sizes(stats)[2] == len(Dataset.open(tmp_path / "data").split("test"))


def test_leakage_is_removed_from_the_side_that_may_change(tmp_path: Path) -> None:
    rows, valid, test = made_rows(50), made_rows(10, seed=2), made_rows(10, seed=3)
    rows[1]["lead"] = valid[0]["lead"]
    rows[2]["headline"] = test[0]["headline"].upper()
    valid[5]["headline"] = test[1]["headline"]
    held = {"valid": write_rows(tmp_path / "v.jsonl", valid), "test": write_rows(tmp_path / "t.jsonl", test)}
    stats = run(tmp_path, rows, PLAIN, **held)
    assert stats["removed"] == {"leakage-train": 2, "leakage-valid": 1}
    assert sizes(stats) == (48, 9, 10)
    stats = run(tmp_path, rows, replace(PLAIN, leakage="report"), **held)
    assert stats["removed"] == {}
    assert stats["leaks"] == {"train": 2, "valid": 1}
    assert sizes(stats) == (50, 10, 10)


def test_given_files_are_taken_as_they_are_unless_asked(tmp_path: Path) -> None:
    from hedline.corpora.filters import FilterSettings

    held = made_rows(10, seed=2)
    held[0]["headline"] = "Is it so?"
    valid = write_rows(tmp_path / "v.jsonl", held)
    settings = replace(PLAIN, filters=FilterSettings(("question-colon",)))
    assert sizes(run(tmp_path, made_rows(20), settings, valid=valid))[1] == 10
    assert sizes(run(tmp_path, made_rows(20), replace(settings, filter_valid=True), valid=valid))[1] == 9


def test_an_empty_split_leaves_no_text(tmp_path: Path) -> None:
    division = module.Division([np.zeros(3, np.uint8)], {}, {})
    write_held_out(tmp_path / "test.jsonl", [(tmp_path / "none.npz", {})], division, 2)
    assert not (tmp_path / "test.jsonl").exists()
