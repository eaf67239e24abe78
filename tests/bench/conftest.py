"""Stand-ins small enough for tests."""

from __future__ import annotations

import pytest

from hedline.bench import decode


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "ABS", decode.ABS | {"D": 8, "H": 16})
    small = {"width": 32, "inner": 64, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    monkeypatch.setattr(decode, "TRANSFORMER", small)
    for name, value in {"INPUT_WORDS": 800, "OUTPUT_WORDS": 600, "PIECES": 1500, "FREQUENT": 300}.items():
        monkeypatch.setattr(decode, name, value)
    monkeypatch.setattr(decode.write_abs, "__defaults__", (600,))
    monkeypatch.setattr(decode.write_transformer, "__defaults__", (None, 1500))
    monkeypatch.setattr(decode, "BATCHES", (1, 3))
