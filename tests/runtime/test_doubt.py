"""A model's doubt about its own headlines: the same from every engine, as training computed it, of its weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import hedline
from hedline.api import DOUBTFUL, find_model
from hedline.decoding.summary import consensus_order
from hedline.errors import UserError
from hedline.runtime import kernels
from hedline.runtime.folder import ModelFolder
from hedline.runtime.layers import DOUBT, Doubt
from hedline.runtime.tensors import write_tensors
from hedline.runtime.transformer import TransformerScorer

START, END = 2, 3


@pytest.fixture
def doubting(tmp_path: Path) -> Path:
    """The shipped tiny model with a made-up doubt."""
    path = tmp_path / "model"
    shutil.copytree(find_model("tiny"), path)
    folder = ModelFolder.open(path)
    width = folder.config.architecture["width"]
    weight = np.random.default_rng(0).standard_normal((2, width)).astype(np.float32) / width**0.5
    Doubt(weight, -0.3).save(folder)
    return path


def walked(scorer: TransformerScorer, inputs: list[np.ndarray], paths: list[np.ndarray], begun=None):
    """The state at the start (`begun`, or a new one), after each input's path was fed piece by piece."""
    begun = begun or scorer.start(inputs, None)
    state, last = begun, np.full(len(inputs), START)
    for pieces in zip(*[[*path, END] for path in paths], strict=True):
        state = scorer.step(state, last).state
        last = np.array(pieces)
    return begun


@pytest.mark.parametrize("compiled", [True, False])
def test_doubt_is_what_training_computes(doubting: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from hedline.training.judge import Judge
    from hedline.training.labelling import open_transformer

    if not compiled:
        monkeypatch.setattr(kernels, "compiled", None)
    elif not kernels.available():
        pytest.skip("the kernels are not compiled here")
    folder = ModelFolder.open(doubting)
    network = open_transformer(doubting, "cpu").eval()
    first = max(network.config.control_any) + 1
    random = np.random.default_rng(1)
    controls = np.array(network.config.control_any)
    inputs = [np.concatenate([controls, random.integers(first, 5000, size)]) for size in (9, 14)]
    paths = [random.integers(first, 5000, 5) for _ in inputs]
    scorer = TransformerScorer(folder)
    begun = walked(scorer, inputs, paths)
    ours = [float(scorer.doubts(begun, row, [path])[0]) for row, path in enumerate(paths)]
    doubt = Doubt.open(folder)
    assert doubt is not None
    for lead, path, found in zip(inputs, paths, ours, strict=True):
        headline = torch.tensor([[[*path.tolist(), END]]])
        with torch.no_grad():
            states = Judge(network).pooled(torch.tensor(lead)[None], headline)[0, 0].numpy()
        wanted = 1 / (1 + np.exp(-(states @ doubt.weight.flatten() + doubt.bias)))
        assert found == pytest.approx(wanted, abs=0.03)  # our products round to 8 bits


def test_doubt_is_of_the_weights_it_was_fitted_to(doubting: Path) -> None:
    folder = ModelFolder.open(doubting)
    assert Doubt.open(folder) is not None
    kept = Doubt.open(folder)
    tensors = {"weight": kept.weight, "bias": np.zeros(1, np.float32)}
    write_tensors(doubting / DOUBT, tensors, {"weights_id": "of another model"})
    assert Doubt.open(folder) is None
    write_tensors(doubting / DOUBT, {"weight": kept.weight[:1]}, {"weights_id": folder.config.weights_id})
    with pytest.raises(UserError, match="fit it again or delete the file"):
        Doubt.open(folder)


def test_a_doubted_candidate_comes_later() -> None:
    texts = ["Mayor opens bridge in Lund", "Mayor opens bridge", "Mayor of Lund opens bridge"]
    plain = consensus_order(texts, [0.0, -0.1, -0.2])
    less = np.zeros(3)
    less[plain[0]] = 0.9
    assert consensus_order(texts, [0.0, -0.1, -0.2], less)[-1] == plain[0]


def test_the_option_decides_how_much_doubt_counts(doubting: Path) -> None:
    leads = [
        "The mayor of Lund said on Monday that the old bridge will not open before the end of the year.",
        "Two of the nine ferries to Bornholm were cancelled on Friday after the wind rose, the company said.",
        "A court in Malmo cleared the former director of the zoo of all charges on Tuesday, her lawyer said.",
    ]
    summarizer = hedline.load(doubting)
    usual = [each.text for each in summarizer.summarize(leads, beam=8)]
    assert [each.text for each in summarizer.summarize(leads, beam=8, doubt=0.0)] == usual  # tiny's tuning has none
    doubted = [each.text for each in summarizer.summarize(leads, beam=8, doubt=50.0, rerank="mbr")]
    assert doubted != [each.text for each in summarizer.summarize(leads, beam=8, doubt=0.0, rerank="mbr")]
    one_by_one = [summarizer(lead, beam=8, doubt=50.0, rerank="mbr") for lead in leads]
    assert one_by_one == doubted


@pytest.mark.parametrize("compiled", [True, False])
def test_a_second_search_of_the_same_input_finds_its_states(
    doubting: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(kernels, "compiled", None)
    scorer = TransformerScorer(ModelFolder.open(doubting))
    inputs, paths = [np.array([40, 50, 60, 70])], [np.array([40, 50, 60]), np.array([40, 70, 60, 50])]
    alone = [scorer.doubts(walked(scorer, inputs, [path]), 0, [path])[0] for path in paths]
    begun = walked(scorer, inputs, paths[:1])
    walked(scorer, inputs, paths[1:], begun)
    assert scorer.doubts(begun, 0, paths) == pytest.approx(alone, abs=1e-4)


def test_the_default_tells_its_doubt_and_a_great_one_in_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    lead = "The mayor of Lund said on Monday that the old bridge will not open before the end of the year."
    summarizer = hedline.load()
    summary = summarizer.summarize(lead)[0]
    assert summary.doubt is not None and 0 <= summary.doubt <= 1
    assert summary.to_json("1", lead)["doubt"] == round(summary.doubt, 3) and DOUBTFUL not in summary.notes
    monkeypatch.setattr("hedline.api.DOUBTED", summary.doubt)
    assert DOUBTFUL in summarizer.summarize(lead)[0].notes
    assert "doubt" not in hedline.load("abs").summarize(lead)[0].to_json("1", lead)
