"""Judges of headlines: what they read, that they learn, and that training for risk listens to them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from hedline.errors import UserError
from hedline.models.transformer import Transformer, TransformerConfig
from hedline.training.judge import Echo, Judge, learn, ranking, side_by_side, verdicts_of, worth_taken
from hedline.training.verdicts import Verdict, block_of, labels

CPU = torch.device("cpu")
SIZES = {"width": 16, "inner": 32, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}


def tiny(joint: bool = False, **more) -> Judge:
    torch.manual_seed(0)
    return Judge(Transformer(TransformerConfig(30, **{**SIZES, **more})), joint).eval()


def made_verdicts(count: int, seed: int) -> list[Verdict]:
    """Headlines of two pieces of the lead are good; with a piece that no lead has they are untrue."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        lead = random.integers(4, 20, 6).tolist()
        good, bad = lead[:2], [lead[0], int(random.integers(20, 30))]
        found.append(Verdict(lead, [good, bad], [labels("good"), labels("untrue")]))
    return found


@pytest.mark.parametrize("joint", [False, True])
def test_what_is_said_of_a_headline_does_not_depend_on_its_neighbours(joint: bool) -> None:
    judge = tiny(joint)
    alone = [block_of([each], CPU) for each in made_verdicts(3, 1)]
    together = block_of([*made_verdicts(3, 1), Verdict([5] * 9, [[6] * 7], [labels("weak")])], CPU)
    said = judge(together.inputs, together.headlines)
    for row, block in enumerate(alone):
        assert torch.allclose(judge(block.inputs, block.headlines)[0], said[row, :2], atol=1e-5)


def test_a_joint_judge_reads_the_headline_right_behind_the_lead() -> None:
    leads, headlines = torch.tensor([[5, 6, 0, 0], [7, 8, 9, 4]]), torch.tensor([[5, 3, 0], [9, 9, 3]])
    assert side_by_side(leads, headlines).tolist() == [[5, 6, 5, 3, 0, 0, 0], [7, 8, 9, 4, 9, 9, 3]]


def test_control_tokens_are_hidden_from_a_judge() -> None:
    judge = tiny(controls=1, control_any=(5,))
    one, other, headline = torch.tensor([[4, 9, 8]]), torch.tensor([[6, 9, 8]]), torch.tensor([[[9, 3]]])
    assert torch.equal(judge(one, headline), judge(other, headline))


@pytest.mark.parametrize("joint", [False, True])
def test_a_judge_learns_from_verdicts(joint: bool) -> None:
    judge, held = tiny(joint, dropout=0.0), made_verdicts(60, 9)
    losses = list(learn(judge, made_verdicts(300, 2), epochs=8, rate=5e-3, size=20))
    said, known = verdicts_of(judge, held)
    assert losses[-1] < losses[0] / 2
    assert ranking(said[:, 0], known[:, 0]) > 0.95
    block = block_of(held, CPU)
    worth = judge.unsound(block.headlines, block.inputs)
    assert (
        float(worth[:, 0].mean()) + 0.3 < float(worth[:, 1].mean())
        and 0 <= float(worth.min()) <= float(worth.max()) <= 1
    )


def test_ranking_is_the_share_of_pairs_in_the_right_order() -> None:
    random = np.random.default_rng(3)
    scores, wrong = random.integers(0, 6, 40).astype(float), random.integers(0, 2, 40)
    pairs = list(itertools.product(scores[wrong == 1], scores[wrong == 0]))
    wanted = sum((bad > good) + (bad == good) / 2 for bad, good in pairs) / len(pairs)
    assert ranking(scores, wrong) == pytest.approx(wanted)
    assert math.isnan(ranking(scores, np.ones(40)))


def test_what_faults_take_from_a_headline_by_hand() -> None:
    chances = torch.tensor([[0.5, 0.2, 0.5, 0.9], [0.0, 0.0, 1.0, 0.3]])
    assert worth_taken(chances.logit()).tolist() == pytest.approx([1 - 0.5 * 0.8 * 0.8, 0.4])


def test_a_saved_judge_says_the_same(tmp_path: Path) -> None:
    judge, block = tiny(joint=True), block_of(made_verdicts(4, 1), CPU)
    judge.save(tmp_path / "one")
    again = Judge.open(tmp_path / "one", CPU)
    assert torch.allclose(again.unsound(block.headlines, block.inputs), judge.unsound(block.headlines, block.inputs))
    with pytest.raises(UserError, match="holds no judge"):
        Judge.open(tmp_path, CPU)


def test_an_echo_hears_what_judges_say_and_moves_the_states() -> None:
    torch.manual_seed(1)
    echo = Echo(4, torch.device("cpu"))
    echo.optimizer.param_groups[0]["lr"] = 0.05
    headlines = torch.tensor([[[7, 8, 3], [9, 3, 0]]]).expand(6, 2, 3)
    states = torch.randn(6, 2, 3, 4)
    unsound = (states[:, :, 0, 1] > 0).float()  # told by a number of the first piece's state, of which the mean knows
    surprises = []
    for _ in range(200):
        held = states.clone().requires_grad_()
        loss = echo.surprise(held, headlines, unsound)
        torch.autograd.backward(loss)
        echo.step()
        surprises.append(float(loss.detach()))
    assert surprises[0] == pytest.approx(math.log(2)) and surprises[-1] < 0.4
    assert held.grad is not None and float(held.grad[:, 0].abs().max()) > 0
    assert not held.grad[:, 1, 2].any()  # nothing is read of padding
