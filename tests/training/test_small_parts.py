"""Curves, collapse, automatic settings, perplexity arithmetic."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

from hedline.errors import UserError
from hedline.models.batch import Batch
from hedline.models.encoders import FeedForwardShape
from hedline.models.nnlm import FeedForward, start_at_frequencies
from hedline.plot import learning_curves
from hedline.training.batches import DeviceSplit
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
from hedline.training.folder_writer import collapse_warning, greedy
from hedline.training.optimizer import Average, GuardedOptimizer
from hedline.training.perplexity import exp, measure_perplexity, unknown_only
from hedline.training.run import GENTLER, Base


def test_curves_are_svg_with_a_point_an_epoch():
    history = [{"epoch": n + 1, "train": 100 / (n + 1), "valid": 90 / (n + 1), "valid_known": None} for n in range(4)]
    root = ElementTree.fromstring(learning_curves(history, "a <b> & c"))
    lines = [node for node in root.iter() if node.tag.endswith("polyline")]
    assert [len(line.get("points").split()) for line in lines] == [4, 4, 0]


def test_curves_of_nothing_and_of_infinity():
    ElementTree.fromstring(learning_curves([], "x"))
    ElementTree.fromstring(learning_curves([{"epoch": 1, "train": math.inf, "valid": None}], "x"))


def test_collapse():
    assert collapse_warning([[4, 5]] * 20) is not None
    assert "empty" in collapse_warning([[]] * 20)
    assert collapse_warning([[number, 5] for number in range(20)]) is None
    assert collapse_warning([[4]] * 3) is None


def test_greedy_takes_the_likeliest_and_stops_at_the_end():
    torch.manual_seed(0)
    model = FeedForward(FeedForwardShape(D=3, H=4, C=2), 9, 9)
    inputs, lengths = torch.tensor([[4, 5, 6], [7, 8, 0]]), torch.tensor([3, 2])
    found = greedy(model, inputs, lengths, most=4)
    for row, headline in enumerate(found):
        words = []
        for _ in range(4):
            batch = Batch.from_lists([inputs[row, : lengths[row]].tolist()], [[*words, 4]])
            states, _ = model.states(model.read(batch.inputs, batch.input_lengths), batch.outputs)
            scores = model.output(states)[0, len(words)].detach()
            scores[[0, 1, 2]] = -math.inf
            word = int(scores.argmax())
            if word == 3:
                break
            words.append(word)
        assert headline == words


def test_perplexity_arithmetic():
    assert exp(math.log(8) * 5, 5) == pytest.approx(8)
    assert exp(1e9, 1) == math.inf and math.isnan(exp(0.0, 0))
    batch = unknown_only(Batch.from_lists([[4], [5]], [[1, 4], [5, 1, 1]]))
    assert batch.count == 3 and batch.targets.tolist() == [1, 1, 1]


def test_perplexity_counts_unknown_words_and_tells_it_without_them():
    """Both numbers against the model's own log-probabilities, word by word."""
    torch.manual_seed(2)
    model = FeedForward(FeedForwardShape(encoder="bow", D=3, H=4, C=2), 9, 9).eval()

    class Pairs:
        inputs, input_offsets = np.array([4, 5, 6, 7]), np.array([0, 3, 4])
        outputs, output_offsets = np.array([1, 5, 6, 1]), np.array([0, 3, 4])

    found = measure_perplexity(model, DeviceSplit(Pairs(), "cpu"))
    costs: list[tuple[int, float]] = []
    for inputs, headline in (([4, 5, 6], [1, 5, 6]), ([7], [1])):
        batch = Batch.from_lists([inputs], [headline])
        states, _ = model.states(model.read(batch.inputs, batch.input_lengths), batch.outputs)
        scores = model.output(states)[0].detach().log_softmax(dim=1)
        costs += [(word, -float(scores[place, word])) for place, word in enumerate([*headline, 3])]
    known = [cost for word, cost in costs if word != 1]
    assert (found.words, found.unknown) == (6, 2)
    assert found.closed == pytest.approx(math.exp(sum(cost for _, cost in costs) / 6), rel=1e-5)
    assert found.known == pytest.approx(math.exp(sum(known) / 4), rel=1e-5)


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


def test_bias_starts_at_the_word_frequencies():
    model = FeedForward(FeedForwardShape(encoder="bow", D=4, H=6), 8, 8)
    start_at_frequencies(model.output, np.array([4, 4, 5, 4, 6], np.uint16), headlines=2)
    weights = np.array([1, 1, 1, 2, 3, 1, 1, 1])  # </s> ends two headlines; what was never seen counts once
    assert model.output.bias.exp().tolist() == pytest.approx((weights / weights.sum()).tolist())
    assert not PAPER.frequencies and not PAPER.copying
    assert automatic("fast", 1000, False).copying and not automatic("best", 1000, False).copying


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_a_convolutions_filters_take_smaller_steps(optimizer):
    """The first step of Adam moves every weight by its rate."""
    model = FeedForward(FeedForwardShape(encoder="conv", D=4, H=6), 8, 8)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    guarded = GuardedOptimizer(model, TrainConfig(optimizer=optimizer, filter_rate=0.25, weight_decay=0.0, clip=0.0))
    for value in model.parameters():
        value.grad = torch.ones_like(value)
    guarded.step(0.01)
    moved = {name: float((before[name] - value.detach()).mean()) for name, value in model.named_parameters()}
    filters = [f"encoder.Q.{layer}.weight" for layer in range(3)]
    assert moved == pytest.approx({name: 0.0025 if name in filters else 0.01 for name in moved}, rel=1e-4)


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


def one_step(**settings: float) -> tuple[torch.Tensor, torch.Tensor]:
    """A matrix of ones and a bias of ones after two steps of AdamW with gradients 1 and 3."""
    layer = torch.nn.Linear(2, 2)
    for value in layer.parameters():
        value.data.fill_(1.0)
    guarded = GuardedOptimizer(layer, TrainConfig(clip=0.0, **settings))
    for gradient in (1.0, 3.0):
        for value in layer.parameters():
            value.grad = torch.full_like(value, gradient)
        guarded.step(0.1)
    return layer.weight.detach(), layer.bias.detach()


def test_weight_decay_spares_biases():
    matrix, bias = one_step(weight_decay=0.5)
    plain, same = one_step(weight_decay=0.0)
    assert torch.equal(bias, same)
    assert (matrix < plain - 0.05).all()


@pytest.mark.parametrize("beta2", [0.5, 0.99])
def test_the_step_is_adams_with_our_beta2(beta2):
    first = second = 0.0
    weight = 1.0
    for step, gradient in enumerate((1.0, 3.0), start=1):
        first, second = 0.9 * first + 0.1 * gradient, beta2 * second + (1 - beta2) * gradient**2
        weight -= 0.1 * (first / (1 - 0.9**step)) / ((second / (1 - beta2**step)) ** 0.5 + 1e-8)
    matrix, _ = one_step(beta2=beta2, weight_decay=0.0)
    assert matrix.flatten().tolist() == pytest.approx([weight] * 4, rel=1e-5)


@pytest.mark.parametrize("steps", [1, 3, 70])
def test_the_average_follows_short_and_long_trainings(steps):
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = Average(model, 0.999)
    model.weight.data.fill_(1.0)
    for step in range(1, steps + 1):
        average.update(step)
    average.swap()
    left = 1.0  # the share of the first weights, step by step as the formula says
    for step in range(1, steps + 1):
        gap = 1 if step <= Average.FEW else Average.EVERY
        if step % gap == 0:
            left *= min(0.999, (1 + step) / (10 + step)) ** gap
    assert model.weight.item() == pytest.approx(1 - left, rel=1e-5)


def test_a_later_step_of_the_average_counts_for_the_steps_between():
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = Average(model, 0.999)
    for step in range(1, Average.FEW + 1):
        average.update(step)
    model.weight.data.fill_(1.0)
    step = Average.FEW + Average.EVERY
    for each in range(Average.FEW + 1, step + 1):
        average.update(each)
    average.swap()
    assert model.weight.item() == pytest.approx(1 - ((1 + step) / (10 + step)) ** Average.EVERY, rel=1e-5)
