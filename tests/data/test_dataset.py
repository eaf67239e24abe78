"""The data folder as training reads it: numpy alone, sizes checked."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from made_corpus import made_rows, write_rows

from hedline.data.dataset import Dataset
from hedline.data.prepare import PrepareRequest, prepare
from hedline.data.settings import PrepareSettings
from hedline.errors import UserError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = write_rows(tmp_path / "a.jsonl", made_rows(30))
    prepare(PrepareRequest([source], tmp_path / "data", settings=PrepareSettings()))
    return tmp_path / "data"


def test_lengths_items_and_facts(folder: Path) -> None:
    data = Dataset.open(folder)
    train = data.split("train")
    assert len(train) == 30 == len(list(train))
    assert train.input_lengths.sum() == len(train.inputs)
    assert [len(train[4][1])] == [train.output_lengths[4]] == [len(train.output(4))]
    assert data.stats["splits"]["train"]["pairs"] == 30
    assert data.fingerprint == json.loads((folder / "settings.json").read_text())["fingerprint"]
    with pytest.raises(IndexError):
        train[30]


def test_mistakes_and_damage_are_sentences(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no data folder"):
        Dataset.open(tmp_path)
    data = Dataset.open(folder)
    with pytest.raises(UserError, match="no split is called"):
        data.split("dev")
    np.save(folder / "train.input_offsets.npy", np.array([0, 5, 9]))
    with pytest.raises(UserError, match="do not fit together"):
        data.split("train")
    (folder / "train.inputs.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(UserError, match="cannot be read"):
        data.split("train")
    (folder / "train.inputs.npy").unlink()
    with pytest.raises(UserError, match="has no train split"):
        data.split("train")
    (folder / "settings.json").write_text('{"format": 99}')
    with pytest.raises(UserError, match="data format 99"):
        Dataset.open(folder)


def test_reading_needs_numpy_alone() -> None:
    code = (
        "import sys; import hedline.data.dataset; "
        "bad = {'nltk', 'pyarrow', 'polars', 'pydantic', 'torch', 'tokenizers', 'typer', 'rich'} & set(sys.modules); "
        "print(bad); sys.exit(len(bad))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
