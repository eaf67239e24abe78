"""Every numpy scorer against its torch model, step by step, with rows reordered, repeated and dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from random_folders import vocabulary_text

from hedline.api import load_scorer
from hedline.models.model import build_model, open_model, save_model
from hedline.runtime import kernels
from hedline.runtime.export import quantize_tensors
from hedline.runtime.folder import ModelFolder, save_folder
from hedline.runtime.transformer import Spare
from torch_scorer import torch_scorer
from transformer_scorer import TransformerScorer

VOCAB_IN, VOCAB_OUT = 70, 80
FEEDFORWARD = {"D": 12, "H": 24, "C": 3, "Q": 2, "L": 3}
TRANSFORMER = {"width": 32, "inner": 48, "heads": 4, "encoder_layers": 2, "decoder_layers": 2, "vocabulary": VOCAB_OUT}
CASES = {
    "none": ("feedforward", {**FEEDFORWARD, "encoder": "none"}),
    "bow": ("feedforward", {**FEEDFORWARD, "encoder": "bow"}),
    "conv": ("feedforward", {**FEEDFORWARD, "encoder": "conv"}),
    "attention": ("feedforward", {**FEEDFORWARD, "encoder": "attention"}),
    "attention with every option": (
        "feedforward",
        {
            **FEEDFORWARD,
            "encoder": "attention",
            "share_context": True,
            "positions": 4,
            "keys": "taps",
            "values": "taps",
            "heads": 3,
        },
    ),
    "rnn": ("recurrent", {"decoder": "rnn", "D": 12, "H": 24, "Q": 1, "positions": 5}),
    "lstm": ("recurrent", {"decoder": "lstm", "D": 12, "H": 24, "Q": 2, "positions": 5}),
    "transformer": ("transformer", TRANSFORMER),
}
INPUTS = [np.array(ids, np.int64) for ids in ([5, 9, 33, 4, 60], [7], [8, 8, 8, 12, 13, 14, 15, 16, 69], [])]


def random_model(path: Path, case: str, seed: int = 0) -> ModelFolder:
    """A torch model with random weights of a lively size, saved as a folder."""
    torch.manual_seed(seed)
    family, architecture = CASES[case]
    vocab_in = VOCAB_OUT if family == "transformer" else VOCAB_IN
    words = [vocabulary_text(size).split() for size in (vocab_in, VOCAB_OUT)]
    model = build_model(family, architecture, *words)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    texts = {"vocab.input.txt": vocabulary_text(vocab_in), "vocab.output.txt": vocabulary_text(VOCAB_OUT)}
    save_model(model, path, "words", texts, {}, "a card")
    return ModelFolder.open(path)


def oracle(folder: ModelFolder):
    """The folder's model in torch, as a scorer."""
    model, _ = open_model(folder.path)
    return TransformerScorer(model) if folder.config.family == "transformer" else torch_scorer(model)


def quantized(folder: ModelFolder, path: Path) -> ModelFolder:
    """The folder again, every matrix int8."""
    config = folder.config
    tensors = {name: np.array(folder.tensors[name]) for name in folder.tensors}
    texts = {name: folder.file(name).read_text() for name in ("vocab.input.txt", "vocab.output.txt")}
    return save_folder(
        path,
        family=config.family,
        units=config.units,
        architecture=config.architecture,
        training={},
        tensors=quantize_tensors(tensors),
        texts=texts,
    )


def walk(scorer, inputs, candidates, steps: int = 5, seed: int = 1):
    """Log-probabilities and attention of a random walk; beams are shuffled between inputs' rows at each step."""
    generator = np.random.default_rng(seed)
    state = scorer.start(inputs, candidates)
    last = np.full(len(inputs), scorer.start_id)
    seen = []
    for _ in range(steps):
        step = scorer.step(state, last)
        seen.append((np.asarray(step.log_probs), np.asarray(step.attention)))
        rows = np.sort(generator.integers(0, len(last), size=7))
        state = scorer.select(step.state, rows)
        last = generator.integers(3, VOCAB_OUT, size=len(rows))
    return seen


def assert_close(left, right, tolerance: float) -> None:
    for (log_probs, attention), (other_probs, other_attention) in zip(left, right, strict=True):
        assert log_probs.shape == other_probs.shape
        np.testing.assert_array_equal(np.isinf(log_probs), np.isinf(other_probs))
        finite = np.isfinite(log_probs)
        np.testing.assert_allclose(log_probs[finite], other_probs[finite], atol=tolerance)
        np.testing.assert_allclose(attention.sum(axis=1), 1, atol=1e-5)
        if other_attention.shape[1]:  # a torch model without an encoder reports none
            np.testing.assert_allclose(attention, other_attention, atol=tolerance)


def candidate_lists(count: int) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    return [np.sort(generator.choice(VOCAB_OUT, 10 + 7 * i, replace=False)) for i in range(count)]


@pytest.fixture(params=["compiled", "numpy"])
def engine(request, monkeypatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(kernels, "compiled", None)
    elif not kernels.available():
        pytest.skip("the compiled kernels are not built here")
    return request.param


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("restricted", [False, True])
def test_float_scorer_equals_torch(tmp_path, case, restricted, engine):
    folder = random_model(tmp_path / "model", case)
    inputs = INPUTS[:3] if case == "transformer" else INPUTS
    candidates = candidate_lists(len(inputs)) if restricted else None
    expected = walk(oracle(folder), inputs, candidates)
    assert_close(walk(load_scorer(folder), inputs, candidates), expected, 1e-5)


@pytest.mark.parametrize("case", CASES)
def test_int8_scorer_equals_torch_with_the_same_rounded_weights(tmp_path, case, engine, monkeypatch):
    monkeypatch.setattr("hedline.runtime.export.MIN_ITEMS", 1)
    folder = quantized(random_model(tmp_path / "model", case), tmp_path / "int8")
    assert folder.tensors.quantized("V.weight" if case != "transformer" else "embedding.weight")
    inputs = INPUTS[:3]
    candidates = candidate_lists(len(inputs))
    expected = walk(oracle(folder), inputs, candidates)
    tolerance = 2e-3 if engine == "compiled" else 2e-5
    if case == "transformer":  # its activations are rounded to a byte
        tolerance = 5e-2
    assert_close(walk(load_scorer(folder), inputs, candidates), expected, tolerance)


@pytest.fixture
def int8_transformer(tmp_path, monkeypatch):
    monkeypatch.setattr("hedline.runtime.export.MIN_ITEMS", 1)
    return quantized(random_model(tmp_path / "model", "transformer"), tmp_path / "int8")


@pytest.mark.parametrize("restricted", [False, True])
def test_a_compiled_layer_is_the_same_as_its_parts(int8_transformer, restricted):
    """One call for a whole layer gives, digit by digit, what the products, norms and attentions give one by one."""
    if not kernels.available():
        pytest.skip("the compiled kernels are not built here")
    whole, parts = load_scorer(int8_transformer), load_scorer(int8_transformer)
    for layer in (*parts.encoder, *parts.decoder):
        assert layer.block is not None
        layer.block = None
    candidates = candidate_lists(3) if restricted else None
    for left, right in zip(*(walk(each, INPUTS[:3], candidates) for each in (whole, parts)), strict=True):
        np.testing.assert_array_equal(left[0], right[0])
        np.testing.assert_array_equal(left[1], right[1])


def test_inputs_opened_again_are_as_if_begun_with_the_other_candidates(int8_transformer, engine):
    """The encoder's work is used again, after steps of the first search, and what is left of it is let go."""
    scorer, lists = load_scorer(int8_transformer), candidate_lists(3)
    fewer = [ids[::2] for ids in lists]
    first = scorer.step(scorer.start(INPUTS[:3], lists), np.array([2, 5, 6])).state
    again, new = scorer.reopen(first, np.array([2, 0]), fewer[1:]), scorer.start([INPUTS[2], INPUTS[0]], fewer[1:])
    del first
    for word in (2, 5, 6, 7):
        found, expected = scorer.step(again, np.array([4, word])), scorer.step(new, np.array([4, word]))
        np.testing.assert_array_equal(found.log_probs, expected.log_probs)
        np.testing.assert_array_equal(found.attention, expected.attention)
        again, new = (scorer.select(each.state, np.array([1, 0])) for each in (found, expected))


def test_a_second_search_computes_only_what_the_first_has_not(int8_transformer, engine):
    """Old and new pieces side by side score as if all were new, in another order too."""
    scorer, lists = load_scorer(int8_transformer), candidate_lists(2)
    begin, fresh = scorer.start(INPUTS[:2], lists), scorer.start(INPUTS[:2], lists)
    first = begin
    for words in ([2, 2], [4, 5], [6, 7]):
        first = scorer.step(first, np.array(words)).state
    again, used = scorer.select(begin, np.array([0, 1])), []
    for rows, words in (([0, 1], [2, 2]), ([0, 0, 1], [4, 9, 5]), ([0, 1, 2], [8, 6, 7])):
        again, fresh = (scorer.select(each, np.array(rows)) for each in (again, fresh))
        found, expected = scorer.step(again, np.array(words)), scorer.step(fresh, np.array(words))
        np.testing.assert_array_equal(found.log_probs, expected.log_probs)
        np.testing.assert_array_equal(found.attention, expected.attention)
        again, fresh = found.state, expected.state
        used.append(again.encoded.tree.used)
    if kernels.available():
        assert used == [6, 7, 9]


def test_an_int8_input_is_the_same_alone_and_in_a_batch(int8_transformer, engine):
    scorer = load_scorer(int8_transformer)
    lists = candidate_lists(3)
    together, alone = scorer.start(INPUTS[:3], lists), scorer.start(INPUTS[1:2], lists[1:2])
    for word in (2, 5, 6, 7):
        crowd, single = scorer.step(together, np.array([4, word, 9])), scorer.step(alone, np.array([word]))
        np.testing.assert_array_equal(crowd.log_probs[1, : len(lists[1])], single.log_probs[0])
        np.testing.assert_array_equal(crowd.attention[1, :1], single.attention[0])
        together, alone = crowd.state, single.state


def test_frequent_candidates_share_one_product(int8_transformer, engine):
    """With a frequent list the shared rows are multiplied once for the batch; the scores are the same."""
    plain, sharing = load_scorer(int8_transformer), load_scorer(int8_transformer)
    frequent = np.arange(5, 60, 3)
    sharing.output.frequent = frequent
    lists = [np.union1d(each, frequent) for each in candidate_lists(3)]
    for left, right in zip(*(walk(each, INPUTS[:3], lists) for each in (plain, sharing)), strict=True):
        np.testing.assert_array_equal(left[0], right[0])


@pytest.mark.parametrize("case", ["attention", "lstm", "transformer"])
def test_batching_changes_nothing(tmp_path, case):
    """An input's scores do not depend on what else is in the batch, nor on rows in between."""
    scorer = load_scorer(random_model(tmp_path / "model", case))
    words = np.array([2, 5, 6, 7])
    together = scorer.start(INPUTS[:3], None)
    alone = scorer.start(INPUTS[1:2], None)
    for word in words:
        crowd = scorer.step(together, np.array([4, word, 9]))
        single = scorer.step(alone, np.array([word]))
        np.testing.assert_allclose(crowd.log_probs[1], single.log_probs[0], atol=1e-5)
        together, alone = scorer.select(crowd.state, np.array([0, 1, 2])), single.state


@pytest.mark.parametrize("case", ["attention", "lstm", "transformer"])
def test_states_can_be_stepped_twice(tmp_path, case):
    """A state is a value: a second step from it sees nothing of the first."""
    scorer = load_scorer(random_model(tmp_path / "model", case))
    state = scorer.step(scorer.start(INPUTS[:2], None), np.array([2, 2])).state
    first = scorer.step(state, np.array([5, 6]))
    scorer.step(first.state, np.array([9, 9]))
    again = scorer.step(state, np.array([5, 6]))
    np.testing.assert_array_equal(first.log_probs, again.log_probs)


def test_rows_of_an_input_need_not_be_neighbours(tmp_path):
    scorer = load_scorer(random_model(tmp_path / "model", "attention"))
    state = scorer.step(scorer.start(INPUTS[:2], candidate_lists(2)), np.array([2, 2])).state
    mixed = scorer.step(scorer.select(state, np.array([0, 1, 0])), np.array([5, 6, 7]))
    sorted_ = scorer.step(scorer.select(state, np.array([0, 0, 1])), np.array([5, 7, 6]))
    np.testing.assert_allclose(mixed.log_probs, sorted_.log_probs[[0, 2, 1]], atol=1e-6)


def test_word_cache_overflow_changes_nothing(tmp_path):
    folder = random_model(tmp_path / "model", "attention")
    small, large = load_scorer(folder), load_scorer(folder)
    small.products._capacity = 8
    assert_close(walk(small, INPUTS, None, steps=8), walk(large, INPUTS, None, steps=8), 1e-6)


def test_a_batch_takes_over_the_memory_of_a_finished_one_only():
    spare = Spare()
    first, second = spare.take(2048, 1024), spare.take(2048, 1024)
    assert not np.shares_memory(first, second)
    spare.give([first])
    third = spare.take(2000, 1040)
    assert np.shares_memory(first, third) and third.shape == (2000, 1040)
    assert not np.shares_memory(second, third) and not np.shares_memory(third, spare.take(2048, 1024))
