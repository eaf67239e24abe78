"""One optimiser step that never waits for the device: clipping and the NaN guard happen inside the fused kernel."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from hedline.training.config import TrainConfig
from hedline.training.muon import Muon


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
    """The rate at a share `progress` of the training, after so many halvings."""
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
