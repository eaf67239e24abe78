"""Exporting: smaller, complete, and close to the model it came from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from random_folders import data_folder, large_folder

from hedline.api import load_scorer
from hedline.errors import UserError
from hedline.runtime.export import ExportSettings, export_folder, folder_size, rounding_error, shortlist_from_data
from hedline.runtime.folder import ModelFolder
from hedline.runtime.shortlist import load_shortlist


@pytest.fixture
def large(tmp_path) -> ModelFolder:
    return large_folder(tmp_path / "large")


@pytest.fixture
def data(tmp_path) -> Path:
    return data_folder(tmp_path / "data")


def test_export_is_small_complete_and_close(large, tmp_path):
    small = export_folder(large, ExportSettings(tmp_path / "small"))
    assert folder_size(small) < 0.4 * folder_size(large)
    assert small.file("README.md").read_bytes() == b"# A model\r\n"
    assert small.file("tuning.json").is_file()
    assert 0 < rounding_error(large, small) < 0.02
    inputs = [np.arange(4, 20)]
    steps = [
        load_scorer(folder).step(load_scorer(folder).start(inputs, None), np.array([2])) for folder in (large, small)
    ]
    assert np.abs(steps[0].log_probs - steps[1].log_probs).max() < 0.5
    assert np.corrcoef(steps[0].log_probs[0], steps[1].log_probs[0])[0, 1] > 0.995


def test_float_export_is_the_same_model(large, tmp_path):
    same = export_folder(large, ExportSettings(tmp_path / "same", int8=False))
    for name in large.tensors:
        np.testing.assert_array_equal(same.tensors[name], large.tensors[name])
    assert rounding_error(large, same) == 0


def test_exporting_twice_rounds_once(large, tmp_path):
    once = export_folder(large, ExportSettings(tmp_path / "once"))
    twice = export_folder(once, ExportSettings(tmp_path / "twice"))
    for name in once.tensors:
        np.testing.assert_array_equal(once.tensors[name], twice.tensors[name])


def test_never_onto_itself(large):
    with pytest.raises(UserError, match="another folder"):
        export_folder(large, ExportSettings(large.path))


def test_shortlist_is_learnt_and_kept(large, data, tmp_path):
    first = export_folder(large, ExportSettings(tmp_path / "first"), shortlist=shortlist_from_data(large, data))
    again = export_folder(first, ExportSettings(tmp_path / "again"))
    lists = [load_shortlist(folder) for folder in (first, again)]
    ids = np.arange(4, 30)
    assert lists[0] is not None and lists[1] is not None
    np.testing.assert_array_equal(lists[0](ids), lists[1](ids))
    assert set(ids) <= set(lists[0](ids).tolist())


def test_data_of_another_model_is_refused(large, data, tmp_path):
    (data / "settings.json").write_text(
        json.dumps({"format": 1, "vocabulary": {"input": 9, "output": 9}, "settings": {"units": "words"}})
    )
    with pytest.raises(UserError, match="other vocabularies"):
        shortlist_from_data(large, data)
