"""Which way of the packed training step this machine can go: each is tried once, forward, backward and for its result.

A compiler or a kernel may fail only in the backward pass, where no caller can step in; so the first batch is done
once for nothing before the training begins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from hedline.models.batch import Batch
from hedline.models.packed import Way, packed_states, ways

if TYPE_CHECKING:
    from hedline.models.transformer import Transformer

ENOUGH_ROWS = 8192  # below so many words a step, compiling takes longer than it saves
FEW = 256  # pairs of the comparison with the plain step


class Outcome(NamedTuple):
    """Loss a word and the gradients of all parameters that have one."""

    loss: float
    gradients: list[Tensor]


def worth_packing(model: Transformer, batch: Batch) -> bool:
    """Whether a batch is for the packed step at all: a training batch on a GPU, large and with its lengths known."""
    return (
        model.training
        and torch.is_grad_enabled()
        and batch.inputs.is_cuda
        and batch.input_count > 0
        and batch.input_count + batch.count >= ENOUGH_ROWS
        and os.environ.get("HEDLINE_COMPILE") != "0"
    )


def choose(model: Transformer, batch: Batch, candidates: Sequence[Way] | None = None) -> Way | None:
    """The first way that works on this batch and agrees with the plain step; None when none does.

    Gradients and random numbers stay as they are. Waits for the device.
    """
    device = batch.inputs.device
    for way in ways() if candidates is None else candidates:
        try:
            with torch.random.fork_rng([device] if device.type == "cuda" else []):
                attempt(model, batch, way)
            return way
        except torch.cuda.OutOfMemoryError:
            raise
        except Exception as error:  # compilers and kernels have many ways to fail, none of which may stop the training
            cause = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200] if str(error) else ''}"
            print(f"transformer without padding, {way}: {cause}; going on without it", file=sys.stderr, flush=True)
    return None


def attempt(model: Transformer, batch: Batch, way: Way) -> None:
    """One step with all of the batch and a comparison on a few pairs; raises what is wrong."""
    few = first_pairs(batch, FEW)
    was_training = model.training
    try:
        model.eval()  # without dropout both must be the same but for rounding
        compare(run(model, few, way._replace(compiled=False)), run(model, few, None), 0.02, 0.1)
        model.train()
        run(model, batch, way)
        compare(run(model, few, way), run(model, few, None), 0.1, 1.2)  # other units are dropped
    finally:
        model.train(was_training)


def first_pairs(batch: Batch, pairs: int) -> Batch:
    """The first pairs of a batch; waits for the device."""
    if len(batch.inputs) <= pairs:
        return batch
    names = ("inputs", "input_lengths", "outputs", "output_lengths")
    parts = {name: getattr(batch, name)[:pairs] for name in names}
    count, within = int(parts["output_lengths"].sum()), int(parts["input_lengths"].sum())
    places = {"token_rows": batch.token_rows[:count], "token_positions": batch.token_positions[:count]}
    return replace(batch, **parts, **places, count=count, input_count=within)


def run(model: Transformer, batch: Batch, way: Way | None) -> Outcome:
    """A step without the update; way None: the plain step."""
    if way is None:
        states = model.padded_states(batch)
    else:
        states = packed_states(model, model.hide_controls(batch.inputs), batch, way)
    loss = model.loss_of(states, batch) / batch.count
    parameters = [value for value in model.parameters() if value.requires_grad]
    with torch.autocast(loss.device.type, enabled=False):  # as in training
        found = torch.autograd.grad(loss, parameters, allow_unused=True)
    return Outcome(float(loss.detach()), [value for value in found if value is not None])


def compare(one: Outcome, other: Outcome, loss_error: float, gradient_error: float) -> None:
    """Raise when the losses or the gradients (as one long vector) differ by more than these shares."""
    if not abs(one.loss - other.loss) <= loss_error * abs(other.loss):
        raise ArithmeticError(f"its loss is {one.loss:.4f}, the plain step's {other.loss:.4f}")
    pairs = list(zip(one.gradients, other.gradients, strict=True))
    apart = sum(float((a.double() - b.double()).pow(2).sum()) for a, b in pairs) ** 0.5
    size = sum(float(b.double().pow(2).sum()) for _, b in pairs) ** 0.5
    if not apart <= gradient_error * size:
        raise ArithmeticError(f"its gradient is {apart / max(size, 1e-30):.2f} of the plain step's away from it")
