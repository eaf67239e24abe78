"""Several processes, one result: each does its share of every batch, gradients are summed, all weights stay equal.

Started by `torchrun --nproc-per-node N -m hedline train …`; without it everything here does nothing.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


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
        if wanted == "auto":
            wanted = "cuda" if torch.cuda.is_available() else "cpu"
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
