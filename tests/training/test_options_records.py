"""The records that `train` and `distill` are made from: free of torch, and strict about what cannot work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.training.options import DistillRequest, LabelSettings, TrainConfig, TrainRequest


def test_commands_are_made_without_torch() -> None:
    script = "import hedline.cli.train, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (TrainConfig, {"optimizer": "lamb"}, "optimizer is 'lamb'; choose one of adamw, sgd, muon"),
        (TrainConfig, {"epochs": 0}, "epochs must be above 0, not 0"),
        (TrainConfig, {"dropout": 1.0}, "must lie between 0 and 1"),
        (TrainConfig, {"objective": "risk", "risk_samples": 1}, "needs risk_samples of at least 2"),
        (LabelSettings, {"method": "nucleus"}, "--method cannot be 'nucleus'; choose from greedy, beam, mbr"),
        (LabelSettings, {"controls": "none"}, "--controls cannot be 'none'"),
        (LabelSettings, {"method": "mbr", "samples": 1}, "needs --samples of at least 2"),
        (LabelSettings, {"beam": 0}, "--beam, --pieces and --samples must be 1 or more"),
        (LabelSettings, {"temperature": float("nan")}, "--temperature 0 or more"),
    ],
)
def test_what_cannot_work_is_one_sentence(kind: type, given: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        kind(**given)


def test_a_request_to_distill_counts_from_nothing() -> None:
    paths = ([Path("teacher")], Path("data"), Path("out"))
    assert DistillRequest(*paths).settings.method == "greedy"
    for wrong in ({"limit": -1}, {"batch": -1}, {"workers": 0}):
        with pytest.raises(UserError, match="--workers 1 or more"):
            DistillRequest(*paths, **wrong)


def test_what_is_recorded_is_plain() -> None:
    assert TrainConfig().table()["lr"] == 2e-3 and LabelSettings(beam=2).table()["beam"] == 2
    assert TrainRequest(Path("data"), Path("out")).decoder == "nnlm"
