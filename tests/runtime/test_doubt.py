"""A model's doubt about its own headlines: the same from every engine, as training computed it, of its weights."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

import hedline
from hedline.api import DOUBTFUL, find_model
from hedline.decoding.decode import ALL_DOUBTED, decode
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import consensus_order
from hedline.errors import UserError
from hedline.runtime import kernels
from hedline.runtime.doubt import DOUBT, MEASURES, Doubt, measures
from hedline.runtime.folder import ModelFolder
from hedline.runtime.tensors import write_tensors
from hedline.runtime.transformer import TransformerScorer

START, END = 2, 3
SCRIPTS = Path(__file__).parents[2] / "scripts" / "gpu"
LEADS = [
    "The mayor of Lund said on Monday that the old bridge will not open before the end of the year.",
    "Two of the nine ferries to Bornholm were cancelled on Friday after the wind rose, the company said.",
    "A court in Malmo cleared the former director of the zoo of all charges on Tuesday, her lawyer said.",
]


@pytest.fixture
def doubting(tmp_path: Path) -> Path:
    """The shipped tiny model with a made-up doubt."""
    path = tmp_path / "model"
    shutil.copytree(find_model("tiny"), path)
    folder = ModelFolder.open(path)
    made_up(folder).save(folder)
    return path


def made_up(folder: ModelFolder) -> Doubt:
    """A doubt of random numbers."""
    random, width, inner, hidden = np.random.default_rng(0), folder.config.architecture["width"], 4, 8
    told = 2 * inner + width + MEASURES
    shapes = (inner, width), (inner,), (hidden, told), (hidden,), (hidden,)
    parts = [random.standard_normal(shape).astype(np.float32) / shape[-1] ** 0.5 for shape in shapes]
    return Doubt(*parts[:-1], 5 * parts[-1], np.full(1, -0.3, np.float32))


def walked(scorer: TransformerScorer, inputs: list[np.ndarray], paths: list[np.ndarray], begun=None):
    """The state at the start (`begun`, or a new one) after each input's path was fed, and its log-probabilities."""
    begun = begun or scorer.start(inputs, None)
    state, last, told = begun, np.full(len(inputs), START), []
    for pieces in zip(*[[*path, END] for path in paths], strict=True):
        step = scorer.step(state, last)
        state, last = step.state, np.array(pieces)
        told.append(step.log_probs[np.arange(len(inputs)), last])
    return begun, list(np.stack(told, axis=1).astype(np.float64))


@pytest.mark.parametrize("compiled", [True, False])
def test_doubt_is_what_its_fitting_computes(doubting: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import fit_doubt

    from hedline.training.labelling import open_transformer

    if not compiled:
        monkeypatch.setattr(kernels, "compiled", None)
    elif not kernels.available():
        pytest.skip("the kernels are not compiled here")
    model = open_transformer(doubting, "cpu").eval()
    first = max(model.config.control_any) + 1
    random = np.random.default_rng(1)
    controls = np.array(model.config.control_any)
    inputs = [np.concatenate([controls, random.integers(first, 5000, size)]) for size in (9, 14)]
    paths = [random.integers(first, 5000, size) for size in (5, 5)]
    headlines = [np.array([*path, END]) for path in paths]
    states, said, lengths = fit_doubt.written(model, inputs, [0, 1], headlines)
    measured = torch.from_numpy(measures(said.double().numpy(), lengths)).float()
    nothing = torch.zeros(2)
    told = fit_doubt.Told(states.half(), torch.tensor([0, 6]), torch.tensor(lengths), measured, nothing, nothing)
    network = fit_doubt.Network([told]).eval()
    network.middle, network.spread = measured.mean(0), torch.full_like(measured[0], 3.0)
    with torch.no_grad():
        wanted = network(*told.rows(torch.tensor([0, 1])), measured).sigmoid().numpy()
    network.doubt().save(ModelFolder.open(doubting))
    scorer = TransformerScorer(ModelFolder.open(doubting))
    begun, log_probs = walked(scorer, inputs, paths)
    np.testing.assert_allclose(np.concatenate(log_probs), said.numpy(), atol=0.3)  # our products round to 8 bits
    ours = [float(scorer.doubts(begun, row, [path], [log_probs[row]])[0]) for row, path in enumerate(paths)]
    np.testing.assert_allclose(ours, wanted, atol=0.05)
    assert abs(ours[0] - ours[1]) > 0.005


def test_headlines_asked_for_together_are_doubted_as_alone(doubting: Path) -> None:
    scorer = TransformerScorer(ModelFolder.open(doubting))
    inputs, paths = [np.arange(40, 52)] * 3, [np.array([60, 61, 62]), np.array([60, 61, 63]), np.array([60, 70, 71])]
    begun, log_probs = walked(scorer, inputs, paths)
    begun, _ = walked(scorer, inputs[:1], paths[:1])
    for path in paths[1:]:
        walked(scorer, inputs[:1], [path], begun)
    together = scorer.doubts(begun, 0, paths, log_probs)
    alone = [scorer.doubts(begun, 0, [path], [said])[0] for path, said in zip(paths, log_probs, strict=True)]
    assert together.tolist() == alone and len(set(alone)) == 3


def test_doubt_is_of_the_weights_it_was_fitted_to(doubting: Path) -> None:
    folder = ModelFolder.open(doubting)
    kept = Doubt.open(folder)
    assert kept is not None and kept.shift == pytest.approx([-0.3])
    tensors = {part.name: getattr(kept, part.name) for part in fields(kept)}
    write_tensors(doubting / DOUBT, tensors, {"weights_id": "of another model"})
    assert Doubt.open(folder) is None
    write_tensors(doubting / DOUBT, tensors, {"weights_id": folder.config.weights_id})
    assert Doubt.open(folder) is not None
    tensors["within"] = kept.within[:, 1:]
    write_tensors(doubting / DOUBT, tensors, {"weights_id": folder.config.weights_id})
    with pytest.raises(UserError, match="fit it again or delete the file"):
        Doubt.open(folder)


def test_the_search_keeps_the_log_probability_of_each_piece(doubting: Path) -> None:
    summarizer = hedline.load(doubting)
    options = summarizer.defaults.settle(DecodeOptions(beam=4, nbest=4))
    source, _ = summarizer.reader.read(LEADS[0], 200)
    lexicon = summarizer.reader.open([source], options)
    endings = decode(summarizer.scorer, lexicon, options).endings[0]
    assert len(endings) > 1
    for index in range(min(len(endings), 4)):
        parts = endings.log_probs(index)
        assert len(parts) == len(endings.columns(index)) + 1
        assert (parts <= 1e-6).all() and parts.sum() == pytest.approx(endings[index].log_prob)


def test_a_doubted_candidate_comes_later() -> None:
    texts = ["Mayor opens bridge in Lund", "Mayor opens bridge", "Mayor of Lund opens bridge"]
    plain = consensus_order(texts, [0.0, -0.1, -0.2])
    less = np.zeros(3)
    less[plain[0]] = 0.9
    assert consensus_order(texts, [0.0, -0.1, -0.2], less)[-1] == plain[0]


def test_the_option_decides_how_much_doubt_counts(doubting: Path) -> None:
    summarizer = hedline.load(doubting)
    plain = [each.text for each in summarizer.summarize(LEADS, beam=8, nbest=5, doubt=0.0)]
    doubted = summarizer.summarize(LEADS, beam=8, nbest=5, doubt=50.0)
    assert [each.text for each in doubted] != plain
    for each in doubted:
        doubts = [candidate.doubt for candidate in each.nbest]
        assert None not in doubts and doubts[0] <= min(doubts) + 0.02  # what they share counts a little
    one_by_one = [summarizer(lead, beam=8, nbest=5, doubt=50.0) for lead in LEADS]
    assert one_by_one == [each.text for each in doubted]


def test_words_of_the_text_replace_what_is_doubted(doubting: Path) -> None:
    summarizer = hedline.load(doubting)
    for lead, usual in zip(LEADS, summarizer.summarize(LEADS, most_doubt=1.0), strict=True):
        assert usual.doubt is not None and ALL_DOUBTED not in usual.notes
        own = summarizer.summarize(lead, most_doubt=0.0)[0]
        assert own.notes == (ALL_DOUBTED,) and lead.lower().startswith(own.text.lower())
        two = summarizer.summarize(lead, most_doubt=0.0, nbest=2, beam=4)[0]
        assert two.text == own.text and len(two.nbest) == 2  # the model's own stays as the next one
        kept = summarizer.summarize(lead, most_doubt=usual.doubt)[0]
        assert kept.text == usual.text and kept.notes == usual.notes
        assert ALL_DOUBTED not in summarizer.summarize(lead, most_doubt=0.0, words=8)[0].notes  # a limit asks for less
        assert ALL_DOUBTED not in summarizer.summarize(lead, most_doubt=0.0, guard_meaning=False)[0].notes


@pytest.mark.parametrize("compiled", [True, False])
def test_a_second_search_of_the_same_input_finds_its_states(
    doubting: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(kernels, "compiled", None)
    scorer = TransformerScorer(ModelFolder.open(doubting))
    inputs, paths = [np.array([40, 50, 60, 70])], [np.array([40, 50, 60]), np.array([40, 70, 60, 50])]
    alone, told = [], []
    for path in paths:
        begun, log_probs = walked(scorer, inputs, [path])
        alone += scorer.doubts(begun, 0, [path], log_probs).tolist()
        told += log_probs
    begun, _ = walked(scorer, inputs, paths[:1])
    walked(scorer, inputs, paths[1:], begun)
    assert scorer.doubts(begun, 0, paths, told) == pytest.approx(alone, abs=1e-4)


def test_the_default_tells_its_doubt_and_a_great_one_in_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    lead = LEADS[0]
    summarizer = hedline.load()
    summary = summarizer.summarize(lead)[0]
    assert summary.doubt is not None and 0 <= summary.doubt <= 1
    assert summary.to_json("1", lead)["doubt"] == round(summary.doubt, 3) and DOUBTFUL not in summary.notes
    monkeypatch.setattr("hedline.api.DOUBTED", summary.doubt)
    assert DOUBTFUL in summarizer.summarize(lead)[0].notes
    assert "doubt" not in hedline.load("abs").summarize(lead)[0].to_json("1", lead)
