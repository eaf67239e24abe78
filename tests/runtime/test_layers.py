"""The numpy layers against their definitions, float32 and int8, and that every family is opened by its own scorer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedline.runtime import kernels
from hedline.runtime.layers import Linear, OutputLayer, Table, groups, pad, sigmoid, softmax, uniform_attention
from hedline.runtime.tensors import TensorFile, write_tensors

DICE = np.random.default_rng(5)


def test_softmax_and_sigmoid_do_not_overflow() -> None:
    scores = np.array([[1000.0, 1000.0, -np.inf], [-1000.0, 0.0, 1.0]], np.float32)
    exact = np.exp(scores.astype(np.float64) - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(softmax(scores), exact / exact.sum(axis=1, keepdims=True), atol=1e-6)
    x = np.array([-1e4, -3.0, 0.0, 3.0, 1e4], np.float32)
    np.testing.assert_allclose(sigmoid(x), 1 / (1 + np.exp(-np.clip(x, -50, 50).astype(np.float64))), atol=1e-6)


def test_padding_and_groups() -> None:
    ids, mask = pad([np.array([4, 5, 6]), np.array([], np.int64), np.array([7])])
    np.testing.assert_array_equal(ids, [[4, 5, 6], [0, 0, 0], [7, 0, 0]])
    np.testing.assert_array_equal(mask, [[1, 1, 1], [1, 0, 0], [1, 0, 0]])  # an empty input is one <pad>
    np.testing.assert_allclose(uniform_attention(mask).sum(axis=1), 1.0)
    for owners in ([0, 0, 1, 3], [1, 0, 1], [2, 2], []):
        found = {owner: np.arange(len(owners))[rows].tolist() for owner, rows in groups(np.array(owners, np.int64))}
        assert found == {owner: [i for i, each in enumerate(owners) if each == owner] for owner in set(owners)}


@pytest.fixture
def tensors(tmp_path: Path) -> TensorFile:
    """A layer in float32 and the same in int8."""
    weight = DICE.integers(-127, 128, (6, 8)).astype(np.int8)
    scale = DICE.uniform(0.01, 0.1, 6).astype(np.float32)
    values = {"int.weight": weight, "int.weight.scale": scale, "int.bias": np.ones(6, np.float32)}
    values |= {"float.weight": weight * scale[:, None], "float.bias": np.ones(6, np.float32)}
    write_tensors(tmp_path / "x.safetensors", values)
    return TensorFile(tmp_path / "x.safetensors")


@pytest.mark.parametrize("compiled", [True, False])
def test_linear_layers_and_tables(tensors: TensorFile, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiled and not kernels.available():
        pytest.skip("no compiled kernels here")
    if not compiled:
        monkeypatch.setattr(kernels, "available", lambda: False)
    x = DICE.normal(size=(3, 8)).astype(np.float32)
    weight = np.asarray(tensors["float.weight"], np.float64)
    wanted = np.maximum(x @ weight.T + 1 + x[:, :6], 0)
    for name in ("int", "float"):
        layer, table = Linear(tensors, name), Table(tensors, f"{name}.weight")
        np.testing.assert_allclose(layer(x, residual=x[:, :6].copy(), relu=True), wanted, rtol=1e-3, atol=1e-2)
        np.testing.assert_allclose(table.rows(np.array([5, 0])), weight[[5, 0]], rtol=1e-6)
        out = np.zeros((3, 2), np.float32)
        table.choose(np.array([4, 1])).product(x, out)
        np.testing.assert_allclose(out, x @ weight[[4, 1]].T, rtol=1e-3, atol=1e-2)
        stacked = Linear(tensors, name, name)(x)
        np.testing.assert_allclose(stacked[:, :6], stacked[:, 6:], rtol=1e-5)


def test_the_output_layer_scores_each_inputs_candidates(tensors: TensorFile) -> None:
    bias = DICE.normal(size=6).astype(np.float32)
    hidden, owners = DICE.normal(size=(3, 8)).astype(np.float32), np.array([0, 0, 1])
    candidates = [np.array([0, 2, 5]), np.array([1, 4])]
    opened = OutputLayer(Table(tensors, "float.weight"), bias).open(candidates, 2)
    found = opened.log_probs(hidden, groups(owners))
    weight = np.asarray(tensors["float.weight"], np.float64)
    for row, owner in enumerate(owners):
        ids = candidates[owner]
        logits = weight[ids] @ hidden[row] + bias[ids]
        wanted = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
        np.testing.assert_allclose(found[row, : len(ids)], wanted, atol=1e-4)
        assert (found[row, len(ids) :] == -np.inf).all()


@pytest.mark.parametrize(("inputs", "outputs"), [(256, 512), (96, 384), (30, 7)])
def test_rows_of_float_products_do_not_depend_on_their_number(inputs: int, outputs: int) -> None:
    weight, x = (DICE.normal(size=size).astype(np.float32) for size in ((outputs, inputs), (40, inputs)))
    layer = Linear.of(weight, None)
    whole = layer(x)
    np.testing.assert_allclose(whole, x.astype(np.float64) @ weight.T, atol=1e-3)
    for count in (1, 2, 3, 5, 8, 9, 17):
        assert np.array_equal(layer(x[:count]), whole[:count])
        assert np.array_equal(layer(x[40 - count :]), whole[40 - count :])
