"""The encoder of others: its arithmetic against plain loops, lead and headline as one text, and its tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from hedline.errors import UserError
from hedline.files import read_json
from hedline.models.encoder import Encoder, EncoderConfig, bucket_of, joined, rows_of_texts
from hedline.models.reader import TOKENS, Tokens
from small_encoder import begun, plain_bucket, plain_encoder, tiny_encoder
from small_reader import bytes_of, write_tokens


def drawn(count: int, length: int, seed: int = 1) -> torch.Tensor:
    """Texts without padding."""
    return torch.randint(5, 20, (count, length), generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
@pytest.mark.parametrize("sizes", [{}, {"heads": 3, "buckets": 8, "pad": 4}, {"layers": 1, "epsilon": 1e-5}])
def test_states_are_those_of_the_formula(sizes: dict) -> None:
    encoder, ids = tiny_encoder(20, **sizes), drawn(2, 27)
    states = encoder(ids)
    for row in range(2):
        wanted = plain_encoder(encoder, ids[row].tolist())
        assert np.abs(states[row].numpy() - wanted).max() < 2e-5 and wanted.std() > 0.3


@torch.no_grad()
def test_places_far_apart_are_those_of_the_formula() -> None:
    encoder, ids = tiny_encoder(20, layers=1, heads=1, positions=162), drawn(1, 150)
    assert np.abs(encoder(ids)[0].numpy() - plain_encoder(encoder, ids[0].tolist())).max() < 2e-5


@pytest.mark.parametrize("buckets", [8, 16, 32, 64])
def test_buckets_are_those_of_a_plain_loop(buckets: int) -> None:
    distances = list(range(-300, 301))
    found = bucket_of(torch.tensor(distances), buckets).tolist()
    assert found == [plain_bucket(distance, buckets) for distance in distances]
    assert set(found) == set(range(buckets)) - {buckets // 2}  # 0 is not behind


def test_buckets_by_hand() -> None:
    """Of 8 on each side, 4 are for 0 to 3; the others begin at 4, 9.5, 22.6 and 53.8."""
    distances = torch.tensor([0, -1, -3, -4, -9, -10, -22, -23, -53, -54, -999, 1, 3, 4, 10, 999])
    assert bucket_of(distances, 16).tolist() == [0, 1, 3, 4, 4, 5, 5, 6, 6, 7, 7, 9, 11, 12, 13, 15]


@torch.no_grad()
def test_padding_changes_nothing() -> None:
    encoder = tiny_encoder(20)
    texts = [drawn(1, length, seed=length)[0].tolist() for length in (3, 17, 9)]
    together = encoder(rows_of_texts(texts, encoder.config.pad))
    assert together.shape[1] == 24 and bool(together.isfinite().all())
    for row, text in enumerate(texts):
        alone = encoder(torch.tensor([text]))[0]
        assert torch.allclose(together[row, : len(text)], alone, atol=1e-5)


@torch.no_grad()
def test_every_place_sees_every_other() -> None:
    encoder, ids = tiny_encoder(21), drawn(1, 9)
    states = encoder(ids)[0]
    for place in range(9):
        other = ids.clone()
        other[0, place] += 1
        assert float((encoder(other)[0] - states).abs().amax(1).min()) > 1e-4


@torch.no_grad()
def test_a_layer_ends_in_its_norm() -> None:
    encoder = tiny_encoder(20)
    last = encoder.layers[-1].feed_norm
    plain = (encoder(drawn(2, 11)) - last.bias) / last.weight
    assert float(plain.mean(2).abs().max()) < 1e-5
    assert torch.allclose(plain.std(2, correction=0), torch.ones(2, 11), atol=0.02)


def test_rows_of_texts_by_hand() -> None:
    assert rows_of_texts([[7, 8], [], [9] * 8], 1).tolist() == [[7, 8, *[1] * 6], [1] * 8, [9] * 8]
    assert rows_of_texts([[9] * 9], 4).tolist() == [[9] * 9 + [4] * 7]


def test_what_is_too_long_is_cut_from_the_lead() -> None:
    config = EncoderConfig(90, 8, 8, 1, 2, positions=18, begin=50, pad=1, end=52)
    assert config.longest == 16 and EncoderConfig(90, 8, 8, 1, 2).longest == 512
    lead = list(range(10, 30))
    assert joined(lead[:3], [5, 6], config) == [50, 10, 11, 12, 52, 52, 5, 6, 52]
    assert joined([], [], config) == [50, 52, 52, 52]
    for size in range(13):
        headline = list(range(60, 60 + size))
        assert joined(lead, headline, config) == [50, *lead[: 12 - size], 52, 52, *headline, 52]
    long = list(range(60, 80))
    assert joined(lead, long, config) == [50, 52, 52, *long[:13]]  # longer than all the room there is


@torch.no_grad()
def test_the_longest_text_is_read() -> None:
    encoder = tiny_encoder(20, positions=34)
    text = joined([7] * 90, [8, 9], encoder.config)
    ids = rows_of_texts([text], encoder.config.pad)
    assert ids.shape == (1, 32)
    assert np.abs(encoder(ids)[0].numpy() - plain_encoder(encoder, text)).max() < 2e-5


def test_gradients_are_those_of_small_steps() -> None:
    """Of a weighted sum of the states of texts, one of them filled up; also the biases of distances have theirs."""
    encoder = tiny_encoder(20, positions=34).double()
    texts = [drawn(1, length, seed=length)[0].tolist() for length in (11, 30)]
    ids, random = rows_of_texts(texts, encoder.config.pad), torch.Generator().manual_seed(4)
    weights = torch.randn(2, 32, 24, generator=random, dtype=torch.double) * (ids != encoder.config.pad)[..., None]
    (encoder(ids) * weights).sum().backward()
    for name, value in encoder.named_parameters():
        assert value.grad is not None and bool(value.grad.isfinite().all()), name
        step, sums = torch.randn(value.shape, generator=random, dtype=torch.double) * 1e-6, []
        with torch.no_grad():
            for sign in (1, -2):
                value += sign * step
                sums.append(float((encoder(ids) * weights).sum()))
            value += step
        assert (sums[0] - sums[1]) / 2 == pytest.approx(float((value.grad * step).sum()), rel=1e-4, abs=1e-10), name
        assert name.endswith("key.bias") or float(value.grad.abs().max()) > 1e-3, name  # it moves all scores alike


@torch.no_grad()
def test_parts_are_dropped_only_in_training() -> None:
    encoder, ids = tiny_encoder(20, dropout=0.3), drawn(2, 9)
    asked = encoder(ids)
    assert torch.equal(encoder(ids), asked)
    learning = encoder.train()(ids)
    assert float((learning - asked).abs().max()) > 0.1 and not torch.equal(encoder(ids), learning)
    assert torch.equal(encoder.eval()(ids), asked)
    whole = tiny_encoder(20, dropout=0.0)
    assert torch.equal(whole.train()(ids), asked)


@torch.no_grad()
def test_parts_of_what_the_first_layer_reads_are_dropped() -> None:
    encoder, ids = tiny_encoder(20, layers=0, dropout=0.5), drawn(2, 9)
    kept = encoder.train()(ids) != 0
    assert 0.3 < float(kept.float().mean()) < 0.7 and bool((encoder.eval()(ids) != 0).all())


@torch.no_grad()
@pytest.mark.parametrize("silent", ["output", "down"])
def test_each_layer_drops_parts_of_both_its_blocks(silent: str) -> None:
    """Where one block says nothing, those of the other are dropped."""
    layer, x, bias = tiny_encoder(20, dropout=0.5).layers[0].train(), torch.randn(1, 8, 24), torch.zeros(1, 4, 8, 8)
    for value in getattr(layer, silent).parameters():
        value.zero_()
    assert float((layer(x, bias) - layer(x, bias)).abs().max()) > 0.1


def test_a_saved_encoder_is_the_same_up_to_its_rounding(tmp_path: Path) -> None:
    encoder, tokens = tiny_encoder(heads=3, dropout=0.2), write_tokens(tmp_path / "tokens")
    encoder.save(tmp_path / "one", tokens)
    again = Encoder.open(tmp_path / "one")
    assert again.config == encoder.config and (tmp_path / "one" / TOKENS).read_bytes() == tokens.read_bytes()
    assert read_json(tmp_path / "one" / "encoder.json")["heads"] == 3
    for name, value in encoder.state_dict().items():
        found = again.state_dict()[name]
        assert found.dtype == torch.float32 and torch.equal(found, value.bfloat16().float())
    with pytest.raises(UserError, match=r"tokens holds no encoder; make one with scripts/gpu/take_encoder\.py"):
        Encoder.open(tmp_path / "tokens")


def test_tokens_of_a_text_that_begins_have_no_space_before_them(tmp_path: Path) -> None:
    texts, folder = ["Lund closes bridge", "Übermut – 12 ferries", ""], write_tokens(tmp_path).parent
    tokens = Tokens(folder, before="")
    assert tokens.encode(texts) == [begun(text) for text in texts]
    assert tokens.decode(tokens.encode(texts)) == texts
    assert Tokens(folder).encode(texts) == [bytes_of(text) for text in texts]


def test_tokens_are_neither_cut_nor_filled_up_nor_put_between_others(tmp_path: Path) -> None:
    """Whatever the file of the tokens asks for."""
    from tokenizers import Tokenizer
    from tokenizers.processors import RobertaProcessing

    path, texts = write_tokens(tmp_path), ["Lund closes bridge", "A"]
    asking = Tokenizer.from_file(str(path))
    asking.post_processor = RobertaProcessing(("<|end|>", 2), ("<|pad|>", 0))
    asking.enable_truncation(8)
    asking.enable_padding(length=8)
    asking.save(str(path))
    assert [len(found.ids) for found in asking.encode_batch(texts)] == [8, 8]
    assert Tokens(tmp_path).encode(texts) == [bytes_of(text) for text in texts]
    assert Tokens(tmp_path, before="").encode(texts) == [begun(text) for text in texts]
