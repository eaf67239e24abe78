"""The compiled kernels against numpy, at every level of the processor, one thread and three, at awkward sizes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hedline.runtime import kernels
from hedline.runtime.kernels import Keys

compiled_only = pytest.mark.skipif(not kernels.available(), reason="the compiled kernels are not built here")


@pytest.fixture(params=[(2, 1), (2, 3), (1, 1), (0, 1)], ids=["vnni", "vnni-threads", "avx2", "plain"])
def mode(request):
    if not kernels.available():
        pytest.skip("the compiled kernels are not built here")
    level, threads = request.param
    kernels.compiled.set_level(level)
    kernels.set_threads(threads)
    yield request.param
    kernels.compiled.set_level(2)
    kernels.set_threads(1)


def int8_matrix(rows: int, columns: int, seed: int = 0):
    generator = np.random.default_rng(seed)
    weight = generator.integers(-127, 128, (rows, columns)).astype(np.int8)
    return weight, (0.5 + generator.random(rows)).astype(np.float32) / 100


def floats(*shape: int, seed: int = 1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (5, 16, 32), (7, 33, 17), (13, 50, 401), (200, 64, 130)])
@pytest.mark.parametrize("extras", [False, True])
def test_linear(mode, n, m, k, extras):
    weight, scale = int8_matrix(m, k)
    x, bias, residual = floats(n, k), floats(m, seed=2), floats(n, m, seed=3)
    expected = x.astype(np.float64) @ (weight * scale[:, None]).T.astype(np.float64)
    if extras:
        expected = np.maximum(expected + bias + residual, 0)
    packed = kernels.pack(weight)
    got = kernels.linear(x, packed, scale, bias if extras else None, residual if extras else None, relu=extras)
    np.testing.assert_allclose(got, expected, atol=2e-4 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("k", [2048, 8192])
def test_no_sum_overflows_at_the_extremes(mode, k):
    """All activations and weights at their largest: the worst case for 32-bit sums."""
    weight = np.full((16, k), 127, np.int8)
    got = kernels.linear(
        np.full((6, k), -3.0, np.float32), kernels.pack(weight), np.ones(16, np.float32), None, None, False
    )
    np.testing.assert_allclose(got, -3.0 * 127 * k, rtol=2e-4)


@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (5, 64, 32), (7, 130, 17), (13, 50, 1501), (200, 64, 130)])
@pytest.mark.parametrize("extras", [False, True])
def test_layers_with_activations_in_a_byte(mode, monkeypatch, n, m, k, extras):
    """Digit by digit the numpy form, which is near the exact product."""
    weight, scale = int8_matrix(m, k)
    x, bias, residual = floats(n, k), floats(m, seed=2) if extras else None, floats(n, m, seed=3) if extras else None
    x[n // 2] = np.abs(x[n // 2])
    got = kernels.Layer(weight, scale, bias)(x, residual, relu=extras)
    plain = without_kernels(monkeypatch, lambda: kernels.Layer(weight, scale, bias)(x, residual, relu=extras))
    np.testing.assert_array_equal(got, plain)
    exact = x.astype(np.float64) @ (weight * scale[:, None]).T.astype(np.float64)
    if extras:
        exact = np.maximum(exact + bias + residual, 0)
    np.testing.assert_allclose(got, exact, atol=0.04 * np.sqrt(k) + 1e-3)


def test_a_row_is_the_same_in_every_batch(mode):
    weight, scale = int8_matrix(70, 96)
    layer, x = kernels.Layer(weight, scale, None), floats(40, 96)
    together = layer(x)
    for row in (0, 17, 39):
        np.testing.assert_array_equal(layer(x[row : row + 1])[0], together[row])


@pytest.mark.parametrize("bias", [-50.0, -4.0, 0.0], ids=["no", "few", "many"])
def test_a_block_whose_feed_forward_layer_leaves_few_activations(mode, bias):
    """One call for a whole encoder layer is the same, bit by bit, as its products, norms and attention one by one."""
    width, inner, heads = 256, 384, 4
    sizes = [(3 * width, width), (width, width), (inner, width), (width, inner)]
    matrices = [int8_matrix(*size, seed=seed) for seed, size in enumerate(sizes)]
    biases = [floats(m, seed=m) + (bias if m == inner else 0) for m, _ in sizes]
    project, output, up, down = (
        kernels.Layer(weight, scale / 10, np.float32(b)) for (weight, scale), b in zip(matrices, biases, strict=True)
    )
    norms = floats(2, 2, width, seed=5)
    x, start, length = floats(70, width), np.array([0, 51]), np.array([51, 19])
    projected = project(kernels.layer_norm(x, *norms[0]))
    own = Keys(np.repeat(length, length), start=np.repeat(start, length))
    mixed, _ = kernels.attend(projected, 0, projected, (width, 2 * width), own, heads, width)
    middle = output(mixed, residual=x)
    expanded = up(kernels.layer_norm(middle, *norms[1]), relu=True)
    share = (kernels.as_bytes(expanded)[0] > 0).mean()
    assert share == 0 if bias == -50 else 0.01 < share < 0.2 if bias else share > 0.4
    block = kernels.compiled.block(tuple(each.handle for each in (project, output, up, down)), norms, width, heads)
    got = x.copy()
    kernels.compiled.encode(block, got, start, length, len(x), len(start))
    np.testing.assert_array_equal(got, down(expanded, residual=middle))


def test_byte_rows_of_zeros_and_infinities(mode):
    weight, scale = int8_matrix(16, 32)
    x = np.zeros((4, 32), np.float32)
    x[1, 4], x[2], x[3] = np.inf, 1, 1e-42
    out = kernels.Layer(weight, scale, None)(x)
    np.testing.assert_array_equal(out[[0, 1]], 0)
    np.testing.assert_allclose(out[2], (weight * scale[:, None]).sum(axis=1), rtol=1e-3, atol=1e-4)
    assert np.isfinite(out[3]).all()


def test_rows_of_zeros_and_infinities(mode):
    weight, scale = int8_matrix(16, 32)
    x = np.zeros((3, 32), np.float32)
    x[1, 4] = np.inf
    x[2] = 1
    out = kernels.linear(x, kernels.pack(weight), scale, None, None, False)
    np.testing.assert_array_equal(out[0], 0)
    np.testing.assert_allclose(out[2], (weight * scale[:, None]).sum(axis=1), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("n", "k", "count"), [(1, 1, 1), (5, 400, 37), (11, 17, 8), (4, 24, 101), (12, 64, 6)])
def test_chosen_rows(mode, n, k, count):
    weight, scale = int8_matrix(120, k)
    bias, x = floats(120), floats(n, k)
    index = np.random.default_rng(4).integers(0, 120, count).astype(np.int32)
    out = np.full((n, count + 3), 7.0, np.float32)
    kernels.chosen(x, weight, scale, bias, index, out)
    expected = x @ (weight * scale[:, None])[index].T + bias[index]
    np.testing.assert_allclose(out[:, :count], expected, atol=2e-4 * max(1, np.abs(expected).max()))
    np.testing.assert_array_equal(out[:, count:], 7.0)


@pytest.mark.parametrize(("n", "k", "count"), [(1, 33, 5), (5, 400, 41), (6, 31, 4), (13, 64, 39)])
def test_chosen_rows_are_the_same_numbers_on_every_machine(mode, n, k, count):
    weight, scale = int8_matrix(120, k)
    x, index = floats(n, k), np.random.default_rng(4).integers(0, 120, count).astype(np.int32)
    here, plain = np.empty((n, count), np.float32), np.empty((n, count), np.float32)
    kernels.chosen(x, weight, scale, None, index, here)
    kernels.compiled.set_level(0)
    kernels.chosen(x, weight, scale, None, index, plain)
    np.testing.assert_array_equal(here, plain)


def test_chosen_all_rows(mode):
    weight, scale = int8_matrix(33, 48)
    x, out = floats(3, 48), np.empty((3, 33), np.float32)
    kernels.chosen(x, weight, scale, None, None, out)
    np.testing.assert_allclose(out, x @ (weight * scale[:, None]).T, atol=1e-3)


@compiled_only
def test_wrong_sizes_are_errors_not_crashes():
    weight, scale = int8_matrix(8, 16)
    out = np.empty((2, 4), np.float32)
    index = np.array([0, 8], np.int32)
    with pytest.raises(IndexError):
        kernels.chosen(floats(2, 16), weight, scale, None, index, out)
    with pytest.raises(ValueError, match="items"):
        kernels.chosen(floats(2, 17), weight, scale, None, None, np.empty((2, 8), np.float32))
    with pytest.raises(ValueError, match="items"):
        kernels.compiled.linear(floats(2, 16), kernels.pack(weight), scale, None, None, out, 2, 8, 16, False)
    keys = Keys(np.array([3, 9]), start=np.array([0, 0]))
    with pytest.raises(IndexError):
        kernels.attend(floats(2, 8), 0, floats(8, 16), (0, 8), keys, 2, 8)


@compiled_only
def test_absurd_sizes_are_refused():
    """Sizes whose product overflows, sizes below 1, strides that run backwards, items without a size."""
    weight, scale = int8_matrix(8, 16)
    layer, x, out = kernels.Layer(weight, scale, None).handle, floats(2, 16), np.empty((2, 8), np.float32)
    huge = 1 << 62
    for sizes in ((huge, 4), (-1, 16), (0, 16), (1 << 33, 1 << 33)):
        with pytest.raises(ValueError, match="kernel"):
            kernels.compiled.layer(weight, scale, None, *sizes)
        with pytest.raises(ValueError, match="kernel"):
            kernels.compiled.log_softmax(out, *sizes)
        with pytest.raises(ValueError, match="kernel"):
            kernels.compiled.chosen(x, weight, scale, None, None, out, sizes[0], sizes[1], 8, 8, 8)
    with pytest.raises(ValueError, match="kernel"):
        kernels.compiled.apply(layer, x, None, out, huge, False)
    with pytest.raises(ValueError, match="contiguous"):
        kernels.compiled.apply(layer, x[::-1], None, out, 2, False)
    with pytest.raises(ValueError, match="kernel"):
        kernels.compiled.apply(layer, np.zeros(4, "V0"), None, out, 2, False)
    with pytest.raises(ValueError, match="PyCapsule"):
        kernels.compiled.encode(layer, x, np.zeros(1, np.int64), np.ones(1, np.int64), 2, 1)


def test_log_softmax(mode):
    scores = floats(5, 1003) * 10
    scores[2, 500:] = -np.inf
    scores[3, 7] = 200
    exact = scores.astype(np.float64)
    top = exact.max(axis=1, keepdims=True)
    expected = exact - top - np.log(np.exp(exact - top).sum(axis=1, keepdims=True))
    got = kernels.log_softmax(scores.copy())
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(got), finite)
    np.testing.assert_allclose(got[finite], expected[finite], atol=1e-4, rtol=1e-6)


def without_kernels(monkeypatch, function, *arguments):
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "compiled", None)
        return function(*arguments)


def test_layer_norm(mode, monkeypatch):
    arguments = (floats(6, 37) * 3 + 1, floats(37, seed=5), floats(37, seed=6))
    expected = without_kernels(monkeypatch, kernels.layer_norm, *arguments)
    np.testing.assert_allclose(kernels.layer_norm(*arguments), expected, atol=1e-5)


@pytest.mark.parametrize(("rows", "count"), [(4, 1030), (5, 64), (12, 45), (1, 7)])
def test_mix(mode, monkeypatch, rows, count):
    mixture, extra, logits = floats(rows, 9), floats(9, count, seed=7), floats(rows, count + 10, seed=8)
    expected, got = logits.copy(), logits.copy()
    without_kernels(monkeypatch, kernels.mix, expected, mixture, extra)
    kernels.mix(got, mixture, extra)
    np.testing.assert_allclose(got, expected, atol=1e-4)
    np.testing.assert_array_equal(got[:, count:], logits[:, count:])


def test_a_mixture_is_the_same_with_other_rows_and_alone(mode):
    mixture, extra = floats(7, 9), floats(9, 45, seed=7)
    together = floats(7, 45, seed=8)
    alone = together.copy()
    kernels.mix(together, mixture, extra)
    for row in range(7):
        kernels.mix(alone[row : row + 1], mixture[row : row + 1], extra)
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("depth", [4, 20, 64])
def test_attention(mode, monkeypatch, indexed, depth):
    generator = np.random.default_rng(8)
    heads, rows, width = 3, 9, 3 * depth
    queries, table = floats(rows, 2 * width + 1), floats(40, 2 * width + 5, seed=9)
    length = generator.integers(1, 11, rows)
    if indexed:
        keys = Keys(length, index=generator.integers(0, 40, (rows, 12)).astype(np.int32))
    else:
        keys = Keys(length, start=generator.integers(0, 30, rows))
    arguments = (queries, 1, table, (3, width + 4), keys, heads, width)
    expected = without_kernels(monkeypatch, kernels.attend, *arguments)
    got = kernels.attend(*arguments)
    np.testing.assert_allclose(got[0], expected[0], atol=1e-5)
    np.testing.assert_allclose(got[1], expected[1], atol=1e-6)
    np.testing.assert_allclose(got[1].sum(axis=1), 1, atol=1e-5)


@compiled_only
def test_threads_survive_a_fork():
    """A child made by fork has no pool; it must compute alone instead of waiting for ever."""
    program = """
import os, numpy as np
from hedline.runtime import kernels
kernels.set_threads(2)
weight = np.ones((512, 512), np.int8)
ones = np.ones(512, np.float32)
def work():
    return kernels.linear(np.ones((8, 512), np.float32), kernels.pack(weight), ones, None, None, False)
work()
child = os.fork()
if child == 0:
    work(); kernels.set_threads(2); work(); os._exit(0)
assert os.waitpid(child, 0)[1] == 0
work()
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)


def test_switched_off_by_the_environment():
    program = "from hedline.runtime import kernels; print(kernels.available(), kernels.set_threads(4))"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"HEDLINE_KERNELS": "0"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "1"]


def test_building_without_a_compiler_is_no_error(tmp_path):
    """`pip install` on a machine whose compiler fails: the package is built, only the kernels are missing."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "setup.py").is_file():
        pytest.skip("not a source checkout")
    pytest.importorskip("setuptools", minversion="77", reason="pyproject.toml needs a newer one")
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(tmp_path / "lib")]
    environment = os.environ | {"CC": "/bin/false", "CFLAGS": "", "LDSHARED": "/bin/false"}
    done = subprocess.run(
        [*command, "--build-temp", str(tmp_path / "temp")], cwd=root, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*.so"))
