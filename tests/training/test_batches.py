"""Epoch plans (every pair once, sizes as asked, the same for the same seed) and the batches they cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import write_data

from hedline.data.dataset import Dataset
from hedline.training.batches import DeviceSplit, plan_epoch, share

LENGTHS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(LENGTHS, st.integers(1, 40), st.sampled_from(["headlines", "triples", "tokens"]), st.integers(0, 5))
def test_every_word_once_and_widths_fit(lengths, size, unit, epoch):
    inputs, outputs = (np.array(column) for column in zip(*lengths, strict=True))
    plan = plan_epoch(inputs, outputs, size, unit, seed=1, epoch=epoch, pool=3)
    assert plan.bounds[0] == 0 and plan.bounds[-1] == len(plan.pairs) and (np.diff(plan.bounds) > 0).all()
    assert plan.tokens.sum() == outputs.sum()
    if unit == "triples":
        words = sorted(zip(plan.pairs.tolist(), plan.positions.tolist(), strict=True))
        assert words == [(pair, place) for pair, count in enumerate(outputs) for place in range(count)]
    else:
        assert sorted(plan.pairs.tolist()) == list(range(len(inputs)))
    for step in range(plan.steps):
        chosen = plan.pairs[plan.bounds[step] : plan.bounds[step + 1]]
        assert plan.widths[step] == max(1, inputs[chosen].max()) and plan.heights[step] == outputs[chosen].max()


@settings(max_examples=60, deadline=None)
@given(LENGTHS, st.integers(1, 20), st.sampled_from(["headlines", "triples"]), st.integers(2, 4))
def test_shares_add_up(lengths, size, unit, world):
    inputs, outputs = (np.array(column) for column in zip(*lengths, strict=True))
    plan = plan_epoch(inputs, outputs, size, unit, seed=1, epoch=0)
    parts = [share(plan, inputs, outputs, rank, world) for rank in range(world)]
    assert all(part.steps == plan.steps for part in parts)
    assert (sum(part.tokens for part in parts) == plan.tokens).all()


def test_headlines_to_a_batch_and_paper_groups():
    random = np.random.default_rng(0)
    inputs, outputs = random.integers(5, 40, 1000), random.integers(4, 15, 1000)
    plan = plan_epoch(inputs, outputs, 50, "headlines", seed=3, epoch=2)
    assert set(np.diff(plan.bounds)) == {50}
    triples = plan_epoch(inputs, outputs, 64, "triples", seed=3, epoch=2)
    assert np.diff(triples.bounds).max() == 64
    for step in range(triples.steps):  # the paper: grouped by input length
        chosen = triples.pairs[triples.bounds[step] : triples.bounds[step + 1]]
        assert len(set(inputs[chosen])) == 1


def test_tokens_to_a_batch():
    random = np.random.default_rng(0)
    inputs, outputs = random.integers(5, 40, 5000), random.integers(4, 15, 5000)
    plan = plan_epoch(inputs, outputs, 2000, "tokens", seed=3, epoch=2)
    cost = np.add.reduceat((inputs + outputs)[plan.pairs], plan.bounds[:-1])
    assert cost.max() < 2100 and cost.min() > 1900
    padded = (plan.widths + plan.heights) * np.diff(plan.bounds)
    assert padded.sum() < 1.15 * cost.sum()  # sorted by length: little padding


@pytest.mark.parametrize("unit", ["headlines", "triples", "tokens"])
def test_seed_and_epoch_decide(unit):
    random = np.random.default_rng(0)
    inputs, outputs = random.integers(5, 40, 300), random.integers(4, 15, 300)

    def order(seed, epoch):
        return plan_epoch(inputs, outputs, 32, unit, seed, epoch).pairs.tolist()

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_a_few_long_pairs_do_not_widen_a_whole_batch_of_tokens():
    random = np.random.default_rng(5)
    inputs = random.integers(10, 40, 4000)
    inputs[random.choice(4000, 20, replace=False)] = 700
    outputs = random.integers(5, 20, 4000)
    plan = plan_epoch(inputs, outputs, 2000, "tokens", seed=1, epoch=0)
    padded = np.diff(plan.bounds) * (plan.widths + plan.heights)
    assert padded.max() <= 4 * 2000
    assert sorted(plan.pairs.tolist()) == list(range(4000))


@pytest.mark.parametrize("unit", ["headlines", "triples", "tokens"])
def test_pairs_of_one_length_are_shuffled(unit):
    """Sorting by length must not bring pairs of one length back into the order of the file."""
    inputs, outputs = np.full(200, 12), np.full(200, 5)
    size = {"headlines": 20, "triples": 100, "tokens": 340}[unit]
    epochs = []
    for epoch in range(2):
        plan = plan_epoch(inputs, outputs, size, unit, seed=1, epoch=epoch)
        batches = [set(plan.pairs[a:b].tolist()) for a, b in zip(plan.bounds[:-1], plan.bounds[1:], strict=True)]
        assert all(max(batch) - min(batch) > 50 for batch in batches)  # in order a batch would span about 20
        epochs.append({frozenset(batch) for batch in batches})
    assert not epochs[0] & epochs[1]


@pytest.mark.parametrize("unit", ["headlines", "triples"])
def test_batches_hold_the_pairs(tmp_path, unit):
    pairs = Dataset.open(write_data(tmp_path, {"train": 50})).split("train")
    split = DeviceSplit(pairs, "cpu")
    plan = plan_epoch(split.input_lengths, split.output_lengths, 7, unit, seed=1, epoch=0)
    placed = split.place(plan)
    for step in range(plan.steps):
        batch = placed.batch(step)
        chosen = plan.pairs[plan.bounds[step] : plan.bounds[step + 1]]
        assert batch.count == len(batch.token_rows) == len(batch.targets) == plan.tokens[step]
        for row, pair in enumerate(chosen):
            size = int(batch.input_lengths[row])
            assert batch.inputs[row, :size].tolist() == pairs.input(pair).tolist()
            assert not batch.inputs[row, size:].any()
            end = int(batch.output_lengths[row])
            assert batch.outputs[row, :end].tolist() == [*pairs.output(pair).tolist(), 3]
            assert not batch.outputs[row, end:].any()
        if unit == "headlines":
            expected = np.concatenate([[*pairs.output(pair).tolist(), 3] for pair in chosen])
            assert batch.targets.tolist() == expected.tolist()
        assert batch.input_count == (int(batch.input_lengths.sum()) if unit == "headlines" else 0)


def test_an_empty_input_is_not_packed():
    class Pairs:
        inputs = outputs = np.array([5, 6, 7, 8])
        input_offsets, output_offsets = np.array([0, 2, 2, 4]), np.array([0, 1, 3, 4])

    split = DeviceSplit(Pairs(), "cpu")
    for size, expected in ((3, [0]), (1, [0, 2, 2])):
        plan = plan_epoch(split.input_lengths, split.output_lengths, size, "headlines", seed=1, epoch=0)
        assert sorted(split.place(plan).batch(step).input_count for step in range(plan.steps)) == expected
