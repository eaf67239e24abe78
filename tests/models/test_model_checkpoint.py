"""Checkpoints come back as they were saved; damaged ones and those of other versions are refused."""

from __future__ import annotations

import pytest
import torch

from hedline.errors import UserError
from hedline.models import model
from hedline.models.model import CHECKPOINT, load_checkpoint, pick, random_state, restore_random_state, save_checkpoint


def test_tensors_and_facts_come_back(tmp_path):
    weights = torch.arange(6.0).reshape(2, 3)
    save_checkpoint(tmp_path, {"model.w": weights.t(), "average.w": weights}, {"epoch": 3, "history": [1.5]})
    tensors, facts = load_checkpoint(tmp_path)
    assert torch.equal(tensors["model.w"], weights.t()) and facts["epoch"] == 3 and facts["history"] == [1.5]
    assert list(pick(tensors, "average.")) == ["w"]


def test_what_cannot_be_continued_is_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(UserError, match=r"no checkpoint in .* train without --resume"):
        load_checkpoint(tmp_path)
    monkeypatch.setattr(model, "CHECKPOINT_FORMAT", 99)
    save_checkpoint(tmp_path, {"w": torch.zeros(1)}, {})
    monkeypatch.undo()
    with pytest.raises(UserError, match="cannot continue; use that version or train again"):
        load_checkpoint(tmp_path)
    (tmp_path / CHECKPOINT).write_bytes((tmp_path / CHECKPOINT).read_bytes()[:20])
    with pytest.raises(UserError, match="is damaged"):
        load_checkpoint(tmp_path)


def test_a_write_that_fails_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    save_checkpoint(tmp_path, {"w": torch.ones(1)}, {"epoch": 1})

    def full(*_: object) -> None:
        raise RuntimeError("No space left on device")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    with pytest.raises(UserError, match=r"cannot write .*: No space left on device; free some space"):
        save_checkpoint(tmp_path, {"w": torch.zeros(1)}, {"epoch": 2})
    assert load_checkpoint(tmp_path)[1]["epoch"] == 1 and len(list(tmp_path.iterdir())) == 1


def test_random_numbers_go_on_where_they_were():
    state = random_state(torch.device("cpu"))
    first = torch.rand(3)
    restore_random_state(state, torch.device("cpu"))
    assert torch.equal(torch.rand(3), first)
