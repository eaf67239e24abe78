"""Muon (Jordan et al. 2024): momentum whose matrices are made orthogonal, so that every direction learns alike.

For the hidden matrices of a transformer; tables, norms and biases stay with AdamW. Matrices of one shape are stacked
and orthogonalised together: a handful of batched products in place of a thousand small ones.
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


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised. parameters: matrices only.

    A tall matrix that stacks square ones (keys over values) is treated as those squares. `found_inf`: a device scalar
    set before each step; 1 cancels the step without a word from the device.
    """

    def __init__(self, parameters: Sequence[Tensor], lr: float, weight_decay: float) -> None:
        super().__init__(list(parameters), {"lr": lr, "weight_decay": weight_decay})
        self.found_inf: Tensor | None = None
        for value in parameters:
            self.state[value]["momentum"] = torch.zeros_like(value)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One update of every matrix that has a gradient."""
        for group in self.param_groups:
            values = [value for value in group["params"] if value.grad is not None]
            for shape in sorted({tuple(value.shape) for value in values}):
                self._update([value for value in values if tuple(value.shape) == shape], group)

    def _update(self, values: list[Tensor], group: dict[str, float]) -> None:
        """values: matrices of one shape."""
        momenta = [self.state[value]["momentum"] for value in values]
        gradient = torch.stack([value.grad for value in values if value.grad is not None])
        going = torch.ones((), device=gradient.device)
        if self.found_inf is not None:
            gradient = torch.where(self.found_inf > 0, 0.0, gradient)
            going = going - self.found_inf
        momentum = torch.stack(momenta)
        momentum = momentum.lerp(gradient, going * (1 - MOMENTUM))
        torch._foreach_copy_(momenta, list(momentum.unbind(0)))
        ahead = gradient.lerp(momentum, MOMENTUM)
        direction = orthogonal(squares(ahead)).reshape(ahead.shape).to(ahead.dtype)
        scale = UPDATE_SIZE * max(squares(ahead).shape[-2:]) ** 0.5 * group["lr"]
        torch._foreach_mul_(values, 1 - going * group["lr"] * group["weight_decay"])
        torch._foreach_add_(values, list((direction * (-scale * going)).unbind(0)))


def squares(stack: Tensor) -> Tensor:
    """(n, 2·m, m) to (2·n, m, m): keys over values are two maps; other shapes stay."""
    count, high, wide = stack.shape
    return stack.view(count * 2, wide, wide) if high == 2 * wide else stack


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
        x = first * x + (third * square + fifth * (square @ square)) @ x
    result: Tensor = x.mT if tall else x
    return result
