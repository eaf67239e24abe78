"""Shared test helpers."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no reason to fail a property.
settings.register_profile("hedline", deadline=None)
settings.load_profile("hedline")

# A run that a script starts in the background ignores Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def shared_folder() -> Path:
    """The folder with the open data, beside the checkout or named by HEDLINE_SHARED."""
    return Path(os.environ.get("HEDLINE_SHARED", Path(__file__).resolve().parents[2] / "shared"))


@pytest.fixture(scope="session")
def open_news() -> Path:
    """The open-news folder; skips where it is missing."""
    folder = shared_folder() / "data" / "open-news"
    if not folder.is_dir():
        pytest.skip(f"open-news data not found at {folder} (set HEDLINE_SHARED)")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model, and two sets to tune it on."""
    from small_model import make_model, make_set

    folder = tmp_path_factory.mktemp("tuning")
    make_model(folder / "model")
    make_set(folder / "set.jsonl")
    make_set(folder / "other.jsonl", 40)
    return folder
