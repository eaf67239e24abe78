"""Quick code with a parachute: when a compiler or a kernel fails, the slower twin takes over and a line says so."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_CACHE: dict[Callable[..., Any], Callable[..., Any]] = {}


def compiled(function: Callable[..., Any], fallback: Callable[..., Any], varying: int = 1) -> Callable[..., Any]:
    """`function` compiled once for all batches; `fallback` where compiling fails or HEDLINE_COMPILE=0.

    varying: how many of the first dimensions of every tensor argument change from batch to batch; tensors inside
    tuples have fixed sizes.
    """
    if os.environ.get("HEDLINE_COMPILE") == "0":
        return fallback
    if function not in _CACHE:
        quick = torch.compile(function)
        _CACHE[function] = _guarded(
            function, lambda *arguments: quick(*_dynamic(arguments, varying)), fallback, "torch.compile"
        )
    return _CACHE[function]


def guarded(function: Callable[..., Any], fallback: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as it is, until it fails for the first time; then `fallback`, for good."""
    if function not in _CACHE:
        _CACHE[function] = _guarded(function, function, fallback, getattr(function, "__name__", "a kernel"))
    return _CACHE[function]


def _guarded(
    key: Callable[..., Any], quick: Callable[..., Any], fallback: Callable[..., Any], name: str
) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        if _CACHE[key] is fallback:
            return fallback(*arguments)
        try:
            return quick(*arguments)
        except torch.cuda.OutOfMemoryError:
            raise
        except Exception as error:  # the compiler has many ways to fail, none of which may stop the training
            print(f"{name} failed ({type(error).__name__}), going on without it", file=sys.stderr, flush=True)
            _CACHE[key] = fallback
            return fallback(*arguments)

    return call


def _dynamic(arguments: tuple[Any, ...], varying: int) -> tuple[Any, ...]:
    """Mark the first dimensions of every tensor as varying, so that one compilation serves all batches."""
    for argument in arguments:
        if isinstance(argument, Tensor):
            for dimension in range(min(varying, argument.dim())):
                torch._dynamo.maybe_mark_dynamic(argument, dimension)  # type: ignore[no-untyped-call]
    return arguments
