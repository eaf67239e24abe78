"""MOSES+ learns to shorten, and keeps every limit."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines.moses import Moses
from hedline.baselines.system import Limit, open_baseline
from hedline.corpora.sets import EvaluationItem


def test_moses_learns_to_shorten_and_keeps_every_limit(tmp_path: Path) -> None:
    pytest.importorskip("thot", reason="the aligner is sil-thot; pip install 'hedline[baselines]'")
    train, valid = write_pairs(tmp_path / "train.jsonl", 600), write_pairs(tmp_path / "valid.jsonl", 12, seed=7)
    folder = Moses.fit([train], tmp_path / "moses", {"tune": [valid], "tune_limit": 12})
    system = open_baseline(folder)
    new = pairs(20, seed=99)
    items = [EvaluationItem(str(i), lead, ()) for i, (lead, _) in enumerate(new)]
    items.append(EvaluationItem("blank", " ", ()))
    found = system.headlines(items, Limit())
    same = sum(text.lower() == headline.lower() for text, (_, headline) in zip(found, new, strict=False))
    assert same >= 8  # `announced` has become `unveils`, the rest is deleted
    assert found[-1] == ""
    for limit in (Limit(bytes=30), Limit(words=3), Limit(bytes=7, words=1)):
        assert all(limit.fits(text) for text in system.headlines(items, limit))
