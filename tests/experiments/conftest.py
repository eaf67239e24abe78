"""What the reproductions are tested on: two small models, a set, data, and code that counts as committed."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_world import small_request

from hedline.experiments import quality, record
from hedline.experiments.record import Request


@pytest.fixture
def committed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run from any working tree, and with no models but their own."""
    monkeypatch.setattr(record, "commit", lambda: "0123456789ab")
    monkeypatch.setattr(record, "SHIPPED", {})


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, committed: None) -> Request:
    """Models printed and bow, a set, a data folder, an empty results folder."""
    monkeypatch.setattr(quality, "MODELS", ())
    return small_request(tmp_path)
