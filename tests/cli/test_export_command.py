"""`hedline export`: a model made smaller, with and without a shortlist."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from random_folders import data_folder, large_folder
from typer.testing import CliRunner

from hedline.cli.main import build_app
from hedline.runtime.folder import ModelFolder


def test_command(tmp_path: Path) -> None:
    large, data = large_folder(tmp_path / "large"), data_folder(tmp_path / "data")
    app = build_app(["export", "stats"])
    done = CliRunner().invoke(app, ["export", str(large.path), "--out", str(tmp_path / "o"), "--data", str(data)])
    assert done.exit_code == 0, done.output
    assert "MB (was" in done.output and "no shortlist" not in done.output
    done = CliRunner().invoke(app, ["export", str(large.path), "--out", str(tmp_path / "p"), "--float"])
    assert "no shortlist" in done.output
    assert ModelFolder.open(tmp_path / "p").tensors["V.weight"].dtype == np.float32
