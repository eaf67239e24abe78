"""Muon (Jordan et al. 2024): momentum whose matrices are made orthogonal, so that every direction learns alike.

For the hidden matrices of a transformer; tables, norms and biases stay with AdamW. Matrices that can be turned and
cut to one shape are stacked and orthogonalised together: two stacks of batched products for a whole transformer in
place of a thousand small ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

# Coefficients of the quintic Newton-Schulz iteration, chosen by Jordan et al. for a steep slope at zero: singular
# values end near 1 (0.7 to 1.2), which is near enough.
QUINTIC = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
MOMENTUM = 0.95
# Liu et al. 2025: an update of this root mean square is as large as AdamW's, so both can share a learning rate.
UPDATE_SIZE = 0.2


class Stack:
    """Matrices that turn into maps of one shape, (maps, low, wide), and their momentum in that form.

    Keys over values (twice as high as wide) are two maps; a tall matrix is turned. Matrices of one shape stand
    together, so that gradients are gathered and updates spread with a handful of launches.
    """

    def __init__(self, values: Sequence[Tensor]) -> None:
        self.low, self.wide = wide_shape(values[0])
        shapes = sorted({tuple(value.shape) for value in values})
        self.parts = [[value for value in values if tuple(value.shape) == shape] for shape in shapes]
        self.momentum = self.gather([[torch.zeros_like(value) for value in part] for part in self.parts])

    def gather(self, parts: Sequence[Sequence[Tensor]]) -> Tensor:
        """(maps, low, wide) of matrices in the order of `parts`."""
        return torch.cat([self.turned(torch.stack(list(part))) for part in parts])

    def turned(self, same: Tensor) -> Tensor:
        """(n, a, b) to (n or 2n, low, wide)."""
        if same.shape[1] == 2 * same.shape[2]:
            return same.view(-1, self.low, self.wide)
        return same if same.shape[1:] == (self.low, self.wide) else same.mT

    def spread(self, stack: Tensor, dense: bool = False) -> list[list[Tensor]]:
        """The inverse of `gather`: views of a stack with the matrices' shapes; dense: turned ones are copied."""
        found, first = [], 0
        for part in self.parts:
            high, wide = part[0].shape
            count = len(part) * (2 if high == 2 * wide else 1)
            maps = stack[first : first + count]
            first += count
            whole = maps.view(-1, high, wide) if high == 2 * wide or high == self.low else maps.mT
            found.append(list((whole.contiguous() if dense else whole).unbind(0)))
        return found


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised. parameters: matrices only; one without a gradient counts as having zeros.

    `found_inf`: a device scalar set before each step; 1 cancels the step without a word from the device.
    """

    def __init__(self, parameters: Sequence[Tensor], lr: float, weight_decay: float) -> None:
        super().__init__(list(parameters), {"lr": lr, "weight_decay": weight_decay})
        self.found_inf: Tensor | None = None
        shapes = sorted({wide_shape(value) for value in parameters})
        self.stacks = [Stack([value for value in parameters if wide_shape(value) == shape]) for shape in shapes]
        for stack in self.stacks:  # each parameter's share of its stack's momentum, for checkpoints
            for values, momenta in zip(stack.parts, stack.spread(stack.momentum), strict=True):
                for value, momentum in zip(values, momenta, strict=True):
                    self.state[value]["momentum"] = momentum

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One update of every matrix."""
        for stack in self.stacks:
            self._update(stack, self.param_groups[0])

    def _update(self, stack: Stack, group: dict[str, float]) -> None:
        parts = [[torch.zeros_like(one) if one.grad is None else one.grad for one in part] for part in stack.parts]
        gradient = stack.gather(parts)
        going = torch.ones((), device=gradient.device)
        if self.found_inf is not None:
            gradient = torch.where(self.found_inf > 0, 0.0, gradient)
            going = going - self.found_inf
        stack.momentum.lerp_(gradient, going * (1 - MOMENTUM))
        ahead = gradient.lerp(stack.momentum, MOMENTUM)
        scale = UPDATE_SIZE * stack.wide**0.5 * group["lr"]
        step = orthogonal(ahead).to(ahead.dtype) * (-scale * going)
        for values, moves in zip(stack.parts, stack.spread(step, dense=True), strict=True):
            torch._foreach_mul_(values, 1 - going * group["lr"] * group["weight_decay"])
            torch._foreach_add_(values, moves)


def wide_shape(matrix: Tensor) -> tuple[int, int]:
    """(low, wide): the shape of a matrix's maps, turned so that none is higher than wide."""
    high, wide = matrix.shape
    return (wide, wide) if high == 2 * wide else (min(high, wide), max(high, wide))


def orthogonal(stack: Tensor) -> Tensor:
    """The nearest (semi-)orthogonal matrix to each of (n, a, b), roughly: five Newton-Schulz steps in bfloat16.

    On a CPU in the type it came in, so that results do not depend on how the processor rounds.
    """
    x = stack.to(torch.bfloat16) if stack.is_cuda else stack
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) * 1.02 + 1e-7)
    first, third, fifth = QUINTIC
    for _ in range(ITERATIONS):
        square = x @ x.mT
        polynomial = torch.baddbmm(square, square, square, beta=third, alpha=fifth)
        x = torch.baddbmm(x, polynomial, x, beta=first)
    result: Tensor = x.mT if tall else x
    return result
