"""Training for ROUGE: a tiny model gets better, and listens to judges."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from hedline.cli.main import run as hedline
from hedline.errors import UserError
from hedline.models.model import load_checkpoint
from hedline.models.transformer import Transformer, TransformerConfig
from hedline.text.subword import SPECIALS, Subwords
from hedline.training.options import TrainRequest
from hedline.training.risk import Dial, ratios
from hedline.training.run import train

SIZES = {"width": 8, "inner": 8, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}


def test_dial_puts_the_tokens_of_use_before_a_share_of_the_inputs():
    names = [*SPECIALS, "<sup:3>", "<sup:any>", "<case:title>", "<case:any>", "a", "b"]
    model = Transformer(TransformerConfig(10, **SIZES, controls=2, control_any=(5, 7), hidden_controls=0.5))
    inputs = torch.tensor([[4, 6, 8, 9]]).repeat(400, 1)
    torch.manual_seed(0)
    turned, own, limited = Dial(model, names, ["<sup:3>", "<other:1>"], 0.5).turn(inputs)
    assert (turned[:, 2:] == inputs[:, 2:]).all() and 150 < int(own.sum()) < 250 and not limited.any()
    assert (turned[~own, :2] == torch.tensor([4, 7])).all()
    assert {tuple(row) for row in turned[own, :2].tolist()} == {(4, 6), (5, 6), (4, 7), (5, 7)}


def test_dial_asks_for_the_length_of_the_limit_before_another_share():
    names = [*SPECIALS, "<len:13>", "<len:any>", "<case:title>", "<case:any>", "a", "b"]
    model = Transformer(TransformerConfig(10, **SIZES, controls=2, control_any=(5, 7), hidden_controls=0.5))
    inputs = torch.tensor([[5, 6, 8, 9]]).repeat(400, 1)
    torch.manual_seed(0)
    turned, own, limited = Dial(model, names, [], 0.3, 0.4, "<len:13>").turn(inputs)
    assert 120 < int(limited.sum()) < 200 and 80 < int((~own & ~limited).sum()) < 160 and not (own & limited).any()
    assert (turned[limited, :2] == torch.tensor([4, 7])).all()
    assert (turned[~own & ~limited, :2] == torch.tensor([5, 7])).all()


def test_weights_of_the_scores_are_read_or_refused():
    assert ratios("1, 0,0.5") == (1.0, 0.0, 0.5)
    with pytest.raises(UserError, match="three numbers"):
        ratios("1,2")


# A made-up language of one-letter words: the headline is the lead's second and third word.


def write_data(folder: Path, pairs: dict[str, int]) -> Path:
    letters = [chr(ord("a") + index) for index in range(12)]
    names = [*SPECIALS, *(f"Ġ{letter}" for letter in letters)]
    Subwords(names, [], len(SPECIALS)).save(folder)
    draw = np.random.default_rng(0)
    for split, count in pairs.items():
        inputs = [draw.permutation(np.arange(4, 16))[: draw.integers(4, 7)] for _ in range(count)]
        for name, rows in (("input", inputs), ("output", [row[1:3] for row in inputs])):
            np.save(folder / f"{split}.{name}s.npy", np.concatenate(rows).astype(np.uint16))
            np.save(folder / f"{split}.{name}_offsets.npy", np.cumsum([0, *map(len, rows)]))
    sizes = {"input": len(names), "output": len(names)}
    settings = {"format": 1, "settings": {"units": "subwords"}, "vocabulary": sizes, "fingerprint": "made-up"}
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="module")
def half_trained(tmp_path_factory) -> Path:
    """Data, and a transformer that has seen too little of it."""
    folder = tmp_path_factory.mktemp("risk")
    data = write_data(folder, {"train": 600, "valid": 64})
    sizes = {"width": 32, "inner": 32, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    settings = {**sizes, "epochs": 12, "batch": 512, "lr": 3e-3, "ema": 0.9}
    train(TrainRequest(data, folder / "base", decoder="transformer", settings=settings, samples=0))
    return folder


def test_greedy_headlines_get_better(half_trained, capsys):
    settings = {"objective": "risk", "epochs": 6, "batch": 64, "lr": 2e-3, "ema": 0.9, "risk_pieces": 6, "risk_ce": 0.0}
    request = TrainRequest(half_trained, half_trained / "risk", settings=settings, base=half_trained / "base")
    place = train(request)
    said = capsys.readouterr().out
    start = float(said.split("greedy, at the start: reward ")[1].split(",")[0])
    assert place.history[-1]["reward"] > start + 0.1
    assert "weight average" in said and (half_trained / "risk/model.safetensors").is_file()
    recorded = json.loads((half_trained / "risk/config.json").read_text())["training"]
    assert recorded["config"]["objective"] == "risk" and recorded["base"]["model"] == "base"


def test_a_resumed_training_ends_as_if_it_had_not_stopped(half_trained):
    # A schedule that does not look ahead, so that one epoch and then another are the same as two.
    settings = {
        "objective": "risk",
        "epochs": 2,
        "batch": 200,
        "risk_pieces": 6,
        "risk_samples": 2,
        "schedule": "halve",
    }
    base = {"base": half_trained / "base", "samples": 0}
    train(TrainRequest(half_trained, half_trained / "whole", settings=settings, **base))
    train(TrainRequest(half_trained, half_trained / "parts", settings={**settings, "epochs": 1}, **base))
    train(TrainRequest(half_trained, half_trained / "parts", settings=settings, resume=True, samples=0))
    one, other = (load_checkpoint(half_trained / name)[0] for name in ("whole", "parts"))
    assert one.keys() == other.keys() and float(one["risk_scale"].min()) > 0
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_command_line(half_trained, capsys):
    arguments = ["train", str(half_trained), "--out", str(half_trained / "out"), "--from", str(half_trained / "base")]
    more = [
        "--objective",
        "risk",
        "--set",
        "risk_samples=2",
        "--set",
        "risk_pieces=5",
        "--set",
        "risk_meaning=0.1",
        "--epochs",
        "1",
        "--batch",
        "200",
    ]
    with pytest.raises(SystemExit) as end:
        hedline([*arguments, *more])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert "objective=risk risk_samples=2" in said and "% refused" in said


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        (["--objective", "risk"], "--from"),
        (["--objective", "luck", "--from", "base"], "likelihood, risk"),
        (["--objective", "risk", "--from", "base", "--set", "risk_samples=1"], "at least 2"),
        (["--objective", "risk", "--from", "base", "--set", "risk_limited=0.6"], "together at most 1"),
        (["--objective", "risk", "--from", "base", "--set", "risk_limited=-0.5"], "from 0 on"),
        (["--objective", "risk", "--from", "base", "--set", "risk_bytes=0"], "at least 1"),
        (["--objective", "risk", "--from", "base", "--set", "risk_meaning=-1"], "give 0 to 1"),
        (["--objective", "risk", "--from", "base", "--set", "risk_meaning=nan"], "give 0 to 1"),
        (["--objective", "risk", "--from", "base", "--set", "risk_limited=0.2"], "control token <len:13>"),
    ],
)
def test_mistakes_are_named(half_trained, more, wanted):
    named = [str(half_trained / word) if word == "base" else word for word in more]
    with pytest.raises(UserError, match=wanted):
        hedline(["train", str(half_trained), "--out", str(half_trained / "never"), *named])


@pytest.mark.parametrize("turns", [False, True])
def test_judges_are_listened_to(half_trained, capsys, turns):
    """A judge that finds every headline with one of the letters `a` to `d` untrue: the model stops writing them."""
    from hedline.training.judge import Judge
    from hedline.training.verdicts import FAULTS

    class Strict(Judge):
        def forward(self, inputs, headlines):
            logits = torch.full((*headlines.shape[:2], len(FAULTS)), -20.0)
            logits[..., 0] = torch.where(((headlines >= 4) & (headlines < 8)).any(2), 20.0, -20.0)
            return logits

    torch.manual_seed(1)
    strict = Strict(Transformer(TransformerConfig(16, **SIZES)))
    settings = {"objective": "risk", "epochs": 6, "batch": 64, "lr": 2e-3, "ema": 0.9, "risk_pieces": 6, "risk_ce": 0.0}
    strict.save(half_trained / "judge")
    settings |= {"risk_judge": str(half_trained / "judge"), "risk_truth": 1.0, "risk_echo": 0.1, "risk_turns": turns}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hedline.training.judge.Judge.forward", Strict.forward)
        train(
            TrainRequest(half_trained, half_trained / f"judged{turns}", settings=settings, base=half_trained / "base")
        )
    told = [float(part.split(" %")[0]) for part in capsys.readouterr().out.split("faults, ")[1:] if "unsound" in part]
    assert told[0] > 5 and told[-1] < told[0] / 4
