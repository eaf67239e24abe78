"""The wide softmax, where nine tenths of the training time go: cross-entropy of a linear layer, fused.

Loss, gradient of the logits and the two matrix products that use it are computed chunk by chunk in the forward pass, so
float32 logits of the whole batch never exist and each logit is read from memory only twice. The bias rides along as one
more input column that is always 1, so its gradient is free. On a GPU both dimensions are padded to what the tensor
cores like; the padded words have a bias of -30,000 and so no probability. When a compiler or a kernel fails, the slower
twin takes over and a line says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
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


PADDED_BIAS = -30000.0
CUDA_LOGIT_BYTES = 6 << 30
CPU_LOGIT_BYTES = 30 << 20  # from 32 MB on, glibc asks the system for new pages at every chunk
Kernel = Callable[[Tensor, Tensor, float, int], tuple[Tensor, Tensor]]


def loss_and_gradient(logits: Tensor, targets: Tensor, smoothing: float, words: int) -> tuple[Tensor, Tensor]:
    """Loss (t,) and gradient (t, padded words) of one chunk, written to be compiled into one kernel.

    logits: (t, padded words) any float type; targets: (t,); smoothing: share of the probability spread evenly over
    the `words` real words. Arithmetic in float32 (float64 stays float64).
    """
    x = logits if logits.dtype == torch.float64 else logits.float()
    columns = torch.arange(x.shape[1], device=x.device)
    normalizer = torch.logsumexp(x, dim=1, keepdim=True)
    hit = columns[None, :] == targets[:, None]
    loss = (normalizer - x.gather(1, targets[:, None])).squeeze(1)
    gradient = torch.exp(x - normalizer) - hit * (1 - smoothing)
    if smoothing:
        real = columns < words
        mean = torch.where(real[None, :], x, 0).sum(dim=1) / words
        loss = (1 - smoothing) * loss + smoothing * (normalizer.squeeze(1) - mean)
        gradient = gradient - real[None, :] * (smoothing / words)
    return loss, gradient.to(logits.dtype)


def loss_and_gradient_in_place(logits: Tensor, targets: Tensor, smoothing: float, words: int) -> tuple[Tensor, Tensor]:
    """The same, for eager execution: float32 or float64 logits are overwritten by their gradient."""
    x = logits if logits.dtype in (torch.float32, torch.float64) else logits.float()
    highest = x.amax(dim=1, keepdim=True)
    picked = x.gather(1, targets[:, None])
    mean = x[:, :words].mean(dim=1) if smoothing else None
    gradient = x.sub_(highest).exp_()
    total = gradient.sum(dim=1, keepdim=True)
    gradient.div_(total)
    normalizer = highest + total.log()
    loss = (normalizer - picked).squeeze(1)
    if mean is not None:
        loss = (1 - smoothing) * loss + smoothing * (normalizer.squeeze(1) - mean)
    gradient.scatter_add_(1, targets[:, None], torch.full_like(normalizer, smoothing - 1))
    if smoothing:
        gradient[:, :words] -= smoothing / words
    return loss, gradient.to(logits.dtype)


def loss_only(logits: Tensor, targets: Tensor, smoothing: float, words: int) -> tuple[Tensor, Tensor]:
    """The losses (t,) when nobody asks for gradients; the second part is not one."""
    x = logits if logits.dtype in (torch.float32, torch.float64) else logits.float()
    losses = F.cross_entropy(x[:, :words], targets, reduction="none", label_smoothing=smoothing)
    return losses, logits


class _LinearCrossEntropy(torch.autograd.Function):
    """Sum of cross-entropies; the gradients are made in the forward pass and only scaled in the backward."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        targets: Tensor,
        smoothing: float,
        kernel: Kernel,
        importance: Tensor | None,
    ) -> Tensor:
        words, width = weight.shape
        table = pack_table(weight, bias, x.dtype)
        rows = pack_rows(x, table.shape[1])
        weighted = rows if importance is None else rows * importance[:, None].to(rows.dtype)
        wants = any(ctx.needs_input_grad[:3])
        row_gradient = torch.empty_like(rows) if wants else None
        table_gradient: Tensor | None = None
        total = torch.zeros((), device=x.device, dtype=_sum_type(x.dtype))
        for part in chunks(len(rows), table):
            losses, gradient = kernel(rows[part] @ table.t(), targets[part], smoothing, words)
            total += (losses if importance is None else losses * importance[part]).sum(dtype=total.dtype)
            if row_gradient is None:
                continue
            torch.mm(gradient, table, out=row_gradient[part])
            if importance is not None:
                row_gradient[part] *= importance[part, None]
            if table_gradient is not None and gradient.dtype == total.dtype:
                table_gradient.addmm_(gradient.t(), weighted[part])
                continue
            product = gradient.t() @ weighted[part]
            table_gradient = product if table_gradient is None else table_gradient.to(total.dtype).add_(product)
        if wants:
            ctx.save_for_backward(row_gradient, table_gradient)
            ctx.sizes, ctx.types = (words, width), (x.dtype, weight.dtype)
        return total

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        row_gradient, table_gradient = ctx.saved_tensors
        (words, width), (row_type, table_type) = ctx.sizes, ctx.types
        scale = outer[0]
        rows = (row_gradient[:, :width] * scale).to(row_type)
        if table_gradient is None:  # a batch without words
            return rows, None, None, None, None, None, None
        # New tensors in one pass: contiguous, as the optimiser's kernels like them, and apart from what autograd keeps.
        # A scale of one dimension, not none, so that a half-precision gradient is widened before it is scaled.
        wide = scale.to(table_type).reshape(1)
        table, bias = table_gradient[:words, :width] * wide, table_gradient[:words, width] * wide
        return rows, table, bias, None, None, None, None


def linear_cross_entropy(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    targets: Tensor,
    smoothing: float = 0.0,
    kernel: Kernel | None = None,
    importance: Tensor | None = None,
) -> Tensor:
    """Sum over tokens of -log softmax(x·weightᵀ + bias)[target], a scalar with gradients for x, weight and bias.

    x: (T, K); weight: (V, K); bias: (V,); targets: (T,). Under autocast the products run in its type.
    smoothing: label smoothing; leave it at 0 to measure. kernel: how a chunk is done; chosen by device when None.
    importance: (T,) a factor for each token's term, of either sign; it gets no gradient.
    """
    device = x.device.type
    if torch.is_autocast_enabled(device):
        x = x.to(torch.get_autocast_dtype(device))
    chosen = kernel or _kernel_for(x, weight, bias)
    total: Tensor = _LinearCrossEntropy.apply(  # type: ignore[no-untyped-call]
        x, weight, bias, targets, smoothing, chosen, importance
    )
    return total


def _kernel_for(*tensors: Tensor) -> Kernel:
    """Triton's or the compiled on a GPU, in place on a CPU; the losses alone when no gradient is wanted."""
    if not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)):
        return loss_only
    if tensors[0].is_cuda:
        return _cuda_kernel(tensors[0].dtype)
    return loss_and_gradient_in_place


def _cuda_kernel(dtype: torch.dtype) -> Kernel:
    """The quickest there is: Triton's, else compiled, else (HEDLINE_COMPILE=0) in place."""
    quick = compiled(loss_and_gradient, loss_and_gradient_in_place)
    if quick is loss_and_gradient_in_place or dtype == torch.float64:
        return quick
    try:
        from hedline.models.row_kernel import loss_and_gradient_of_rows
    except Exception:  # no Triton here, or one that does not start
        return quick
    return guarded(loss_and_gradient_of_rows, quick)


def plain_cross_entropy(x: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
    """The same sum as torch writes it, all logits at once: the yardstick of the tests and the benchmark."""
    logits = F.linear(x, weight.to(x.dtype), bias.to(x.dtype))
    wide = logits if logits.dtype == torch.float64 else logits.float()
    return F.cross_entropy(wide, targets, reduction="sum", label_smoothing=smoothing)


def pack_table(weight: Tensor, bias: Tensor, dtype: torch.dtype) -> Tensor:
    """(V, K) and (V,) to one table (V', K') in `dtype`: the bias is column K, the padding has no probability."""
    words, width = weight.shape
    # On a CPU an odd width costs the product of the table's gradient a third of its speed.
    high, wide = (_up(words, 64), _up(width + 1, 16)) if weight.is_cuda else (words, _up(width + 1, 8))
    table = torch.empty(high, wide, dtype=dtype, device=weight.device)
    table[:words, :width] = weight
    table[words:, :width] = 0
    table[:, width:] = 0
    table[:words, width] = bias
    table[words:, width] = PADDED_BIAS
    return table


def pack_rows(x: Tensor, wide: int) -> Tensor:
    """(T, K) to (T, K'): a column of ones for the bias, then zeros."""
    rows = x.new_zeros(x.shape[0], wide)
    rows[:, : x.shape[1]] = x
    rows[:, x.shape[1]] = 1
    return rows


def chunks(rows: int, table: Tensor) -> list[slice]:
    """Even parts of the tokens whose logits fit the memory set aside for them."""
    limit = CUDA_LOGIT_BYTES if table.is_cuda else CPU_LOGIT_BYTES
    most = max(64, limit // (table.shape[0] * table.element_size()))
    parts = max(1, -(-rows // most))
    size = -(-rows // parts)
    return [slice(first, min(first + size, rows)) for first in range(0, rows, max(size, 1))]


def _sum_type(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
