"""One optimiser step that never waits for the device: clipping and the NaN guard happen inside the fused kernel.

Muon (Jordan et al. 2024) is momentum whose matrices are made orthogonal, so that every direction learns alike. It is
for the hidden matrices of a transformer; tables, norms and biases stay with AdamW. Matrices that can be turned and cut
to one shape are stacked and orthogonalised together: two stacks of batched products for a whole transformer in place of
a thousand small ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from hedline.training.options import TrainConfig

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


class GuardedOptimizer:
    """AdamW, SGD or Muon; a step with a gradient that is not finite changes nothing and is counted in `skipped`.

    The fused kernels of torch take two device scalars: a divisor for the gradients (used for clipping) and a flag
    that cancels the step, so neither needs a pass over the weights nor a word from the device.
    """

    def __init__(self, model: nn.Module, config: TrainConfig) -> None:
        self.parameters = [value for value in model.parameters() if value.requires_grad]
        self.clip = config.clip
        device = self.parameters[0].device
        self.skipped = torch.zeros((), device=device)
        self.norm = torch.zeros((), device=device)
        self.rates: dict[int, float] = {}  # of an optimiser: how many times the common learning rate it takes
        self.inner = self._choose(model, config)

    def _choose(self, model: nn.Module, config: TrainConfig) -> list[torch.optim.Optimizer]:
        """The optimisers that share the parameters."""
        if config.optimizer == "sgd":
            return [torch.optim.SGD(self.parameters, lr=config.lr, fused=True)]
        filters, matrices = named(model, "filters"), named(model, "matrices") if config.optimizer == "muon" else []
        apart = {id(value) for value in (*filters, *matrices)}
        rest = [value for value in self.parameters if id(value) not in apart]
        found = [adamw(rest, config)] if rest else []
        if filters:
            self.rates[len(found)] = config.filter_rate
            found.append(adamw(filters, config))
        if matrices:
            self.rates[len(found)] = config.matrix_rate
            found.append(Muon(matrices, config.lr, config.weight_decay))
        return found

    def step(self, rate: float) -> None:
        """Apply the gradients at a learning rate, then forget them."""
        gradients = [value.grad for value in self.parameters if value.grad is not None]
        self.norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        bad = (~torch.isfinite(self.norm)).to(torch.float32)
        self.skipped += bad
        divisor = torch.ones_like(self.norm)
        if self.clip:
            divisor = torch.where(bad > 0, divisor, (self.norm / self.clip).clamp(min=1.0))
        for number, inner in enumerate(self.inner):
            for group in inner.param_groups:
                group["lr"] = rate * self.rates.get(number, 1.0)
            inner.grad_scale, inner.found_inf = divisor, bad  # type: ignore[attr-defined]
            inner.step()
            inner.zero_grad(set_to_none=True)

    def state_tensors(self) -> dict[str, Tensor]:
        """Moments and counters by `<parameter number>.<name>`."""
        found = {"skipped": self.skipped}
        for number, value in enumerate(self.parameters):
            for name, tensor in self._state(value).items():
                if isinstance(tensor, Tensor):
                    found[f"{number}.{name}"] = tensor
        return found

    def load_state_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Put back what `state_tensors` gave."""
        self.skipped.copy_(tensors["skipped"])
        for key, tensor in tensors.items():
            number, _, name = key.partition(".")
            if not name:
                continue
            value = self.parameters[int(number)]
            state = self._state(value)
            if name in state:  # Muon's momentum is a part of a larger tensor and must stay it
                state[name].copy_(tensor)
            else:
                state[name] = tensor.to(value.device).clone()

    def _state(self, value: Tensor) -> dict[str, Any]:
        """The state of one parameter, in the optimiser that has it."""
        for inner in self.inner:
            if any(value is own for group in inner.param_groups for own in group["params"]):
                state: dict[str, Any] = inner.state[value]
                return state
        raise KeyError("a parameter without an optimiser")


def adamw(parameters: list[nn.Parameter], config: TrainConfig) -> torch.optim.Optimizer:
    """AdamW whose weight decay spares vectors (norms and biases)."""
    groups = [
        {"params": [value for value in parameters if value.dim() > 1], "weight_decay": config.weight_decay},
        {"params": [value for value in parameters if value.dim() <= 1], "weight_decay": 0.0},
    ]
    used = [group for group in groups if group["params"]]
    return torch.optim.AdamW(used, lr=config.lr, betas=(0.9, config.beta2), eps=1e-8, fused=True)


def named(model: nn.Module, kind: str) -> list[nn.Parameter]:
    """What a model names as its `matrices` (inside its layers) or `filters` (of a convolution); none if it does not."""
    find = getattr(model, kind, None)
    return list(find()) if find else []


class Average:
    """Exponential moving average of the weights; taken every few steps, with the decay adjusted to the gap."""

    EVERY, FEW = 4, 64  # each of the first steps is taken, so that a short training is not lost

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.live = [value.data for value in model.parameters()]
        self.shadow = [value.clone() for value in self.live] if decay else []
        self.swapped = False

    def update(self, step: int) -> None:
        """Take the weights after `step` (counted from 1) into the average; early on the average is shorter."""
        gap = self.EVERY if step > self.FEW else 1
        if not self.shadow or step % gap:
            return
        decay = min(self.decay, (1 + step) / (10 + step)) ** gap
        torch._foreach_lerp_(self.shadow, self.live, 1 - decay)

    def swap(self) -> None:
        """Exchange the model's weights with the average (to validate or save), and back."""
        for live, shadow in zip(self.live, self.shadow, strict=False):
            kept = live.clone()
            live.copy_(shadow)
            shadow.copy_(kept)
        self.swapped = not self.swapped

    def state_tensors(self) -> dict[str, Tensor]:
        """The averages by parameter number."""
        return {str(number): value for number, value in enumerate(self.shadow)}

    def load_state_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Put back what `state_tensors` gave."""
        for number, value in enumerate(self.shadow):
            value.copy_(tensors[str(number)])


def renormalize(tables: list[Tensor]) -> None:
    """Scale every row longer than 1 back to length 1."""
    with torch.no_grad():
        for table in tables:
            table.div_(table.norm(dim=1, keepdim=True).clamp(min=1.0))


def learning_rate(config: TrainConfig, progress: float, halvings: int) -> float:
    """The rate at a share `progress` of the training, after this number of halvings."""
    import math

    if config.schedule == "halve":
        return config.lr * 0.5**halvings
    if progress < config.warmup:
        return config.lr * max(progress, 1e-4) / config.warmup
    left = 1 - min(1.0, (progress - config.warmup) / max(1e-9, 1 - config.warmup))
    if config.schedule == "linear":
        return config.lr * left
    return config.lr * 0.5 * (1 - math.cos(math.pi * left))


def describe(optimizer: GuardedOptimizer) -> dict[str, Any]:
    """Numbers for the log; waits for the device."""
    return {"gradient_norm": float(optimizer.norm), "skipped": int(optimizer.skipped)}
