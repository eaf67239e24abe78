"""Which pairs go into which step, and batches of tensors on one device.

The plan of an epoch is a deterministic function of data, seed and epoch, made on the host by numpy. A data folder's
split lies on the device as tensors; batches are cut from it by index arithmetic, without the host.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedline.arrays import Ints
from hedline.models.batch import END, PAD, Batch

WIDE = 4  # times the size asked for that a padded block may have


class EpochPlan(NamedTuple):
    """One pass over the data.

    pairs: pair indices in the order of use; positions: for triples, the scored word of each (else None).
    bounds: (steps + 1,) where each step's pairs begin. tokens: (steps,) scored words. widths, heights: (steps,)
    longest input and longest headline (with `</s>`) of each step.
    """

    pairs: Ints
    positions: Ints | None
    bounds: Ints
    tokens: Ints
    widths: Ints
    heights: Ints

    @property
    def steps(self) -> int:
        """How many batches."""
        return len(self.bounds) - 1


def plan_epoch(
    input_lengths: Ints, output_lengths: Ints, size: int, unit: str, seed: int, epoch: int, pool: int = 50
) -> EpochPlan:
    """Shuffle, sort by length within pools of `pool` batches, cut, shuffle the batches.

    output_lengths count `</s>`. size: pairs (`headlines`), words (`triples`, then grouped by exact input length over
    the whole data, as the paper) or input and output units together (`tokens`) in a batch.
    """
    random = np.random.default_rng([seed, epoch])
    if unit == "triples":
        pairs, positions = every_word(output_lengths)
        order = random.permutation(len(pairs))
        order = order[np.argsort(input_lengths[pairs[order]], kind="stable")]
        pairs, positions = pairs[order], positions[order]
        cost = np.ones(len(pairs), np.int64)
        bounds = cut(cost, size, input_lengths[pairs])
    else:
        pairs, positions = random.permutation(len(input_lengths)), None
        cost = input_lengths + output_lengths if unit == "tokens" else np.ones(len(pairs), np.int64)
        pairs = sort_in_pools(pairs, cost, input_lengths, output_lengths, size * pool)
        bounds = cut(cost[pairs], size)
        if unit == "tokens":
            bounds = split_wide(bounds, input_lengths[pairs], output_lengths[pairs], size)
    pairs, positions, bounds = shuffle_batches(pairs, positions, bounds, random)
    return _measure(pairs, positions, bounds, input_lengths, output_lengths)


def every_word(output_lengths: Ints) -> tuple[Ints, Ints]:
    """All (pair, position) triples in order."""
    pairs = np.repeat(np.arange(len(output_lengths)), output_lengths)
    starts = np.cumsum(output_lengths) - output_lengths
    return pairs, np.arange(len(pairs)) - np.repeat(starts, output_lengths)


def sort_in_pools(pairs: Ints, cost: Ints, inputs: Ints, outputs: Ints, pool_cost: int) -> Ints:
    """Sort by input length, then headline length, within consecutive stretches of about `pool_cost`."""
    pool = np.cumsum(cost[pairs]) // max(pool_cost, 1)
    # Alternate the direction of the second key so that neighbours in the order stay alike across the first key.
    wide = inputs[pairs] // 4
    high = np.where(wide % 2 == 0, outputs[pairs], -outputs[pairs])
    return pairs[np.lexsort((high, wide, pool))]


def cut(cost: Ints, size: int, group: Ints | None = None) -> Ints:
    """Bounds of consecutive batches of about `size` each; a batch never spans two groups."""
    if group is None:
        ends = np.cumsum(cost)
        count = max(1, round(ends[-1] / size))
        inner = np.searchsorted(ends, np.arange(1, count) * (ends[-1] / count), side="right")
        return np.unique(np.concatenate([[0], inner, [len(cost)]])).astype(np.int64)
    starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    ends = np.append(starts[1:], len(group))
    parts = [np.arange(first, last, size) for first, last in zip(starts, ends, strict=True)]
    return np.concatenate([*parts, [len(group)]]).astype(np.int64)


def split_wide(bounds: Ints, inputs: Ints, outputs: Ints, size: int) -> Ints:
    """Cut batches whose padded block is far beyond `size`: a few very long pairs would widen all the others.

    inputs, outputs: lengths in the order of use.
    """
    for _ in range(3):
        starts, counts = bounds[:-1], np.diff(bounds)
        padded = counts * (np.maximum.reduceat(inputs, starts) + np.maximum.reduceat(outputs, starts))
        parts = np.minimum(np.maximum(1, -(-padded // (WIDE * size))), counts)
        if parts.max(initial=1) == 1:
            break
        pieces = [
            first + (count * np.arange(part)) // part for first, count, part in zip(starts, counts, parts, strict=True)
        ]
        bounds = np.concatenate([*pieces, bounds[-1:]]).astype(np.int64)
    return bounds


def shuffle_batches(
    pairs: Ints, positions: Ints | None, bounds: Ints, random: np.random.Generator
) -> tuple[Ints, Ints | None, Ints]:
    """The batches in a random order."""
    sizes = np.diff(bounds)
    order = random.permutation(len(sizes))
    starts, sizes = bounds[:-1][order], sizes[order]
    new_bounds = np.concatenate([[0], np.cumsum(sizes)])
    take = np.arange(len(pairs)) + np.repeat(starts - new_bounds[:-1], sizes)
    return pairs[take], None if positions is None else positions[take], new_bounds


def _measure(pairs: Ints, positions: Ints | None, bounds: Ints, input_lengths: Ints, output_lengths: Ints) -> EpochPlan:
    starts = bounds[:-1]
    heights = np.maximum.reduceat(output_lengths[pairs], starts)
    widths = np.maximum.reduceat(np.maximum(input_lengths[pairs], 1), starts)
    tokens = np.diff(bounds) if positions is not None else np.add.reduceat(output_lengths[pairs], starts)
    return EpochPlan(pairs, positions, bounds, tokens, widths, heights)


def share(plan: EpochPlan, input_lengths: Ints, output_lengths: Ints, rank: int, world: int) -> EpochPlan:
    """The part of each step that process `rank` of `world` does: every world-th pair of the batch."""
    if world == 1:
        return plan
    offset = np.arange(len(plan.pairs)) - np.repeat(plan.bounds[:-1], np.diff(plan.bounds))
    mine = offset % world == rank
    sizes = np.add.reduceat(mine, plan.bounds[:-1])
    if (sizes == 0).any():
        # A batch smaller than the number of processes: the idle ones repeat its first pair with no scored word.
        return _share_small(plan, mine, input_lengths, output_lengths)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    positions = None if plan.positions is None else plan.positions[mine]
    return _measure(plan.pairs[mine], positions, bounds, input_lengths, output_lengths)


def _share_small(plan: EpochPlan, mine: NDArray[np.bool_], input_lengths: Ints, output_lengths: Ints) -> EpochPlan:
    sizes = np.add.reduceat(mine, plan.bounds[:-1])
    idle = np.flatnonzero(sizes == 0)
    keep = mine.copy()
    keep[plan.bounds[:-1][idle]] = True
    sizes[idle] = 1
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    positions = None if plan.positions is None else plan.positions[keep]
    measured = _measure(plan.pairs[keep], positions, bounds, input_lengths, output_lengths)
    tokens = measured.tokens.copy()
    tokens[idle] = 0
    return measured._replace(tokens=tokens)


class DeviceSplit:
    """Flat ids and offsets of one split.

    pairs: anything with numpy arrays inputs, input_offsets, outputs, output_offsets (data.dataset.Pairs).
    """

    def __init__(self, pairs: Any, device: torch.device | str) -> None:
        self.device = torch.device(device)
        self.input_lengths: Ints = np.diff(np.asarray(pairs.input_offsets)).astype(np.int64)
        self.output_lengths: Ints = np.diff(np.asarray(pairs.output_offsets)).astype(np.int64) + 1
        self.inputs = _flat(pairs.inputs, self.device)
        self.outputs = _flat(pairs.outputs, self.device)
        self.input_offsets = _offsets(pairs.input_offsets, self.device)
        self.output_offsets = _offsets(pairs.output_offsets, self.device)

    def __len__(self) -> int:
        return len(self.input_lengths)

    @property
    def words(self) -> int:
        """Scored words of the split, `</s>` counted."""
        return int(self.output_lengths.sum())

    def place(self, plan: EpochPlan) -> PlacedPlan:
        """The plan with its order on the device."""
        return PlacedPlan(self, plan)


class PlacedPlan:
    """A plan whose batches can be built on the device, one after the other, without waiting for it."""

    def __init__(self, split: DeviceSplit, plan: EpochPlan) -> None:
        self.split, self.plan = split, plan
        self.pairs = torch.from_numpy(plan.pairs).to(split.device)
        self.positions = None if plan.positions is None else torch.from_numpy(plan.positions).to(split.device)

    def batch(self, step: int) -> Batch:
        """The batch of one step."""
        plan, split = self.plan, self.split
        first, last = int(plan.bounds[step]), int(plan.bounds[step + 1])
        pairs = self.pairs[first:last]
        # On a GPU few distinct, aligned shapes: tensor cores, the memory pool and compiled code like them.
        wide, high = (8, 4) if split.device.type == "cuda" else (1, 1)
        width, height = -(-int(plan.widths[step]) // wide) * wide, -(-int(plan.heights[step]) // high) * high
        inputs, input_lengths = gather(split.inputs, split.input_offsets, pairs, width)
        outputs, lengths = gather(split.outputs, split.output_offsets, pairs, height)
        outputs.scatter_(1, lengths[:, None], END)
        count = int(plan.tokens[step])
        if self.positions is not None:
            rows = torch.arange(last - first, device=split.device)
            positions = self.positions[first:last]
        else:
            rows, positions = scored_words(lengths + 1, count)
        within = 0 if self.positions is not None else self._input_count(first, last)
        return Batch(inputs, input_lengths, outputs, lengths + 1, rows[:count], positions[:count], count, within)

    def _input_count(self, first: int, last: int) -> int:
        """Input words of the pairs first to last of the plan; 0 when one of them has none."""
        lengths = self.split.input_lengths[self.plan.pairs[first:last]]
        return int(lengths.sum()) if lengths.all() else 0


def gather(flat: Tensor, offsets: Tensor, pairs: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The pairs' ids as a padded (B, width) block, and their lengths (B,)."""
    starts = offsets[pairs]
    lengths = offsets[pairs + 1] - starts
    columns = torch.arange(width, device=flat.device)
    index = (starts[:, None] + columns).clamp(max=max(len(flat) - 1, 0))
    ids = flat[index].long()
    return torch.where(columns < lengths[:, None], ids, PAD), lengths


def scored_words(lengths: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Rows and positions (count,) of all real words of a padded block; count = sum of lengths, known on the host."""
    ends = lengths.cumsum(0)
    places = torch.arange(count, device=lengths.device)
    rows = torch.searchsorted(ends, places, right=True).clamp(max=len(lengths) - 1)
    return rows, places - (ends - lengths)[rows]


def _flat(ids: Any, device: torch.device) -> Tensor:
    array = np.asarray(ids)
    array = array.astype(np.int32) if array.dtype.kind == "u" else np.array(array, np.int32)
    return torch.from_numpy(array if len(array) else np.zeros(1, np.int32)).to(device)


def _offsets(offsets: Any, device: torch.device) -> Tensor:
    return torch.from_numpy(np.array(offsets, np.int64)).to(device)
