"""The loop: learning, resuming to the bit, surviving bad steps, ending in time, several processes as one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from synthetic import write_data
from torch.distributed import TCPStore

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.models.encoders import FeedForwardShape
from hedline.models.nnlm import FeedForward, Regularization
from hedline.training.batches import DeviceSplit
from hedline.training.config import PAPER
from hedline.training.loop import Hooks, Interrupted, Trainer
from hedline.training.optimizer import learning_rate, renormalize
from hedline.training.options import TrainConfig

CONFIG = TrainConfig(epochs=2, batch=16, dropout=0.1, ema=0.9, lr=5e-3, patience=0, label_smoothing=0.05)


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    dataset = Dataset.open(write_data(tmp_path_factory.mktemp("data"), {"train": 120, "valid": 30}))
    return DeviceSplit(dataset.split("train"), "cpu"), DeviceSplit(dataset.split("valid"), "cpu")


def make_trainer(splits, config=CONFIG, encoder="attention") -> Trainer:
    torch.manual_seed(config.seed)
    shape = FeedForwardShape(encoder=encoder, D=8, H=12, C=3)
    model = FeedForward(shape, 40, 40, Regularization(config.dropout, config.label_smoothing))
    return Trainer(model, splits[0], splits[1], config)


def weights(trainer: Trainer) -> list[torch.Tensor]:
    return [value.detach().clone() for value in trainer.model.parameters()]


def test_it_learns_and_reports(splits):
    rows = []
    trainer = make_trainer(splits, replace(CONFIG, epochs=6))
    place = trainer.run(Hooks(epoch_done=lambda row, improved: rows.append((row, improved))))
    assert len(rows) == 6 and place.history == [row for row, _ in rows]
    first, last = rows[0][0], rows[-1][0]
    assert last["valid"] < 0.9 * first["valid"] and last["train"] < first["train"]
    assert place.best == min(row["valid"] for row, _ in rows)
    assert last["valid_known"] != last["valid"]


@pytest.mark.parametrize("preset", ["fast", "paper"])
@pytest.mark.parametrize("stop_after", [3, 8, 12])
def test_resumed_equals_uninterrupted_to_the_bit(splits, tmp_path, preset, stop_after):
    from hedline.models.model import load_checkpoint, save_checkpoint

    config = CONFIG if preset == "fast" else replace(PAPER, epochs=2, batch=128, lr=0.5)
    whole = make_trainer(splits, config)
    whole.run(Hooks())

    part = make_trainer(splits, config)
    count = 0

    def stop():
        nonlocal count
        count += 1
        return count == stop_after

    def save():
        save_checkpoint(tmp_path, part.state_tensors(), part.state_facts())

    with pytest.raises(Interrupted):
        part.run(Hooks(save=save, stop=stop))
    torch.manual_seed(999)
    rest = make_trainer(splits, config)
    rest.restore(*load_checkpoint(tmp_path))
    rest.run(Hooks())
    for one, other in zip(weights(whole), weights(rest), strict=True):
        assert torch.equal(one, other)
    for one, other in zip(whole.average.shadow, rest.average.shadow, strict=True):
        assert torch.equal(one, other)
    assert whole.place.history == rest.place.history


def test_same_seed_same_weights(splits):
    found = []
    for seed in (1, 1, 2):
        trainer = make_trainer(splits, replace(CONFIG, seed=seed))
        trainer.run(Hooks())
        found.append(weights(trainer))
    assert all(torch.equal(a, b) for a, b in zip(found[0], found[1], strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(found[0], found[2], strict=True))


@pytest.mark.parametrize("config", [CONFIG, replace(PAPER, batch=32)], ids=["adamw", "sgd"])
def test_nan_step_changes_nothing_and_is_counted(splits, config):
    trainer = make_trainer(splits, config)
    plan, placed, _ = trainer._prepare_epoch()
    trainer._step(placed.batch(0), int(plan.tokens[0]), 1e-2)
    before, average = weights(trainer), [value.clone() for value in trainer.average.shadow]
    good = trainer.model.loss
    trainer.model.loss = lambda batch: (good(batch)[0] * float("nan"), 1)
    trainer._step(placed.batch(1), int(plan.tokens[1]), 1e-2)
    assert int(trainer.optimizer.skipped) == 1
    assert all(torch.isfinite(value).all() for value in trainer.average.shadow)
    assert all(torch.equal(a, b) for a, b in zip(before, weights(trainer), strict=True))
    trainer.model.loss = good
    trainer._step(placed.batch(2), int(plan.tokens[2]), 1e-2)
    assert not all(torch.equal(a, b) for a, b in zip(before, weights(trainer), strict=True))
    assert all(torch.isfinite(value).all() for value in weights(trainer))
    moved = [torch.equal(a, b) for a, b in zip(average, trainer.average.shadow, strict=True)]
    assert not average or not all(moved)  # the bad step left the average alone, the good one after it did not


def test_nothing_but_nan_is_an_error(splits):
    trainer = make_trainer(splits, replace(CONFIG, batch=4))
    good = trainer.model.loss
    trainer.model.loss = lambda batch: (good(batch)[0] * float("nan"), 1)
    with pytest.raises(UserError, match="diverged"):
        trainer.run(Hooks())


def test_clipping_limits_the_step(splits):
    """Plain SGD at rate 1 moves the weights by exactly the clipped gradient."""
    trainer = make_trainer(splits, replace(PAPER, batch=64, clip=0.01))
    plan, placed, _ = trainer._prepare_epoch()
    before = weights(trainer)
    trainer._step(placed.batch(0), int(plan.tokens[0]), 1.0)
    moved = torch.sqrt(sum(((a - b) ** 2).sum() for a, b in zip(before, weights(trainer), strict=True)))
    assert float(trainer.optimizer.norm) > 0.01
    assert float(moved) == pytest.approx(0.01, rel=1e-3)


def test_time_limit_ends_cleanly(splits):
    trainer = make_trainer(splits, replace(CONFIG, epochs=100_000, time_limit=1.5))
    place = trainer.run(Hooks())
    assert 1.0 < trainer.seconds() < 15
    assert place.history and place.epoch < 100_000
    assert trainer.progress() == 1.0


def test_early_stopping(splits):
    trainer = make_trainer(splits, replace(CONFIG, epochs=50, lr=1e-9, warmup=0.0, patience=2, ema=0.0))
    values = iter([5.0, 4.0, 6.0, 7.0, 8.0])
    from hedline.training.perplexity import Perplexity

    trainer.validate = lambda: Perplexity(next(values), 1.0, 1, 0)
    assert len(trainer.run(Hooks()).history) == 4


def test_halving(splits):
    from hedline.training.perplexity import Perplexity

    trainer = make_trainer(splits, replace(PAPER, epochs=4, batch=256))
    values = iter([5.0, 6.0, 5.5, 4.0])  # 5.5 is better than the epoch before and worse than the best: halved again
    trainer.validate = lambda: Perplexity(next(values), 1.0, 1, 0)
    place = trainer.run(Hooks())
    assert (place.halvings, place.best) == (2, 4.0)
    assert learning_rate(PAPER, 0.5, 2) == pytest.approx(0.05 / 4)


def test_schedules():
    for schedule in ("cosine", "linear"):
        config = replace(CONFIG, schedule=schedule, warmup=0.1, lr=1.0)
        assert learning_rate(config, 0.05, 0) == pytest.approx(0.5)
        assert learning_rate(config, 0.1, 0) == pytest.approx(1.0)
        assert learning_rate(config, 0.55, 0) == pytest.approx(0.5)
        assert learning_rate(config, 1.0, 0) == pytest.approx(0.0)


@pytest.mark.parametrize("encoder", ["none", "bow", "conv", "attention"])
def test_the_papers_tables_are_renormalised_after_each_epoch(splits, encoder):
    """E always, F where there is an encoder, G with attention: no row is longer than 1 when the epoch ends."""
    trainer = make_trainer(splits, replace(PAPER, epochs=1, batch=256, lr=1e-9), encoder)
    tables = {"E.weight", *(["encoder.F.weight"] if encoder != "none" else [])}
    tables |= {"encoder.G.weight"} if encoder == "attention" else set()
    named = dict(trainer.model.named_parameters())
    for name in tables:
        named[name].data.mul_(1000)
    trainer.run(Hooks())
    for name in tables:
        assert float(named[name].detach().norm(dim=1).max()) == pytest.approx(1.0, abs=1e-5)
    rest = make_trainer(splits, replace(PAPER, epochs=1, batch=256, lr=1e-9, renormalize=False), encoder)
    rest.model.E.weight.data.mul_(1000)
    rest.run(Hooks())
    assert float(rest.model.E.weight.detach().norm(dim=1).max()) > 100


def test_renormalize_shortens_long_rows_only():
    table = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    renormalize([table])
    torch.testing.assert_close(table, torch.tensor([[0.6, 0.8], [0.3, 0.4]]))


# SGD, since its steps are as exact as its gradients: AdamW divides by their size, and where a gradient is nothing but
# rounding (attention has such rows) it makes a whole step of it, another one on every kind of processor.
SHARED = replace(CONFIG, dropout=0.0, batch=7, optimizer="sgd", lr=0.5)
SHARED_SCRIPT = """
import os, sys
sys.path.insert(0, sys.argv[3])
from safetensors.torch import save_file
from hedline.training import loop
from test_loop import train_shared
loop.REPORT_SECONDS = 0.0 if os.environ["RANK"] == "1" else 1e9  # their clocks never agree: one reports all the time
trainer = train_shared(sys.argv[1])
if trainer.group.first:
    save_file(dict(trainer.model.named_parameters()), sys.argv[2])
trainer.group.close()
"""


def train_shared(data) -> Trainer:
    dataset = Dataset.open(data)
    trainer = make_trainer([DeviceSplit(dataset.split(name), "cpu") for name in ("train", "valid")], SHARED)
    trainer.run(Hooks())
    return trainer


def run_together(command: list[str], count: int) -> None:
    """`count` processes of one training, as torchrun would start them; they meet at a port that this process holds."""
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    shared = os.environ | meeting | {"OMP_NUM_THREADS": "1", "WORLD_SIZE": str(count)}
    started = [
        subprocess.Popen(command, env=shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)}, stderr=subprocess.PIPE)
        for rank in range(count)
    ]
    try:
        said = [process.communicate(timeout=300)[1].decode() for process in started]
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == [0] * count, "\n".join(said)[-3000:]


@pytest.mark.slow
def test_two_processes_equal_one(tmp_path):
    data = write_data(tmp_path / "data", {"train": 60, "valid": 10})
    script, out = tmp_path / "job.py", tmp_path / "weights.safetensors"
    script.write_text(SHARED_SCRIPT)
    run_together([sys.executable, str(script), str(data), str(out), str(Path(__file__).parent)], 2)
    found = load_file(out)
    for name, one in train_shared(data).model.named_parameters():
        torch.testing.assert_close(one.detach(), found[name], rtol=1e-5, atol=2e-6)


def test_patience_wants_a_gain_worth_an_epoch(splits):
    from hedline.training.perplexity import Perplexity

    trainer = make_trainer(splits, replace(CONFIG, epochs=30, patience=3))
    values = iter([2.0, 1.5, *(1.4 - 0.0001 * step for step in range(28))])
    trainer.validate = lambda: Perplexity(next(values), 1.0, 1, 0)
    assert len(trainer.run(Hooks()).history) == 6  # 2.0, 1.5, 1.4, and three epochs that gain nothing to speak of
    values = iter([2.0, 1.5, *(1.4 - 0.0001 * step for step in range(28))])
    patient = make_trainer(splits, replace(CONFIG, epochs=30, patience=3, least_gain=0.0))
    patient.validate = lambda: Perplexity(next(values), 1.0, 1, 0)
    assert len(patient.run(Hooks()).history) == 30


def test_measuring_threads_changes_nothing(splits):
    trainer, other = make_trainer(splits), make_trainer(splits)
    times = trainer.measure_threads()
    assert 1 in times and all(seconds > 0 for seconds in times.values())
    torch.manual_seed(5)
    trainer.run(Hooks())
    torch.manual_seed(5)
    other.run(Hooks())
    assert all(torch.equal(a, b) for a, b in zip(weights(trainer), weights(other), strict=True))
