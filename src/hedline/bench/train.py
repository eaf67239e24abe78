"""Training speed: target words a second of the paper's model, against what the matrix products alone allow here."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 3


@dataclass(frozen=True)
class Size:
    """A workload: the paper's for a GPU, a small one for a CPU. pairs: of made-up data; batch: headlines a step."""

    D: int
    H: int
    inputs: int
    outputs: int
    batch: int
    pairs: int
    steps: int
    square: int


GPU = Size(D=200, H=400, inputs=100_000, outputs=50_000, batch=2048, pairs=131_072, steps=40, square=8192)
CPU = Size(D=64, H=128, inputs=20_000, outputs=10_000, batch=64, pairs=2048, steps=4, square=1024)


def run(data: Path | None = None, limit: int | None = None, threads: int | None = None) -> dict[str, Any]:
    """Measure. data: a prepared data folder (made-up data otherwise); limit: headlines a batch; threads: on a CPU."""
    import torch

    if threads:
        torch.set_num_threads(threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    size = GPU if device.type == "cuda" else CPU
    split, inputs, outputs = _data(data, size, device)
    batch = limit or size.batch
    result: dict[str, Any] = {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "D": size.D,
        "H": size.H,
        "output_words": outputs,
        "batch": batch,
        "peak_tflops": matrix_peak(size.square, device),
    }
    result["softmax"] = softmax_speeds(12 * size.batch, outputs, 2 * size.H, device)
    result["training"] = {
        encoder: training_speed(encoder, split, (inputs, outputs), size, batch)
        for encoder in ("attention", "bow", "conv", "none")
    }
    flops = 6.0 * outputs * 2 * size.H  # three matrix products of the output layer
    result["share_of_peak"] = result["training"]["attention"] * flops / (result["peak_tflops"] * 1e12)
    return result


def render(result: dict[str, Any]) -> str:
    """The numbers as text."""
    lines = [
        f"training on {result['device']} (torch {result['torch']}, {result['threads']} threads), "
        f"D={result['D']} H={result['H']}, {result['output_words']:,} output words, {result['batch']} headlines a step",
        f"  matrix peak measured: {result['peak_tflops']:.2f} TFLOP/s",
        "  output layer alone, target words/s:",
        *(f"    {name:<28}{speed:>14,.0f}" for name, speed in result["softmax"].items()),
        "  whole training step, target words/s:",
        *(f"    {name:<28}{speed:>14,.0f}" for name, speed in result["training"].items()),
        f"  attention: the output layer's products alone are {100 * result['share_of_peak']:.0f} % of the peak",
    ]
    return "\n".join(lines)


def timed(work: Callable[[], Any], device: Any, warm: int = 2) -> float:
    """Seconds of one call: the best of a few, the device waited for."""
    import torch

    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    for _ in range(warm):
        work()
    wait()
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        wait()
        best = min(best, time.perf_counter() - began)
    return best


def matrix_peak(square: int, device: Any) -> float:
    """TFLOP/s of a square product, bfloat16 on a GPU, float32 on a CPU."""
    import torch

    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    a = torch.randn(square, square, device=device, dtype=dtype)
    b = torch.randn(square, square, device=device, dtype=dtype)
    repeats = 20 if device.type == "cuda" else 2

    def work() -> None:
        for _ in range(repeats):
            a @ b

    return 2 * square**3 * repeats / timed(work, device) / 1e12


def softmax_speeds(words: int, outputs: int, width: int, device: Any) -> dict[str, float]:
    """Target words a second of the output layer, forward and backward, done in several ways."""
    import torch

    from hedline.models import softmax

    half = device.type == "cuda"
    x = torch.randn(words, width, device=device, requires_grad=True)
    weight = torch.randn(outputs, width, device=device).mul_(0.05).requires_grad_()
    bias = torch.zeros(outputs, device=device, requires_grad=True)
    targets = torch.randint(outputs, (words,), device=device)

    def step(loss: Callable[..., Any]) -> Callable[[], None]:
        def work() -> None:
            with torch.autocast(device.type, torch.bfloat16, enabled=half):
                loss(x.bfloat16() if half else x, weight, bias, targets).backward()
            x.grad = weight.grad = bias.grad = None

        return work

    ways: dict[str, Callable[..., Any]] = {
        "fused (training uses it)": softmax.linear_cross_entropy,
        "fused, not compiled": lambda x, weight, bias, targets: softmax.linear_cross_entropy(
            x, weight, bias, targets, kernel=softmax.loss_and_gradient_in_place
        ),
        "plain": softmax.plain_cross_entropy,
    }
    if half:
        ways["plain, compiled"] = torch.compile(softmax.plain_cross_entropy)
    found = {name: words / timed(step(way), device) for name, way in ways.items()}
    found["the three products alone"] = words / timed(_products(x, weight, half), device)
    return found


def _products(x: Any, weight: Any, half: bool) -> Callable[[], None]:
    """The bound: logits, gradient of x, gradient of the weights, and nothing else."""
    import torch

    rows = x.detach().bfloat16() if half else x.detach()
    table = weight.detach().bfloat16() if half else weight.detach()
    gradient = torch.empty(len(rows), len(table), device=rows.device, dtype=rows.dtype)

    def work() -> None:
        torch.mm(rows, table.t(), out=gradient)
        gradient @ table
        gradient.t() @ rows

    return work


def training_speed(encoder: str, split: Any, sizes: tuple[int, int], size: Size, batch: int) -> float:
    """Target words a second of whole steps: batches cut on the device, loss, gradients, clipping, AdamW, average."""
    import torch

    from hedline.models.encoders import FeedForwardShape
    from hedline.models.nnlm import FeedForward, Regularization
    from hedline.training.loop import Trainer
    from hedline.training.options import TrainConfig

    torch.manual_seed(0)
    shape = FeedForwardShape(encoder=encoder, D=size.D, H=size.H)
    with split.device:
        model = FeedForward(shape, *sizes, Regularization(0.1))
    trainer = Trainer(model, split, None, TrainConfig(batch=batch))
    model.train()
    plan, placed, _ = trainer._prepare_epoch()
    steps = min(size.steps, plan.steps)
    words = int(plan.tokens[:steps].sum())

    def work() -> None:
        for step in range(steps):
            trainer._step(placed.batch(step), int(plan.tokens[step]), 1e-4)

    return words / timed(work, split.device, warm=1)


def _data(folder: Path | None, size: Size, device: Any) -> tuple[Any, int, int]:
    """A split on the device and the vocabulary sizes."""
    from hedline.training.batches import DeviceSplit

    if folder is not None:
        from hedline.data.dataset import Dataset

        dataset = Dataset.open(folder)
        return DeviceSplit(dataset.split("train"), device), dataset.input_size, dataset.output_size
    return DeviceSplit(_MadeUp(size), device), size.inputs, size.outputs


class _MadeUp:
    """Pairs with the lengths of open-news (lead 28 and headline 12 words on average) and Zipf-like words."""

    def __init__(self, size: Size) -> None:
        random = np.random.default_rng(0)
        self.input_offsets = np.cumsum([0, *random.integers(16, 41, size.pairs)])
        self.output_offsets = np.cumsum([0, *random.integers(7, 18, size.pairs)])
        self.inputs = self._words(random, int(self.input_offsets[-1]), size.inputs)
        self.outputs = self._words(random, int(self.output_offsets[-1]), size.outputs)

    @staticmethod
    def _words(random: np.random.Generator, count: int, vocabulary: int) -> Any:
        return (4 + (vocabulary - 5) ** random.random(count)).astype(np.int32)
