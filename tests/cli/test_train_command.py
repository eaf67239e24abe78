"""`hedline train` and `hedline perplexity` from the command line."""

from __future__ import annotations

import json
import math

import pytest
from synthetic import write_data

from hedline.cli.main import run as command_line
from hedline.errors import UserError


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data", {"train": 60, "valid": 20})


def hedline(*arguments: object) -> None:
    try:
        command_line([str(argument) for argument in arguments])
    except SystemExit as leaving:
        assert leaving.code in (0, None)


def test_command_line(data, tmp_path, capsys):
    out = tmp_path / "m"
    hedline("train", data, "--out", out, "--epochs", 1, "--batch", 16, "--set", "D=4", "--set", "H=6", "--samples", 1)
    text = capsys.readouterr().out
    assert "human:" in text and "epoch 1:" in text
    hedline("perplexity", out, data, "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["words"] > 20 and math.isfinite(found["closed"])


def test_a_model_is_not_written_into_a_data_folder(data, capsys):
    before = sorted(path.name for path in data.iterdir())
    with pytest.raises(UserError, match="is a data folder; choose another --out for the model"):
        command_line(["train", str(data), "--out", str(data), "--epochs", "1"])
    assert sorted(path.name for path in data.iterdir()) == before


@pytest.mark.parametrize(
    ("device", "sentence"),
    [
        ("gpu", "--device is auto, cpu, cuda or cuda:N, not 'gpu'"),
        ("cuda:99", "GPU here, so --device cannot be cuda:99"),
    ],
)
def test_a_device_that_is_not_here_is_one_sentence(data, tmp_path, device, sentence):
    with pytest.raises(UserError, match=sentence):
        command_line(["train", str(data), "--out", str(tmp_path / "m"), "--device", device])
    assert not (tmp_path / "m").exists()
    hedline("train", data, "--out", tmp_path / "m", "--epochs", 1, "--set", "D=4", "--set", "H=6", "--device", "cpu")
    with pytest.raises(UserError, match=sentence):
        command_line(["perplexity", str(tmp_path / "m"), str(data), "--device", device])
