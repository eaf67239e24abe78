"""What a model is trained on: a padded block of inputs and headlines, and which of its positions count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

PAD, UNKNOWN, START, END = 0, 1, 2, 3


@dataclass(frozen=True)
class Batch:
    """B pairs on one device.

    inputs: (B, M) input ids, `<pad>` after each end; input_lengths: (B,).
    outputs: (B, N) output ids of the headline and its `</s>`, then `<pad>`; output_lengths: (B,), `</s>` counted.
    token_rows, token_positions: (T,) where the T scored words stand: word t is outputs[row, position], predicted
        from the words before it. All real words, or (the paper's triples) one drawn word of each pair.
    count: T, known on the host so that no step waits for the device.
    input_count: sum of input_lengths where the host knows it, no input is empty and the scored words are all real
        words in their order; else 0. With it a model may lay the words side by side, without padding.
    """

    inputs: Tensor
    input_lengths: Tensor
    outputs: Tensor
    output_lengths: Tensor
    token_rows: Tensor
    token_positions: Tensor
    count: int
    input_count: int = 0

    @property
    def targets(self) -> Tensor:
        """(T,) the ids to predict."""
        return self.outputs[self.token_rows, self.token_positions]

    def pick(self, states: Tensor) -> Tensor:
        """(B, N, X) to (T, X): the states that predict the scored words, padding left behind."""
        places = self.token_rows * states.shape[1] + self.token_positions
        return pick_rows(states.flatten(0, 1), places)

    def to(self, device: torch.device) -> Batch:
        """The batch on a device; itself when it is there."""
        if self.inputs.device == device:
            return self
        names = ("inputs", "input_lengths", "outputs", "output_lengths", "token_rows", "token_positions")
        return replace(self, **{name: getattr(self, name).to(device, non_blocking=True) for name in names})

    @classmethod
    def from_lists(
        cls, inputs: Sequence[Sequence[int]], headlines: Sequence[Sequence[int]], device: str = "cpu"
    ) -> Batch:
        """A batch from plain lists; headlines come without `</s>`."""
        ends = [[*headline, END] for headline in headlines]
        ids, lengths = pad([list(row) for row in inputs], device)
        outputs, output_lengths = pad(ends, device)
        rows, positions = torch.nonzero(
            torch.arange(outputs.shape[1], device=device) < output_lengths[:, None], as_tuple=True
        )
        return cls(ids, lengths, outputs, output_lengths, rows, positions, len(rows))


class _PickRows(torch.autograd.Function):
    """Rows of a table, none twice: the gradient is copied back, where torch would sort the indices and add."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, places: Tensor) -> Tensor:
        ctx.save_for_backward(places)
        ctx.height = table.shape[0]
        return table.index_select(0, places)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None]:
        (places,) = ctx.saved_tensors
        return spread_rows(outer[0], places, ctx.height), None


def pick_rows(table: Tensor, places: Tensor) -> Tensor:
    """(P, X) to (T, X): the rows at places (T,), all different."""
    picked: Tensor = _PickRows.apply(table, places)  # type: ignore[no-untyped-call]
    return picked


def spread_rows(rows: Tensor, places: Tensor, height: int) -> Tensor:
    """The inverse of `pick_rows`: (T, X) to (height, X), zero where no row goes."""
    return rows.new_zeros(height, rows.shape[1]).index_copy(0, places, rows)


def contexts(outputs: Tensor, rows: Tensor, positions: Tensor, width: int) -> Tensor:
    """(T, width) the ids before each of the words outputs[rows, positions], oldest first, `<s>` before the first."""
    start = torch.full_like(outputs[:, :1], START).expand(-1, width)
    places = positions[:, None] + torch.arange(width, device=outputs.device)
    return torch.cat([start, outputs], dim=1)[rows[:, None], places]


def pad(rows: Sequence[Sequence[int]], device: str | torch.device = "cpu") -> tuple[Tensor, Tensor]:
    """Ragged ids to a padded (B, longest) tensor (at least one column wide) and their lengths (B,)."""
    width = max([1, *(len(row) for row in rows)])
    ids = torch.full((len(rows), width), PAD, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.as_tensor(row, dtype=torch.long)
    lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
    return ids.to(device), lengths.to(device)
