"""Bootstrap and paired tests."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hedline.errors import UserError
from hedline.metrics import resampling
from hedline.metrics.resampling import (
    Draws,
    approximate_randomization,
    compare,
    interval,
    paired_bootstrap,
    resample_indices,
    resample_means,
)


def drand48(seed: int, count: int, size: int) -> list[int]:
    """Perl's srand(seed) and int(rand(size)), step by step."""
    state, drawn = (seed << 16) + 0x330E, []
    for _ in range(count):
        state = (state * 0x5DEECE66D + 0xB) % 2**48
        drawn.append(int(state / 2**48 * size))
    return drawn


def test_resamples_are_perls():
    assert resample_indices(50, 20).tolist() == [drand48(seed, 50, 50) for seed in range(20)]
    # perl -e 'srand(42); print int(rand(1000)), " " for 1..5'
    assert drand48(42, 5, 1000) == [744, 342, 111, 422, 81]


def test_blocks_do_not_change_the_means():
    values = np.random.default_rng(1).random((700, 2, 3))
    indices = resample_indices(700, 400)
    assert resample_means(values, 400) == pytest.approx(values[indices].mean(axis=1))


def test_interval_takes_the_scripts_ranks():
    means = np.arange(1000.0)[::-1]
    bounds = interval(means, 95)
    assert (bounds.low, bounds.high) == (25.0, 974.0)
    narrow = interval(np.arange(333.0), 90)
    assert (float(narrow.low), float(narrow.high)) == pytest.approx((16.35, 315.35))


def test_a_constant_score_has_an_interval_of_no_width():
    bounds = interval(resample_means(np.full((30, 2), 0.25)))
    assert bounds.low == pytest.approx(0.25)
    assert bounds.high == pytest.approx(0.25)


def test_randomization_agrees_with_trying_every_swap():
    differences = np.array([0.3, -0.1, 0.2, 0.25, 0.05, 0.1, -0.02, 0.15])
    sums = [abs(float(np.dot(signs, differences))) for signs in product((1, -1), repeat=8)]
    exact = np.mean([value >= abs(differences.sum()) - 1e-12 for value in sums])
    found = approximate_randomization(differences[:, None], trials=40_000)
    assert found[0] == pytest.approx(exact, abs=0.005)


def test_equal_systems_do_not_differ():
    scores = np.random.default_rng(2).random((100, 2))
    same = compare(scores, scores.copy(), Draws(trials=200))
    assert same.p_bootstrap.tolist() == same.p_randomization.tolist() == [1.0, 1.0]
    assert same.difference.tolist() == [0.0, 0.0]


def test_noise_is_not_significant_and_a_shift_is():
    random = np.random.default_rng(3)
    base = random.random((300, 1))
    noise = compare(base + random.normal(0, 0.1, (300, 1)), base, Draws(trials=2000))
    shift = compare(base + 0.05 + random.normal(0, 0.1, (300, 1)), base, Draws(trials=2000))
    assert noise.p_bootstrap[0] > 0.05 < noise.p_randomization[0]
    assert shift.p_bootstrap[0] < 0.01 > shift.p_randomization[0]
    assert shift.interval.low[0] > 0


def test_p_values_are_uniform_under_the_null():
    random = np.random.default_rng(4)
    differences = random.normal(0, 1, (60, 400))
    p_values = approximate_randomization(differences, trials=400)
    assert np.mean(p_values < 0.1) == pytest.approx(0.1, abs=0.05)


def test_different_shapes_are_refused():
    with pytest.raises(UserError):
        compare(np.zeros((3, 1)), np.zeros((4, 1)))


def test_the_paired_bootstrap_counts_both_sides():
    """Of resampled means 0.5 ± 0.6 (twice) and 0.5 ± 0.1 the four far ones count, whichever side they lie on."""
    means = np.array([[1.1], [1.1], [-0.1], [-0.1], [0.6], [0.4]])
    differences = np.full((9, 1), 0.5)
    assert paired_bootstrap(differences, means).tolist() == [(4 + 1) / (6 + 1)]
    assert paired_bootstrap(-differences, means).tolist() == [(4 + 1) / (6 + 1)]


def test_no_p_value_is_zero():
    """Even where no draw comes near: the observed difference is one of the draws."""
    differences = np.random.default_rng(5).normal(1.0, 0.01, (50, 2))
    far = compare(differences, np.zeros_like(differences), Draws(resamples=100, trials=400))
    assert far.p_bootstrap.tolist() == [1 / 101] * 2
    assert far.p_randomization.tolist() == [1 / 401] * 2


def test_counts_are_those_of_the_drawn_indices_with_and_without_the_compiled_part(monkeypatch):
    indices = resample_indices(7, 5, first=3)
    expected = [[row.count(item) for item in range(7)] for row in indices.tolist()]
    assert resampling._draw(7, 5, 3).tolist() == expected
    values = np.random.default_rng(6).random((300, 2))
    before = resample_means(values, 600)
    monkeypatch.setattr(resampling, "compiled", None)
    assert resample_means(values, 600) == pytest.approx(before)
