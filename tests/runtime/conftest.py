"""What the runtime's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from random_folders import feedforward_architecture, random_folder

from hedline.runtime.folder import ModelFolder


@pytest.fixture
def folder(tmp_path: Path) -> ModelFolder:
    return random_folder(tmp_path / "model", "feedforward", feedforward_architecture("attention"), 30, 40)
