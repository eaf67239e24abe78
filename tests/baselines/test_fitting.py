"""What every fit needs: training pairs, and steps that are done once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedline.baselines.fitting import WorkFolder, data_identity, load_array, save_array, training_pairs
from hedline.errors import UserError


def test_an_interrupted_fit_does_no_step_twice(tmp_path: Path) -> None:
    calls = []

    def make() -> dict[str, np.ndarray]:
        calls.append(1)
        return {"ids": np.arange(3)}

    for settings in ({"order": 3}, {"order": 3}, {"order": 4}):
        assert WorkFolder(tmp_path, settings).arrays("step", make)["ids"].tolist() == [0, 1, 2]
    assert len(calls) == 2


def test_training_pairs_pass_over_bad_lines(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"lead": "A tram derailed.", "headline": "Tram derails"}\nnot json\n', encoding="utf-8")
    assert [pair.headline for pair in training_pairs([file])] == ["Tram derails"]
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="no pairs to learn from"):
        list(training_pairs([tmp_path / "empty.jsonl"]))


def test_a_damaged_array_is_a_sentence(tmp_path: Path) -> None:
    save_array(tmp_path / "a.npy", np.arange(5))
    assert load_array(tmp_path / "a.npy").tolist() == [0, 1, 2, 3, 4]
    (tmp_path / "a.npy").write_bytes(b"no array")
    with pytest.raises(UserError, match="fit the baseline again"):
        load_array(tmp_path / "a.npy")


def test_the_identity_of_data_changes_with_its_files(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    before = data_identity([file])
    assert data_identity([file]) == before and len(before) == 16
    file.write_text("{}\n{}\n", encoding="utf-8")
    assert data_identity([file]) != before
