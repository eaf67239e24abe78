"""The fused softmax against torch's own cross-entropy and against finite differences."""

from __future__ import annotations

import pytest
import torch

from hedline.models import softmax
from hedline.models.softmax import linear_cross_entropy, plain_cross_entropy

KERNELS = [softmax.loss_and_gradient, softmax.loss_and_gradient_in_place]


def problem(words: int = 13, width: int = 7, vocabulary: int = 29, dtype: torch.dtype = torch.float32):
    torch.manual_seed(3)
    x = torch.randn(words, width, dtype=dtype, requires_grad=True)
    weight = torch.randn(vocabulary, width, dtype=dtype, requires_grad=True)
    bias = torch.randn(vocabulary, dtype=dtype, requires_grad=True)
    return x, weight, bias, torch.randint(vocabulary, (words,))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("chunk_bytes", [1 << 24, 1])
def test_equals_plain_cross_entropy(monkeypatch, kernel, smoothing, chunk_bytes):
    monkeypatch.setattr(softmax, "CPU_LOGIT_BYTES", chunk_bytes)
    x, weight, bias, targets = problem(words=150, dtype=torch.float64)
    ours = linear_cross_entropy(x, weight, bias, targets, smoothing, kernel)
    mine = torch.autograd.grad(ours * 0.37, (x, weight, bias))
    plain = plain_cross_entropy(x, weight, bias, targets, smoothing)
    theirs = torch.autograd.grad(plain * 0.37, (x, weight, bias))
    torch.testing.assert_close(ours, plain)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("kernel", KERNELS)
def test_padded_words_have_no_probability_and_no_gradient(kernel):
    logits = torch.randn(5, 8, dtype=torch.float64)
    padded = torch.cat([logits, torch.full((5, 3), softmax.PADDED_BIAS, dtype=torch.float64)], dim=1)
    targets = torch.arange(5)
    loss, gradient = kernel(logits.clone(), targets, 0.1, 8)
    padded_loss, padded_gradient = kernel(padded, targets, 0.1, 8)
    torch.testing.assert_close(loss, padded_loss)
    torch.testing.assert_close(gradient, padded_gradient[:, :8])
    assert not padded_gradient[:, 8:].any()


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_gradients_by_finite_differences(smoothing):
    torch.manual_seed(1)  # gradcheck draws its directions; near a kink one can miss
    x, weight, bias, targets = problem(dtype=torch.float64)
    assert torch.autograd.gradcheck(
        lambda *free: linear_cross_entropy(*free, targets, smoothing), (x, weight, bias), atol=1e-7
    )


def test_bfloat16_stays_close():
    x, weight, bias, targets = problem(words=64)
    exact = plain_cross_entropy(x, weight, bias, targets)
    with torch.autocast("cpu", torch.bfloat16):
        rough = linear_cross_entropy(x, weight, bias, targets)
    assert (rough - exact).abs().item() < 0.02 * exact.item()
    assert weight.grad is None
    rough.backward()
    assert weight.grad is not None and weight.grad.dtype == torch.float32


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_without_gradients_the_same_loss(smoothing):
    x, weight, bias, targets = problem()
    with_gradients = linear_cross_entropy(x, weight, bias, targets, smoothing)
    with torch.no_grad():
        torch.testing.assert_close(linear_cross_entropy(x, weight, bias, targets, smoothing), with_gradients.detach())


def test_no_words_is_zero():
    x, weight, bias, _ = problem()
    loss = linear_cross_entropy(x[:0], weight, bias, torch.zeros(0, dtype=torch.long))
    loss.backward()
    assert loss.item() == 0.0


def test_compile_failure_falls_back(monkeypatch, capsys):
    from hedline.models import softmax as compiled

    def broken(function):
        def call(*arguments):
            raise RuntimeError("no compiler here")

        return call

    monkeypatch.setattr(torch, "compile", broken)
    monkeypatch.setattr(compiled, "_CACHE", {})
    quick = compiled.compiled(softmax.loss_and_gradient, softmax.loss_and_gradient_in_place)
    logits, targets = torch.randn(3, 5), torch.tensor([0, 1, 2])
    expected = softmax.loss_and_gradient(logits, targets, 0.0, 5)
    for _ in range(2):
        loss, gradient = quick(logits.clone(), targets, 0.0, 5)
        torch.testing.assert_close(loss, expected[0])
        torch.testing.assert_close(gradient, expected[1])
    assert capsys.readouterr().err.count("torch.compile failed") == 1
