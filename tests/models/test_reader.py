"""The language model of others: its arithmetic against plain loops, rows of several headlines, steps with a cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from hedline.errors import UserError
from hedline.files import read_json
from hedline.models.reader import TOKENS, Past, Reader, ReaderConfig, Tokens, grouped, rows_of
from small_reader import bytes_of, plain_states, tiny_reader, write_tokens

LEADS = [[7, 8, 9], [5, 6, 5, 10, 11]]
HEADLINES = [[[12, 7], [], [13, 13, 8, 9]], [[5], [14, 6, 6], [6, 14]]]


def places_of(ids: torch.Tensor, first: int = 0) -> torch.Tensor:
    return torch.arange(first, first + ids.shape[1]).expand(ids.shape)


@torch.no_grad()
@pytest.mark.parametrize("sizes", [{}, {"heads": 4, "key_heads": 4}, {"heads": 3, "key_heads": 1, "base": 10000.0}])
def test_states_are_those_of_the_formula(sizes: dict) -> None:
    reader = tiny_reader(20, **sizes)
    ids = torch.randint(0, 20, (2, 9), generator=torch.Generator().manual_seed(1))
    for first in (0, 5):  # places need not begin at 0
        states = reader(ids, places_of(ids, first))
        for row in range(2):
            wanted = plain_states(reader, ids[row].tolist(), range(first, first + 9))
            assert np.abs(states[row].numpy() - wanted).max() < 2e-5 and wanted.std() > 0.3


def test_rows_by_hand() -> None:
    config = ReaderConfig(20, 8, 8, 1, 2, 1, pad=3, after=1, end=2)
    rows = rows_of([[7, 8], [9]], [[[5], [6, 6]], [[], [4]]], config)
    assert rows.ids.tolist() == [[7, 8, 1, 5, 2, 1, 6, 6, 2, *[3] * 7], [9, 1, 2, 1, 4, 2, *[3] * 10]]
    assert rows.places.tolist() == [[0, 1, 2, 3, 4, 2, 3, 4, 5, *[0] * 7], [0, 1, 2, 1, 2, 3, *[0] * 10]]
    assert rows.owners.tolist() == [[0, 0, 1, 1, 1, 2, 2, 2, 2, *[-1] * 7], [0, 1, 1, 2, 2, 2, *[-1] * 10]]
    seen = rows.seen()[0, 0]
    assert seen[4].nonzero()[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert seen[7].nonzero()[:, 0].tolist() == [0, 1, 5, 6, 7]  # not the headline before it
    assert bool(seen.any(1).all())  # a place that sees nothing would be no number


@torch.no_grad()
@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_rows_read_in_bands_are_read_as_together(parts: int) -> None:
    reader = tiny_reader(20)
    leads, headlines = [*LEADS, [5] * 19, [8]], [*HEADLINES, [[6] * 9, [7]], [[], [9]]]
    rows = rows_of(leads, headlines, reader.config)
    states, met = reader.read(rows), []
    for chosen, band in rows.bands(parts):
        met += chosen.tolist()
        kept = band.ids.shape[1]
        assert kept % 8 == 0 and (rows.owners[chosen, kept:] == -1).all()
        told = band.owners != -1
        assert torch.allclose(reader.read(band)[told], states[chosen, :kept][told], atol=1e-5)
    assert sorted(met) == [0, 1, 2, 3]
    assert parts == 1 or band.ids.shape[1] > next(rows.bands(parts))[1].ids.shape[1]


@torch.no_grad()
def test_headlines_of_one_row_are_read_as_each_alone() -> None:
    reader = tiny_reader(20)
    rows = rows_of(LEADS, HEADLINES, reader.config)
    states = reader.read(rows)
    for row, (lead, texts) in enumerate(zip(LEADS, HEADLINES, strict=True)):
        for number, text in enumerate(texts, 1):
            alone = torch.tensor([[*lead, 1, *text, 2]])
            wanted = reader(alone, places_of(alone))[0, len(lead) :]
            assert torch.allclose(states[row][rows.owners[row] == number], wanted, atol=1e-5)


@torch.no_grad()
def test_a_row_with_a_mask_is_that_of_the_formula() -> None:
    reader = tiny_reader(20)
    rows = rows_of(LEADS, HEADLINES, reader.config)
    owners = rows.owners[1].tolist()
    real = owners.index(-1)
    wanted = plain_states(
        reader,
        rows.ids[1, :real].tolist(),
        rows.places[1].tolist(),
        lambda place, other: other <= place and owners[other] in (0, owners[place]),
    )
    assert np.abs(reader.read(rows)[1, :real].numpy() - wanted).max() < 2e-5


@torch.no_grad()
def test_padding_changes_nothing() -> None:
    reader = tiny_reader(20)
    alone = rows_of(LEADS[:1], HEADLINES[:1], reader.config)
    long = [[4] * 30]
    beside = rows_of([LEADS[0], [5] * 40], [HEADLINES[0], [*long, *long, *long]], reader.config)
    real = alone.owners[0] >= 0
    assert beside.ids.shape[1] > alone.ids.shape[1] and alone.ids.shape[1] % 8 == beside.ids.shape[1] % 8 == 0
    found = reader.read(beside)
    assert torch.allclose(found[0, : len(real)][real], reader.read(alone)[0][real], atol=1e-5)
    assert bool(found.isfinite().all())
    ids = torch.tensor([[*LEADS[0], 1, 9, 0, 0, 0]])  # and without a mask: what comes behind is not seen
    assert torch.allclose(reader(ids, places_of(ids))[:, :5], reader(ids[:, :5], places_of(ids[:, :5])), atol=1e-5)


@torch.no_grad()
def test_steps_with_a_cache_are_those_of_reading_anew() -> None:
    reader, past = tiny_reader(20), Past()
    ids = torch.randint(0, 20, (3, 8), generator=torch.Generator().manual_seed(2))
    found = [reader(ids[:, :4], places_of(ids[:, :4]), past=past)]
    found += [reader(ids[:, at : at + 1], torch.full((3, 1), at), past=past) for at in range(4, 8)]
    assert torch.allclose(torch.cat(found, 1), reader(ids, places_of(ids)), atol=1e-5)


@torch.no_grad()
def test_the_rows_of_a_cache_may_be_doubled_and_dropped() -> None:
    reader, past = tiny_reader(20), Past()
    ids = torch.randint(0, 20, (3, 4), generator=torch.Generator().manual_seed(3))
    reader(ids, places_of(ids), past=past)
    kept = torch.tensor([2, 0, 2])
    past.keep(kept)
    more = torch.tensor([[4], [5], [6]])
    found = reader(more, torch.full((3, 1), 4), past=past)[:, 0]
    whole = torch.cat([ids[kept], more], 1)
    assert torch.allclose(found, reader(whole, places_of(whole))[:, -1], atol=1e-5)


def test_a_saved_reader_is_the_same_up_to_its_rounding(tmp_path: Path) -> None:
    reader, tokens = tiny_reader(key_heads=3), write_tokens(tmp_path / "tokens")
    reader.save(tmp_path / "one", tokens)
    again = Reader.open(tmp_path / "one")
    assert again.config == reader.config and (tmp_path / "one" / TOKENS).read_bytes() == tokens.read_bytes()
    assert read_json(tmp_path / "one" / "reader.json")["key_heads"] == 3
    for name, value in reader.state_dict().items():
        found = again.state_dict()[name]
        assert found.dtype == torch.float32 and torch.equal(found, value.bfloat16().float())
    with pytest.raises(UserError, match=r"tokens holds no reader; make one with scripts/gpu/take_reader\.py"):
        Reader.open(tmp_path / "tokens")


def test_tokens_are_those_of_a_text_that_goes_on(tmp_path: Path) -> None:
    texts = ["Lund closes bridge", "Übermut – 12 ferries", ""]
    tokens = Tokens(write_tokens(tmp_path).parent)
    assert tokens.encode(texts) == [bytes_of(text) for text in texts]
    assert tokens.decode([bytes_of(text) for text in texts]) == texts


def test_flat_texts_are_grouped_by_lead() -> None:
    assert grouped([[1], [2, 2], [3], [4]], [1, 0, 3]) == [[[1]], [], [[2, 2], [3], [4]]]
