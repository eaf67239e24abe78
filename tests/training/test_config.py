"""What is trained with: presets, automatic sizes, and what the user wrote."""

from __future__ import annotations

import pytest

from hedline.errors import UserError
from hedline.models.encoders import FeedForwardShape
from hedline.training.config import (
    CPU_PAIRS,
    PAPER,
    RECURRENT_RATE,
    TrainConfig,
    automatic,
    automatic_architecture,
    config_for,
    override,
)
from hedline.training.run import GENTLER, Base


def test_paper_preset_is_the_paper():
    assert (PAPER.optimizer, PAPER.lr, PAPER.batch, PAPER.batch_of) == ("sgd", 0.05, 64, "triples")
    assert PAPER.renormalize and PAPER.schedule == "halve"
    assert not (PAPER.dropout or PAPER.label_smoothing or PAPER.weight_decay or PAPER.ema or PAPER.clip)
    assert automatic_architecture(100, False, "paper") == {"D": 200, "H": 400}


def test_sizes_follow_the_data():
    assert automatic_architecture(100_000, False, "fast") == {"D": 64, "H": 128}
    assert automatic_architecture(2_000, False, "fast") == {"D": 32, "H": 64}
    assert automatic_architecture(2_000_000, True, "fast") == {"D": 200, "H": 400}
    batches = [automatic("fast", pairs, False).batch for pairs in (1, 1000, 4000, 10_000, 100_000, 1_000_000)]
    assert batches == [8, 8, 16, 32, 64, 64]


def test_cpu_training_does_about_the_same_work_at_any_size():
    for pairs in (20_000, 77_141, 100_000, 250_000):
        config = automatic("best", pairs, False)
        assert config.epochs == CPU_PAIRS // pairs
        assert (config.batch, config.lr) == (64, 0.016)
    assert automatic("best", 1_000_000, False).epochs == 1 and automatic("best", 10, False).epochs == 30
    assert automatic("best", 100_000, True).lr == TrainConfig.lr  # big batches of a GPU keep their rate


def test_high_rates_are_for_new_feed_forward_models_alone():
    rates = {decoder: config_for("best", decoder, {}, 100_000, False)[0].lr for decoder in ("nnlm", "rnn", "lstm")}
    assert rates == {"nnlm": 0.016, "rnn": RECURRENT_RATE, "lstm": RECURRENT_RATE}
    assert config_for("best", "lstm", {"lr": "0.01"}, 100_000, False)[0].lr == 0.01
    assert config_for("paper", "rnn", {}, 100_000, False)[0].lr == PAPER.lr
    assert Base._gentler(automatic("best", 100_000, False)).lr == GENTLER * TrainConfig.lr


def test_best_switches_the_options_on_and_the_others_do_not(tmp_path):
    from synthetic import write_data

    from hedline.data.dataset import Dataset
    from hedline.training.config import architecture_for
    from hedline.training.options import TrainRequest

    dataset = Dataset.open(write_data(tmp_path, {"train": 3}))

    def shape(preset, **settings):
        return architecture_for(TrainRequest(tmp_path, tmp_path, preset=preset), dataset, settings, 3, False)[1]

    plain = FeedForwardShape().table()
    for preset in ("paper", "fast"):
        assert shape(preset) == plain | {"D": shape(preset)["D"], "H": shape(preset)["H"]}
    assert (shape("best")["keys"], shape("best")["heads"], shape("best")["share_copy"]) == ("taps", 4, True)
    assert shape("best", H="6")["heads"] == 2 and shape("best", keys="word")["keys"] == "word"


def test_override_checks_names_and_kinds():
    assert override(TrainConfig(), {"lr": "0.5", "renormalize": "true"}).lr == 0.5
    with pytest.raises(UserError, match="'patience'"):
        override(TrainConfig(), {"pateince": 3})
    with pytest.raises(UserError, match="renormalize"):
        override(TrainConfig(), {"renormalize": "perhaps"})
