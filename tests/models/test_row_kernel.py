"""The Triton kernel of the wide softmax, run by Triton's interpreter: no GPU needed, but Triton is."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest
import torch

from hedline.models import softmax
from hedline.models import softmax as compiled

PROGRAM = """
import torch
from hedline.models import row_kernel
from hedline.models.softmax import PADDED_BIAS, linear_cross_entropy, loss_and_gradient, plain_cross_entropy

row_kernel.BLOCK = 64
kernel = row_kernel.loss_and_gradient_of_rows
torch.manual_seed(2)
for smoothing in (0.0, 0.1):
    for words, padded in ((185, 192), (64, 64), (130, 130), (3, 64)):
        logits = 3 * torch.randn(5, padded)
        logits[:, words:] = PADDED_BIAS
        targets = torch.randint(words, (5,))
        expected = loss_and_gradient(logits.clone(), targets, smoothing, words)
        loss, gradient = kernel(logits.clone(), targets, smoothing, words)
        torch.testing.assert_close(loss, expected[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(gradient, expected[1], atol=1e-6, rtol=1e-4)
        assert not gradient[:, words:].any()
    x, weight, bias = (torch.randn(*shape, requires_grad=True) for shape in ((21, 7), (150, 7), (150,)))
    targets = torch.randint(150, (21,))
    ours = linear_cross_entropy(x, weight, bias, targets, smoothing, kernel)
    plain = plain_cross_entropy(x, weight, bias, targets, smoothing)
    torch.testing.assert_close(ours, plain)
    mine, theirs = (torch.autograd.grad(loss, (x, weight, bias)) for loss in (ours, plain))
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
assert kernel(torch.randn(0, 64), torch.zeros(0, dtype=torch.long), 0.0, 64)[0].shape == (0,)
print("equal")
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_equals_plain_cross_entropy_when_interpreted():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "equal", done.stderr[-2000:]


def test_a_kernel_that_fails_once_is_left_for_good(monkeypatch, capsys):
    monkeypatch.setattr(compiled, "_CACHE", {})
    calls = []

    def broken(*arguments):
        calls.append(arguments)
        raise RuntimeError("no such instruction")

    kernel = compiled.guarded(broken, softmax.loss_and_gradient)
    logits, targets = torch.randn(3, 5), torch.tensor([0, 1, 2])
    for _ in range(2):
        loss, _ = kernel(logits, targets, 0.1, 5)
        torch.testing.assert_close(loss, softmax.loss_and_gradient(logits, targets, 0.1, 5)[0])
        kernel = compiled.guarded(broken, softmax.loss_and_gradient)
    assert len(calls) == 1
    assert capsys.readouterr().err.count("broken failed") == 1


def test_kernels_of_a_gpu(monkeypatch):
    """Without Triton the compiled one; with HEDLINE_COMPILE=0 neither; double precision never by Triton."""
    monkeypatch.setattr(compiled, "_CACHE", {})
    monkeypatch.setattr(torch, "compile", lambda function: function)
    monkeypatch.setitem(sys.modules, "hedline.models.row_kernel", None)  # the import fails
    quick = compiled.compiled(softmax.loss_and_gradient, softmax.loss_and_gradient_in_place)
    assert softmax._cuda_kernel(torch.bfloat16) is quick
    assert softmax._cuda_kernel(torch.float64) is quick
    monkeypatch.setenv("HEDLINE_COMPILE", "0")
    assert softmax._cuda_kernel(torch.bfloat16) is softmax.loss_and_gradient_in_place
