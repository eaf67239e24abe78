"""`hedline train` and `hedline perplexity` as a user meets them: the folder they leave, and their error messages."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from synthetic import write_data

from hedline.errors import UserError
from hedline.runtime.folder import ModelFolder
from hedline.training.options import TrainRequest
from hedline.training.perplexity import perplexity_of_folder
from hedline.training.run import train

SMALL = {"epochs": 1, "batch": 16, "D": 4, "H": 6, "C": 2}


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data", {"train": 60, "valid": 20})


@pytest.mark.parametrize("model", ["none", "bow", "conv", "attention", "rnn", "lstm"])
def test_every_model_trains_and_reopens(data, tmp_path, capsys, model):
    decoder, encoder = (model, "attention") if model in ("rnn", "lstm") else ("nnlm", model)
    settings = {key: value for key, value in SMALL.items() if decoder == "nnlm" or key != "C"}
    out = tmp_path / "model"
    place = train(TrainRequest(data, out, encoder=encoder, decoder=decoder, settings=settings))
    folder = ModelFolder.open(out)
    assert folder.config.family == ("feedforward" if decoder == "nnlm" else "recurrent")
    assert folder.config.training["history"][0]["valid"] == place.history[0]["valid"]
    again = perplexity_of_folder(out, data)
    assert again.closed == pytest.approx(place.best, rel=1e-5)
    assert again.words == 20 + int(ModelFolderWords(data))
    for name in ("curves.svg", "training.jsonl", "README.md", "checkpoint.safetensors"):
        assert (out / name).is_file(), name
    assert "model:" in capsys.readouterr().out


class ModelFolderWords:
    """Words of the validation headlines, `</s>` not counted."""

    def __init__(self, data: Path) -> None:
        import numpy as np

        self.count = int(np.load(data / "valid.output_offsets.npy")[-1])

    def __int__(self) -> int:
        return self.count


def test_automatic_settings_and_resume_to_more_epochs(data, tmp_path):
    out = tmp_path / "m"
    first = train(TrainRequest(data, out, settings=SMALL, samples=0))
    more = train(TrainRequest(data, out, settings={"epochs": 3}, resume=True, samples=0))
    assert len(first.history) == 1 and len(more.history) == 3
    assert more.history[0] == first.history[0]


def test_one_pair_works(tmp_path):
    data = write_data(tmp_path / "data", {"train": 1})
    place = train(TrainRequest(data, tmp_path / "m", settings=SMALL))
    assert place.history[0]["valid"] is None
    ModelFolder.open(tmp_path / "m")


def test_no_data(tmp_path):
    with pytest.raises(UserError, match="prepare"):
        train(TrainRequest(tmp_path, tmp_path / "m"))
    with pytest.raises(UserError, match="no training pairs"):
        train(TrainRequest(write_data(tmp_path / "d", {"train": 0}), tmp_path / "m"))


def test_ids_beyond_the_vocabulary(data, tmp_path):
    settings = json.loads((data / "settings.json").read_text())
    settings["vocabulary"]["output"] = 10
    (data / "settings.json").write_text(json.dumps(settings))
    with pytest.raises(UserError, match=r"vocab\.output\.txt"):
        train(TrainRequest(data, tmp_path / "m"))


def test_no_overwriting(data, tmp_path):
    train(TrainRequest(data, tmp_path / "m", settings=SMALL, samples=0))
    with pytest.raises(UserError, match="already holds a model"):
        train(TrainRequest(data, tmp_path / "m", settings=SMALL))


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"dropuot": 0.1}, "dropout"), ({"lr": "fast"}, "lr"), ({"epochs": 0}, "epochs"), ({"encoder": "x"}, "encoder")],
)
def test_wrong_settings(data, tmp_path, settings, words):
    with pytest.raises(UserError, match=words):
        train(TrainRequest(data, tmp_path / "m", settings=settings))


def test_wrong_names(data, tmp_path):
    for request in (
        TrainRequest(data, tmp_path / "m", encoder="tree"),
        TrainRequest(data, tmp_path / "m", decoder="gru"),
        TrainRequest(data, tmp_path / "m", preset="quick"),
        TrainRequest(data, tmp_path / "m", decoder="transformer"),
    ):
        with pytest.raises(UserError, match=r"one of|subwords"):
            train(request)


def test_resume_needs_its_own_data(data, tmp_path):
    out = tmp_path / "m"
    train(TrainRequest(data, out, settings=SMALL, samples=0))
    other = write_data(tmp_path / "other", {"train": 60, "valid": 20}, vocab=41)
    with pytest.raises(UserError, match="vocabular"):
        train(TrainRequest(other, out, resume=True))
    third = write_data(tmp_path / "third", {"train": 61, "valid": 20})
    with pytest.raises(UserError, match="not the data"):
        train(TrainRequest(third, out, resume=True))
    with pytest.raises(UserError, match="cannot change lr"):
        train(TrainRequest(data, out, resume=True, settings={"lr": 1.0}))


def test_resume_with_a_time_limit_goes_on(data, tmp_path):
    out = tmp_path / "limited"
    train(TrainRequest(data, out, settings={**SMALL, "time_limit": 1000.0}, samples=0))
    place = train(TrainRequest(data, out, settings={"epochs": 3}, resume=True, samples=0))
    assert [row["epoch"] for row in place.history] == [1.0, 2.0, 3.0]


def test_resume_accepts_the_same_settings_again(data, tmp_path):
    out = tmp_path / "again"
    settings = {"epochs": 1, "D": "16", "H": "32", "lr": "0.01"}
    train(TrainRequest(data, out, settings=settings, samples=0))
    place = train(TrainRequest(data, out, settings={**settings, "epochs": 2}, resume=True, samples=0))
    assert place.epoch == 2
    with pytest.raises(UserError, match="cannot change D"):
        train(TrainRequest(data, out, settings={**settings, "D": "24"}, resume=True))


def test_resume_without_or_with_damaged_checkpoint(data, tmp_path):
    out = tmp_path / "m"
    with pytest.raises(UserError, match="no checkpoint"):
        train(TrainRequest(data, out, resume=True))
    train(TrainRequest(data, out, settings=SMALL, samples=0))
    path = out / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match="damaged"):
        train(TrainRequest(data, out, resume=True))


def test_resume_of_another_version(data, tmp_path, monkeypatch):
    from hedline.models import model

    out = tmp_path / "m"
    monkeypatch.setattr(model, "CHECKPOINT_FORMAT", 0)
    train(TrainRequest(data, out, settings=SMALL, samples=0))
    monkeypatch.undo()
    with pytest.raises(UserError, match="cannot continue"):
        train(TrainRequest(data, out, resume=True))


def test_full_disk_keeps_the_old_checkpoint(data, tmp_path, monkeypatch):
    import safetensors.torch

    out = tmp_path / "m"
    train(TrainRequest(data, out, settings=SMALL, samples=0))
    before = (out / "checkpoint.safetensors").read_bytes()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(UserError, match="No space left"):
        train(TrainRequest(data, out, settings={"epochs": 2}, resume=True, samples=0))
    assert (out / "checkpoint.safetensors").read_bytes() == before
    assert not list(out.glob(".*.part"))
    monkeypatch.undo()
    place = train(TrainRequest(data, out, settings={"epochs": 2}, resume=True, samples=0))
    assert len(place.history) == 2


def test_out_of_memory_gives_advice(data, tmp_path, monkeypatch):
    import torch

    from hedline.training.loop import Trainer

    def exhausted(*_):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(Trainer, "_step", exhausted)
    with pytest.raises(UserError, match="--batch 8"):
        train(TrainRequest(data, tmp_path / "m", settings=SMALL))


def test_tensorboard_scalars(data, tmp_path):
    pytest.importorskip("tensorboard")
    train(TrainRequest(data, tmp_path / "m", settings=SMALL, samples=0, tensorboard=True))
    assert list((tmp_path / "m" / "tensorboard").glob("events*"))


def test_perplexity_of_other_vocabulary(data, tmp_path):
    train(TrainRequest(data, tmp_path / "m", settings=SMALL, samples=0))
    other = write_data(tmp_path / "other", {"train": 5, "valid": 5}, vocab=41)
    with pytest.raises(UserError, match=r"vocab\.input\.txt"):
        perplexity_of_folder(tmp_path / "m", other)


def test_signal_saves_and_resumes(data, tmp_path):
    """SIGTERM in the middle: one sentence, a checkpoint, and the same end as an undisturbed run."""
    import os
    import signal

    from hedline.training.loop import Trainer

    settings = {**SMALL, "epochs": 2}
    whole = train(TrainRequest(data, tmp_path / "whole", settings=settings, samples=0))
    step, count = Trainer._step, 0

    def kill_at_third(self, *arguments):
        nonlocal count
        count += 1
        if count == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        step(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "_step", kill_at_third)
        with pytest.raises(UserError, match="--resume"):
            train(TrainRequest(data, tmp_path / "part", settings=settings, samples=0))
    rest = train(TrainRequest(data, tmp_path / "part", resume=True, samples=0))
    assert [row["valid"] for row in rest.history] == [row["valid"] for row in whole.history]
    weights = [(tmp_path / name / "checkpoint.safetensors") for name in ("whole", "part")]
    from safetensors.numpy import load_file

    one, two = (load_file(path) for path in weights)
    assert all((one[name] == two[name]).all() for name in one)


@pytest.mark.parametrize(("keep", "kept"), [("best", 2), ("last", 4)])
def test_the_kept_epoch_is_the_best_or_the_last(data, tmp_path, monkeypatch, keep, kept):
    from hedline.training.loop import Trainer
    from hedline.training.perplexity import Perplexity

    values = iter([5.0, 3.0, 4.0, 6.0])
    monkeypatch.setattr(Trainer, "validate", lambda _: Perplexity(next(values), 1.0, 1, 0))
    settings = SMALL | {"epochs": 4, "patience": 0, "keep": keep}
    place = train(TrainRequest(data, tmp_path / "model", settings=settings))
    history = ModelFolder.open(tmp_path / "model").config.training["history"]
    assert place.best == 3.0 and [row["epoch"] for row in history] == list(range(1, kept + 1))


def test_threads_are_chosen_once_and_told(data, tmp_path, monkeypatch, capsys):
    import torch

    from hedline.training.loop import Trainer

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    monkeypatch.setattr(Trainer, "measure_threads", lambda _: {1: 0.001, 2: 0.014})
    before = torch.get_num_threads()
    try:
        train(TrainRequest(data, tmp_path / "model", settings=SMALL))
    finally:
        torch.set_num_threads(before)
    assert "threads: 1 (a step takes 1.0 ms with 1, 14.0 ms with 2" in capsys.readouterr().out
    assert ModelFolder.open(tmp_path / "model").config.training["config"]["threads"] == 1


@pytest.mark.parametrize("resume", [False, True])
def test_killed_before_the_first_checkpoint_it_begins_anew(data, tmp_path, resume):
    out = tmp_path / "m"
    train(TrainRequest(data, out, settings=SMALL, samples=0))
    whole = (out / "model.safetensors").read_bytes()
    (out / "checkpoint.safetensors").unlink()  # what a kill between the model and the checkpoint leaves
    (out / ".training").touch()
    train(TrainRequest(data, out, settings=SMALL, samples=0, resume=resume))
    assert (out / "checkpoint.safetensors").is_file() and not (out / ".training").exists()
    assert (out / "model.safetensors").read_bytes() == whole
