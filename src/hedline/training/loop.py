"""The training loop, one for all families: epochs, steps, schedule, stopping. It knows nothing of files or screens.

The host never waits for the device inside an epoch, except to report every few seconds. Several processes, started by
`torchrun --nproc-per-node N -m hedline train …`, give one result: each does its share of every batch, gradients are
summed, and all weights stay equal.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from hedline.errors import UserError
from hedline.models.model import pick, random_state, restore_random_state, usable_device
from hedline.training.batches import DeviceSplit, EpochPlan, plan_epoch, share
from hedline.training.optimizer import Average, GuardedOptimizer, learning_rate, renormalize
from hedline.training.options import TrainConfig
from hedline.training.perplexity import Perplexity, exp, measure_perplexity


class Group:
    """This process among its peers. rank 0 writes files and speaks."""

    def __init__(self) -> None:
        self.world = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.local = int(os.environ.get("LOCAL_RANK", "0"))
        if self.world > 1 and not dist.is_initialized():
            dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")

    @property
    def first(self) -> bool:
        """Whether this process writes and speaks."""
        return self.rank == 0

    def device(self, wanted: str) -> torch.device:
        """`auto`, `cpu`, `cuda` or `cuda:1`; among several processes each takes its own GPU."""
        wanted = usable_device(wanted)
        if wanted == "cuda":
            torch.cuda.set_device(self.local)
            return torch.device("cuda", self.local)
        return torch.device(wanted)

    def sum_gradients(self, model: nn.Module) -> None:
        """Add up the gradients of all processes; a process without words of its own adds zeros."""
        if self.world == 1:
            return
        for value in model.parameters():
            if value.grad is None:
                value.grad = torch.zeros_like(value)
        pending = [dist.all_reduce(value.grad, async_op=True) for value in model.parameters()]
        for work in pending:
            work.wait()

    def sum(self, value: Tensor) -> Tensor:
        """The sum of a tensor over all processes."""
        if self.world > 1:
            dist.all_reduce(value)
        return value

    def agree(self, value: float, device: torch.device) -> float:
        """Rank 0's value, everywhere."""
        if self.world == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64, device=device)
        dist.broadcast(shared, 0)
        return float(shared)

    def wait(self) -> None:
        """Until all processes are here."""
        if self.world > 1:
            dist.barrier()

    def close(self) -> None:
        """Leave the group."""
        if self.world > 1 and dist.is_initialized():
            dist.destroy_process_group()

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


REPORT_SECONDS = 2.0
HOPELESS_STEPS = 20


@dataclass
class Place:
    """Where a training stands; everything but tensors that a resumed run must know.

    epoch, step: next epoch and next step in it; total: steps done; halvings: of the learning rate; best: lowest
    validation perplexity; worse: epochs since; seconds: spent before this run; history: one row per epoch.
    """

    epoch: int = 0
    step: int = 0
    total: int = 0
    halvings: int = 0
    best: float = math.inf
    worse: int = 0
    seconds: float = 0.0
    words_seen: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """Inside an epoch, every few seconds: perplexity is that of the epoch so far, of this process's words."""

    epoch: int
    step: int
    steps: int
    words: int
    perplexity: float
    rate: float
    skipped: int
    note: str = ""


@dataclass
class Hooks:
    """What the loop tells the outside: report (every few seconds), epoch_done (row, improved), save (checkpoint due),
    stop (asked after every step: true ends the run at once, after a save), say (a line for the user)."""

    report: Callable[[Report], None] = lambda report: None
    epoch_done: Callable[[dict[str, Any], bool], None] = lambda row, improved: None
    save: Callable[[], None] = lambda: None
    stop: Callable[[], bool] = lambda: False
    say: Callable[[str], None] = lambda line: None


class Interrupted(Exception):  # noqa: N818
    """The run was asked to stop; a checkpoint has been saved."""


class Trainer:
    """A model, its optimiser and its data on one device."""

    def __init__(
        self, model: Any, train: DeviceSplit, valid: DeviceSplit | None, config: TrainConfig, group: Group | None = None
    ) -> None:
        self.model, self.train_split, self.valid_split, self.config = model, train, valid, config
        self.group = group or Group()
        self.optimizer = GuardedOptimizer(model, config)
        self.average = Average(model, config.ema)
        self.place = Place()
        self.device = next(iter(model.parameters())).device
        self.loss_sum = torch.zeros((), device=self.device, dtype=torch.float32)
        self.began = time.monotonic()
        wanted = config.precision
        self.half = wanted == "bf16" or (wanted == "auto" and self.device.type == "cuda")
        self.total_steps = 1
        self.planner = ThreadPoolExecutor(1)
        self.planned: dict[int, Future[EpochPlan]] = {}

    def run(self, hooks: Hooks) -> Place:
        """Train to the end of the config; returns where it ended."""
        self.began = time.monotonic()
        self.model.train()
        while self.place.epoch < self.config.epochs and not self._exhausted():
            plan, placed, own = self._prepare_epoch()
            finished = self._epoch(plan, placed, own, hooks)
            self._finish_epoch(plan, hooks, finished)
            if not finished or self._stalled():
                break
        return self.place

    def _prepare_epoch(self) -> tuple[EpochPlan, Any, EpochPlan]:
        split = self.train_split
        plan = self._plan(self.place.epoch).result()
        self.planned = {self.place.epoch + 1: self._plan(self.place.epoch + 1)}
        own = share(plan, split.input_lengths, split.output_lengths, self.group.rank, self.group.world)
        self.total_steps = max(1, plan.steps * self.config.epochs)
        return plan, split.place(own), own

    def _plan(self, epoch: int) -> Future[EpochPlan]:
        """The plan of an epoch, made in the background: sorting millions of pairs must not stop the device."""
        if epoch in self.planned:
            return self.planned[epoch]
        split, config = self.train_split, self.config
        lengths = (split.input_lengths, split.output_lengths)
        return self.planner.submit(plan_epoch, *lengths, config.batch, config.batch_of, config.seed, epoch, config.pool)

    def _epoch(self, plan: EpochPlan, placed: Any, own: EpochPlan, hooks: Hooks) -> bool:
        """The steps of one epoch from where we stand; False when the time ran out."""
        reported, since, skipped = time.monotonic(), 0, int(self.optimizer.skipped)
        while self.place.step < plan.steps:
            step = self.place.step
            rate = learning_rate(self.config, self.progress(), self.place.halvings)
            self._step(placed.batch(step).to(self.device), int(plan.tokens[step]), rate)
            self.place.step, self.place.total = step + 1, self.place.total + 1
            self.place.words_seen += int(plan.tokens[step])
            since += 1
            if time.monotonic() - reported >= REPORT_SECONDS:
                now_skipped = self._report(plan, own, rate, hooks, skipped, since)
                reported = time.monotonic()
                if now_skipped - skipped < since:  # a step has worked: the count of bad ones begins anew
                    since, skipped = 0, now_skipped
            if hooks.stop():
                hooks.save()
                raise Interrupted
            if self._exhausted():
                return False
        self._report(plan, own, 0.0, hooks, skipped, since)
        return True

    def _step(self, batch: Any, words: int, rate: float) -> None:
        """Forward, backward, update. words: scored words of the batch over all processes."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            loss, _ = self.model.loss(batch)
        (loss / words).backward()
        self.group.sum_gradients(self.model)
        detached = loss.detach().float()
        self.loss_sum += torch.where(torch.isfinite(detached), detached, 0.0)
        self.optimizer.step(rate)
        self.average.update(self.place.total + 1)

    def _report(self, plan: EpochPlan, own: EpochPlan, rate: float, hooks: Hooks, skipped: int, since: int) -> int:
        """Tell how it goes (waits for the device); gives up when no step has worked for a while.

        Each process tells of its own part: they reach this by their own clocks, so nothing may be summed over them.
        """
        now_skipped = int(self.optimizer.skipped)
        if since >= HOPELESS_STEPS and now_skipped - skipped >= since:
            raise UserError(
                f"training diverged: the last {since} steps gave gradients that are not numbers; the weights before "
                "them are kept. Lower --lr, or use --precision float32"
            )
        place, note = self.place, self.note(hooks)
        words, mine = (int(part.tokens[: place.step].sum()) for part in (plan, own))
        perplexity = exp(float(self.loss_sum), mine)
        hooks.report(Report(place.epoch, place.step, plan.steps, words, perplexity, rate, now_skipped, note))
        return now_skipped

    def note(self, hooks: Hooks) -> str:
        """What else a report should say; objectives other than likelihood have more to tell."""
        return ""

    def _finish_epoch(self, plan: EpochPlan, hooks: Hooks, whole: bool) -> None:
        """Renormalise, validate, decide on the rate, tell the outside, save."""
        place, config = self.place, self.config
        if config.renormalize:
            renormalize(self.model.tables())
        words = int(plan.tokens[: place.step].sum())
        train = exp(float(self.group.sum(self.loss_sum.clone())), words)
        self.average.swap()
        valid = self.validate()
        done = place.epoch + place.step / plan.steps
        row = {
            "epoch": round(done, 4),
            "train": train,
            "valid": valid.closed if valid else None,
            "valid_known": valid.known if valid else None,
            "rate": learning_rate(config, self.progress(), place.halvings),
            "words": place.words_seen,
            **self.row_facts(),
        }
        judged = valid.closed if valid else train
        improved = judged < place.best or not place.history
        gained = judged < place.best * (1 - config.least_gain) or not place.history
        place.worse = 0 if gained else place.worse + 1
        if not improved and config.schedule == "halve":
            place.halvings += 1
        place.best = min(place.best, judged)
        place.history.append(row)
        hooks.epoch_done(row, improved)
        self.average.swap()
        if whole:
            place.epoch, place.step = place.epoch + 1, 0
            self.loss_sum.zero_()
        hooks.save()

    def row_facts(self) -> dict[str, Any]:
        """What else an epoch's row in the history says."""
        return {}

    def validate(self) -> Perplexity | None:
        """Perplexity on the validation split, None without one."""
        if self.valid_split is None:
            return None
        return measure_perplexity(self.model, self.valid_split)

    def seconds(self) -> float:
        """Training time over all runs."""
        return self.place.seconds + time.monotonic() - self.began

    def progress(self) -> float:
        """Share of the training that is done, by steps or by the clock, whichever is further."""
        by_steps = self.place.total / self.total_steps
        if not self.config.time_limit:
            return min(1.0, by_steps)
        by_clock = self.seconds() / self.usable_seconds()
        return min(1.0, self.group.agree(max(by_steps, by_clock), self.device))

    def usable_seconds(self) -> float:
        """The time limit less what the last validation and saving need."""
        return max(0.9 * self.config.time_limit, self.config.time_limit - 10.0)

    def _exhausted(self) -> bool:
        """Whether the time is up, by the clock alone: at a resumed run's start the steps are not planned yet."""
        return (
            bool(self.config.time_limit)
            and self.group.agree(self.seconds() / self.usable_seconds(), self.device) >= 1.0
        )

    def _stalled(self) -> bool:
        return 0 < self.config.patience <= self.place.worse

    def measure_threads(self) -> dict[int, float]:
        """Seconds of the first step's gradient by number of threads: one, and as many as torch would take.

        Small products go slower on many threads, far slower where other programs use the cores. Weights and random
        numbers are left as they were.
        """
        plan, placed, _ = self._prepare_epoch()
        batch, most, random = placed.batch(0), torch.get_num_threads(), torch.get_rng_state()
        self.model.train()
        found = {}
        for count in sorted({1, most}):
            torch.set_num_threads(count)
            times = []
            for _ in range(3):
                begin = time.perf_counter()
                (self.model.loss(batch)[0] / int(plan.tokens[0])).backward()
                times.append(time.perf_counter() - begin)
            found[count] = min(times[1:])
        self.model.zero_grad(set_to_none=True)
        torch.set_rng_state(random)
        torch.set_num_threads(most)
        return found

    def state_tensors(self) -> dict[str, Tensor]:
        """All tensors of a checkpoint."""
        parts = {
            "model.": self.model.state_dict(),
            "optimizer.": self.optimizer.state_tensors(),
            "average.": self.average.state_tensors(),
            "random.": random_state(self.device),
            "": {"loss_sum": self.loss_sum},
        }
        return {f"{prefix}{name}": value for prefix, part in parts.items() for name, value in part.items()}

    def state_facts(self) -> dict[str, Any]:
        """What a checkpoint says besides its tensors; the time stands in the folder's log."""
        place = {name: value for name, value in asdict(self.place).items() if name != "seconds"}
        return {"place": place, "config": self.config.table()}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go back to where a checkpoint was taken."""
        self.model.load_state_dict(pick(tensors, "model."))
        self.optimizer.load_state_tensors(pick(tensors, "optimizer."))
        self.average.load_state_tensors(pick(tensors, "average."))
        restore_random_state(pick(tensors, "random."), self.device)
        self.loss_sum.copy_(tensors["loss_sum"])
        self.place = Place(**facts["place"])
