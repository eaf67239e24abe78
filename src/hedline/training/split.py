"""A data folder's split as tensors on one device; batches are cut from it by index arithmetic, without the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from hedline.models.batch import END, PAD, Batch
from hedline.training.plan import EpochPlan, Ints


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
