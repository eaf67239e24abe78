import numpy as np
import pytest
import torch

from hedline.models.batch import END, START, Batch
from hedline.models.transformer import Transformer, TransformerConfig
from transformer_scorer import TransformerScorer

TINY = TransformerConfig(vocabulary=29, width=16, inner=24, heads=4, encoder_layers=2, decoder_layers=2)


@pytest.fixture
def model():
    torch.manual_seed(3)
    network = Transformer(TINY).eval()
    with torch.no_grad():
        network.bias.normal_()
    return network


def full_log_probs(model, inputs, outputs):
    memory, mask = model.encode(torch.tensor([inputs]))
    return model.logits(model.decode(torch.tensor([[START, *outputs]]), memory, mask))[0].log_softmax(-1)


def test_steps_equal_the_whole_forward_pass(model):
    inputs, outputs = [5, 9, 11, 4, 7], [8, 20, 13]
    expected = full_log_probs(model, inputs, outputs).detach().numpy()
    scorer = TransformerScorer(model)
    state = scorer.start([np.array(inputs)], None)
    for position, last in enumerate([START, *outputs]):
        step = scorer.step(state, np.array([last]))
        state = step.state
        np.testing.assert_allclose(step.log_probs[0], expected[position], atol=1e-5)
        assert step.attention[0].sum() == pytest.approx(1, abs=1e-5)


def test_padding_never_leaks_between_inputs_of_a_batch(model):
    scorer = TransformerScorer(model)
    short, long = np.array([5, 6]), np.array([7, 8, 9, 10, 11, 12])
    together = scorer.step(scorer.start([short, long], None), np.array([START, START]))
    alone = scorer.step(scorer.start([short], None), np.array([START]))
    np.testing.assert_allclose(together.log_probs[0], alone.log_probs[0], atol=1e-5)
    assert together.attention[0, 2:].max() == 0


def test_select_reorders_rows_with_their_history(model):
    scorer = TransformerScorer(model)
    state = scorer.start([np.array([5, 6, 7]), np.array([9, 10])], None)
    state = scorer.step(state, np.array([START, START])).state
    state = scorer.select(state, np.array([1, 0, 0]))
    step = scorer.step(state, np.array([20, 21, 22]))
    expected = full_log_probs(model, [5, 6, 7], [22])[-1].detach().numpy()
    np.testing.assert_allclose(step.log_probs[2], expected, atol=1e-5)


def test_candidates_are_normalised_among_themselves(model):
    scorer = TransformerScorer(model)
    candidates = [np.array([3, 8, 20]), np.array([3, 9])]
    step = scorer.step(scorer.start([np.array([5, 6]), np.array([7])], candidates), np.array([START, START]))
    assert np.exp(step.log_probs).sum(1) == pytest.approx([1, 1], abs=1e-5)
    assert step.log_probs[1, 2] == -np.inf


def test_loss_of_a_padded_batch_is_the_sum_over_single_pairs(model):
    batch = Batch.from_lists([[5, 6, 7], [8, 9]], [[10, 11], [12]])
    total, count = model.loss(batch)
    singles = [full_log_probs(model, [5, 6, 7], [10, 11]), full_log_probs(model, [8, 9], [12])]
    targets = [[10, 11, END], [12, END]]
    expected = -sum(lp[i, t] for lp, ids in zip(singles, targets, strict=True) for i, t in enumerate(ids))
    assert count == 5
    assert total.item() == pytest.approx(expected.item(), rel=1e-5)


def test_controls_are_hidden_only_in_training():
    config = TransformerConfig(
        vocabulary=29, width=16, inner=24, heads=4, encoder_layers=1, decoder_layers=1,
        controls=2, control_any=(4, 5), hidden_controls=1.0,
    )  # fmt: skip
    network = Transformer(config)
    inputs = torch.tensor([[7, 8, 9], [7, 8, 10]])
    assert network.train().hide_controls(inputs).tolist() == [[4, 5, 9], [4, 5, 10]]
    assert network.eval().hide_controls(inputs).tolist() == inputs.tolist()
