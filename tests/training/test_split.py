"""Batches cut on the device hold exactly the pairs of the plan."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic import write_data

from hedline.data.dataset import Dataset
from hedline.training.batches import DeviceSplit, plan_epoch


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
