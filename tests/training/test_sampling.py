"""Headlines in bulk: log-probabilities against teacher forcing, greedy against the plain one, draws by share."""

from __future__ import annotations

import itertools

import pytest
import torch

from hedline.models.reader import Reader
from hedline.models.transformer import Transformer, TransformerConfig
from hedline.training.folder_writer import greedy
from hedline.training.sampling import beam_search, choose, generate, read_on
from small_reader import plain_states, tiny_reader

SIZES = {"width": 16, "inner": 24, "heads": 2, "encoder_layers": 1, "decoder_layers": 2, "dropout": 0.3}


def tiny(seed: int = 0, vocabulary: int = 20, **more) -> Transformer:
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(vocabulary, **SIZES, **more))
    with torch.no_grad():
        for value in model.parameters():
            value.mul_(2.0)  # away from even odds
        model.bias[3] = 2.0  # headlines of various lengths
    return model.eval()


def leads(count: int, vocabulary: int = 20) -> torch.Tensor:
    inputs = torch.randint(4, vocabulary, (count, 9), generator=torch.Generator().manual_seed(1))
    inputs[1::2, 6:] = 0
    return inputs


def forced(model: Transformer, inputs: torch.Tensor, ids: list[int], temperature: float, specials: int = 4) -> float:
    """log p of one headline, piece by piece, the whole prefix read anew each time."""
    total, prefix = 0.0, [2]
    for piece in ids:
        memory, mask = model.encode(inputs[None])
        logits = model.logits(model.decode(torch.tensor([prefix]), memory, mask)[0, -1]) / temperature
        logits[[index for index in range(specials) if index != 3]] = -torch.inf
        total += float(logits.log_softmax(-1)[piece])
        prefix.append(piece)
    return total


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probs_are_those_of_teacher_forcing(temperature):
    model, inputs = tiny(), leads(6)
    torch.manual_seed(3)
    drawn = generate(model, inputs, 4, temperature, most=12, scored=True)
    lengths = set(drawn.lengths.flatten().tolist())
    assert len(lengths) >= 3  # so that inputs have been dropped on the way
    with torch.no_grad():
        for row in range(6):
            for sample in range(4):
                ids = drawn.ids[row, sample, : drawn.lengths[row, sample]].tolist()
                assert 3 not in ids[:-1] and (ids[-1] == 3 or len(ids) == 12)
                wanted = forced(model, inputs[row], ids, temperature)
                assert float(drawn.log_probs[row, sample]) == pytest.approx(wanted, abs=1e-4)


def test_greedy_is_the_plain_greedy():
    model, inputs = tiny(5), leads(16)
    found = generate(model, inputs, most=20)
    wanted = greedy(model, inputs, (inputs != 0).sum(1), most=20)
    ours = [[piece for piece in row[0] if piece not in (0, 3)] for row in found.ids.tolist()]
    assert ours == wanted and len({tuple(row) for row in ours}) > 3


def test_control_tokens_are_never_written():
    model, inputs = tiny(2, control_any=(5, 7), controls=2), leads(8)
    with torch.no_grad():
        model.bias[4:8] += 50
    ids = generate(model, inputs, 8, 1.0).ids
    assert not ((ids > 3) & (ids < 8)).any() and (ids >= 8).any()


def test_several_models_average_their_probabilities():
    one, other, inputs = tiny(1), tiny(2), leads(3)
    found = generate([one, other], inputs, 1, 1.0, most=1, scored=True)
    shares = []
    for model in (one, other):
        logits = model.logits(model.decode(torch.full((3, 1), 2), *model.encode(inputs))[:, -1])
        shares.append(logits.softmax(-1))
    mean = (shares[0] + shares[1]) / 2
    mean[:, :3] = 0
    wanted = (mean / mean.sum(1, keepdim=True)).gather(1, found.ids[:, 0]).log()
    assert torch.allclose(found.log_probs, wanted, atol=1e-5)


@pytest.mark.parametrize("penalty", [0.0, 0.8])
def test_a_beam_wide_enough_finds_the_best_of_all_headlines(penalty):
    model, inputs = tiny(3, vocabulary=7), leads(4, 7)
    everything = [list(row) for count in range(3) for row in itertools.product((4, 5, 6), repeat=count)]
    headlines = [[*row, 3] for row in everything] + [list(row) for row in itertools.product((4, 5, 6), repeat=3)]
    found = beam_search(model, inputs, 60, most=3, penalty=penalty)
    with torch.no_grad():
        for row in range(4):
            scores = [forced(model, inputs[row], ids, 1.0) / ((5 + len(ids)) / 6) ** penalty for ids in headlines]
            best = headlines[scores.index(max(scores))]
            assert found.ids[row, 0, : found.lengths[row, 0]].tolist() == best


def test_a_beam_of_one_is_greedy_and_a_wider_one_no_less_likely():
    model, inputs = tiny(5), leads(16)
    one, wide = beam_search(model, inputs, 1, 20, 0.0), beam_search(model, inputs, 5, 20, 0.0)
    assert torch.equal(one.ids, generate(model, inputs, most=20).ids)
    assert (wide.log_probs >= one.log_probs - 1e-4).float().mean() > 0.8
    assert float(wide.log_probs.mean()) > float(one.log_probs.mean())


def test_draws_follow_the_tempered_softmax():
    torch.manual_seed(0)
    logits = torch.tensor([0.0, 1.0, 2.0, -1.0])
    counts = choose(logits.expand(40_000, 4), 0.5).bincount(minlength=4) / 40_000
    assert torch.allclose(counts, (logits / 0.5).softmax(-1), atol=0.01)


PROMPTS = torch.randint(3, 20, (8, 4), generator=torch.Generator().manual_seed(4))


def eager_reader() -> Reader:
    """Its headlines end here and there."""
    reader = tiny_reader(20, seed=3)
    with torch.no_grad():
        reader.embedding.weight[2] *= 2
    return reader


def formula_logits(reader: Reader, ids: list[int]) -> torch.Tensor:
    """Of the token after a row, by the formula of the whole row and the table it was read with."""
    table = reader.embedding.weight.detach().double()
    return table @ torch.from_numpy(plain_states(reader, ids, range(len(ids))))[-1]


def test_a_reader_goes_on_as_if_it_read_all_anew():
    reader, wanted = eager_reader(), []
    for prompt in PROMPTS.tolist():
        row = list(prompt)
        while row[-1] != 2 and len(row) < 4 + 9:
            row.append(int(formula_logits(reader, row).argmax()))
        wanted.append(row[4:] + [0] * (4 + 9 - len(row)))
    found = read_on(reader, PROMPTS, 1, 0.0, most=9).tolist()
    assert found == wanted
    assert len({row.index(2) if 2 in row else 9 for row in found}) >= 4  # so that rows have been dropped on the way


def test_the_draws_of_a_prompt_stand_together():
    reader = eager_reader()
    torch.manual_seed(0)
    found = read_on(reader, PROMPTS, 3, 1e-4, most=9)
    assert torch.equal(found, read_on(reader, PROMPTS, 1, 0.0, most=9).repeat_interleave(3, 0))


def test_draws_of_a_reader_follow_its_odds():
    """The shares of first tokens, and of second ones after the likeliest first, at a temperature."""
    reader, prompt = eager_reader(), PROMPTS[:1]
    torch.manual_seed(0)
    found = read_on(reader, prompt, 20_000, 2.5, most=2)
    odds = (formula_logits(reader, prompt[0].tolist()) / 2.5).softmax(-1)
    assert torch.allclose(found[:, 0].bincount(minlength=20) / len(found), odds.float(), atol=0.012)
    odds[2] = 0  # nothing comes after the end
    first = int(odds.argmax())
    second = found[found[:, 0] == first, 1]
    odds = (formula_logits(reader, [*prompt[0].tolist(), first]) / 2.5).softmax(-1)
    assert len(second) > 2000
    assert torch.allclose(second.bincount(minlength=20) / len(second), odds.float(), atol=0.03)
    assert not found[found[:, 0] == 2, 1].any()
